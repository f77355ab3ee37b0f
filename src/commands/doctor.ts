import {Flags} from '@oclif/core';
import {RemitCommand} from '../cli/core/command.ts';

export default class Doctor extends RemitCommand {
  static override summary = 'Check this machine, the connection and how the service differs';
  static override description =
    'Prints for each assumption whether it holds, differs or cannot be found out, with the line to write into the service file. Without --probe-writes it only reads. Exit code 8 if anything differs.';
  static override examples = [
    '<%= config.bin %> doctor -p prod',
    '<%= config.bin %> doctor -p prod --write service.json',
    '<%= config.bin %> doctor -p test --probe-writes',
    '<%= config.bin %> doctor -p prod --openapi openapi.json --write service.json',
  ];

  static override flags = {
    write: Flags.string({
      helpValue: 'FILE',
      description: 'write the service file: the one in force, with all differences that are certain',
    }),
    openapi: Flags.string({
      helpValue: 'FILE|URL',
      description:
        "derive the service file from the service's own OpenAPI 3 document, without asking the service",
      exclusive: ['probe-writes'],
    }),
    'probe-writes': Flags.boolean({
      description:
        'with a test key: also create a payout, send it again, cancel it, approve one that does not exist',
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
