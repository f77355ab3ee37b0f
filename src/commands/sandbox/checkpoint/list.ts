import {RemitCommand} from '../../../cli/core/command.ts';
import {callControl} from '../../../cli/sandbox/control.ts';
import {checkpointView} from '../../../output/views/sandbox.ts';

export default class SandboxCheckpointList extends RemitCommand {
  static override summary = 'List all checkpoints of the running sandbox, oldest first';
  static override examples = ['<%= config.bin %> sandbox checkpoint list'];

  async run() {
    await this.parse(SandboxCheckpointList);
    const local = this.openLocal();
    const {data} = await callControl<{data: object[]}>(local, 'GET', '/sandbox/checkpoints');
    await local.out.list(data, checkpointView);
  }
}
