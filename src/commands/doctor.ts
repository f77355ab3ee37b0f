import {Flags} from '@oclif/core';
import {RemitCommand} from '../cli/core/command.ts';

export default class Doctor extends RemitCommand {
  static override summary = 'Check this machine, the connection and how the service differs';
  static override description =
    'Prints for each assumption whether it holds, differs or cannot be found out, with the line to write into the service file. It only reads from the service. Exit code 8 if anything differs.';
  static override examples = [
    '<%= config.bin %> doctor -p prod',
    '<%= config.bin %> doctor -p prod --write service.json',
  ];

  static override flags = {
    write: Flags.string({
      helpValue: 'FILE',
      description: 'write the service file: the one in force, with all differences that are certain',
    }),
  };

  async run() {
    const {flags} = await this.parse(Doctor);
    const context = await this.open();
    const {runDoctor} = await import('../cli/doctor/doctor.ts');
    const {exitOf} = await import('../cli/doctor/report.ts');
    const report = await runDoctor(context, flags);
    this.exitWith(exitOf(report));
    return report;
  }
}
