import {RemitCommand} from '../../cli/core/command.ts';
import {makePageLink} from '../../cli/sandbox/page-link.ts';

export default class SandboxOpen extends RemitCommand {
  static override summary = 'Print a link that opens the sandbox page in a browser';
  static override description =
    'The page shows records, deliveries and requests, and can move the clock. The link works once, within ten minutes.';
  static override examples = [
    '<%= config.bin %> sandbox open',
    '<%= config.bin %> sandbox open -o json --query url',
  ];

  async run() {
    await this.parse(SandboxOpen);
    const local = this.openLocal();
    const link = await makePageLink(local);
    local.out.text(link.url);
    local.out.note('Open it in a browser of this machine: once, within ten minutes.');
    return link;
  }
}
