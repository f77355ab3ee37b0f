import {RemitCommand} from '../../cli/core/command.ts';
import {stopSandbox} from '../../cli/sandbox/stop.ts';

export default class SandboxStop extends RemitCommand {
  static override summary = 'Stop the running sandbox; its records are kept';
  static override examples = ['<%= config.bin %> sandbox stop'];

  async run() {
    await this.parse(SandboxStop);
    const local = this.openLocal();
    const stopped = await stopSandbox(local);
    local.out.text(`Stopped the sandbox at ${stopped.base_url}.`);
    return stopped;
  }
}
