import {Flags} from '@oclif/core';
import {RemitCommand} from '../cli/core/command.ts';

export default class Doctor extends RemitCommand {
  static override summary = 'Check the setup and find where the service differs from what remit assumes';
  static override description =
    'For each assumption, prints whether it holds, differs or is unknown, and the line to add to the service file. Sends only GET requests unless --probe-writes is given. Exits 8 if anything differs, a list cannot be read, or a main operation (list and get payouts; with --probe-writes also create and approve) is unknown.';
  static override examples = [
    '<%= config.bin %> doctor -p prod',
    '<%= config.bin %> doctor -p prod --write service.json',
    '<%= config.bin %> doctor -p test --probe-writes',
  ];

  static override flags = {
    all: Flags.boolean({description: 'at a terminal, also show every check that holds'}),
    write: Flags.string({
      helpValue: 'FILE',
      description:
        'write a service file: the active one plus every difference that is certain; what an existing FILE contains is kept',
    }),
    'probe-writes': Flags.boolean({
      description:
        'also test writes, with a test key only: create payouts and a payin of 1.00, repeat the requests, cancel them, try to approve ones that do not exist, and create a payee and a move, which remain',
    }),
  };

  async run() {
    const {flags} = await this.parse(Doctor);
    const {runDoctor, withSetup} = await import('../cli/doctor/doctor.ts');
    const context = await this.open().catch((error: unknown) => {
      throw withSetup(error, this.openLocal());
    });
    const {exitOf} = await import('../cli/doctor/report.ts');
    const report = await runDoctor(context, flags);
    this.exitWith(exitOf(report));
    return report;
  }
}
