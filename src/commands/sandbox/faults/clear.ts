import {Args} from '@oclif/core';
import {RemitCommand} from '../../../cli/core/command.ts';
import {callControl} from '../../../cli/sandbox/control.ts';

export default class SandboxFaultsClear extends RemitCommand {
  static override summary = 'Remove one fault rule of the running sandbox, or all of them';
  static override args = {id: Args.string({description: 'id of the rule (default: all rules)'})};
  static override examples = [
    '<%= config.bin %> sandbox faults clear',
    '<%= config.bin %> sandbox faults clear fault_2',
  ];

  async run() {
    const {args} = await this.parse(SandboxFaultsClear);
    const local = this.openLocal();
    const {id} = args;
    await callControl(
      local,
      'DELETE',
      id === undefined ? '/sandbox/faults' : `/sandbox/faults/${encodeURIComponent(id)}`,
    );
    local.out.text(id === undefined ? 'No fault rules are left.' : `Removed ${id}.`);
    return {cleared: id ?? 'all'};
  }
}
