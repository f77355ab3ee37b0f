import {RemitCommand} from '../../../cli/core/command.ts';
import {callControl} from '../../../cli/sandbox/control.ts';
import {faultView} from '../../../output/views/sandbox.ts';

export default class SandboxFaultsList extends RemitCommand {
  static override summary = 'List all fault rules of the running sandbox and how often each matched';
  static override examples = ['<%= config.bin %> sandbox faults list'];

  async run() {
    await this.parse(SandboxFaultsList);
    const local = this.openLocal();
    const {data} = await callControl<{data: object[]}>(local, 'GET', '/sandbox/faults');
    await local.out.list(data, faultView);
  }
}
