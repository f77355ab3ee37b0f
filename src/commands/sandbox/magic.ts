import {RemitCommand} from '../../cli/core/command.ts';
import {callControl} from '../../cli/sandbox/control.ts';
import {magicView} from '../../output/views/sandbox.ts';

export default class SandboxMagic extends RemitCommand {
  static override summary = 'List the magic values of the sandbox';
  static override description =
    'Amounts, account numbers and card numbers that make a transfer fail or be delayed. `sandbox simulate` overrides the scenario, the scenario overrides the account or card, and that overrides the amount.';
  static override examples = ['<%= config.bin %> sandbox magic', '<%= config.bin %> sandbox magic -o csv'];

  async run() {
    await this.parse(SandboxMagic);
    const local = this.openLocal();
    const {data} = await callControl<{data: {value: string}[]}>(local, 'GET', '/sandbox/magic-values');
    // The account and card numbers among them are made up, and meant to be typed.
    for (const {value} of data) local.out.sanitizer.allow(value, 'value', '');
    await local.out.list(data, magicView);
  }
}
