import {Args} from '@oclif/core';
import {RemitCommand} from '../../../cli/core/command.ts';
import {callControl} from '../../../cli/sandbox/control.ts';
import {sandboxCommand} from '../../../cli/sandbox/target.ts';
import type {Checkpoint} from '../../../sandbox/base/shown-records.ts';

export default class SandboxCheckpointSave extends RemitCommand {
  static override summary = 'Save the state of the running sandbox under a name';
  static override description = 'An existing checkpoint of that name is replaced, with a warning.';
  static override args = {
    name: Args.string({required: true, description: 'lower-case letters, digits and hyphens'}),
  };
  static override examples = ['<%= config.bin %> sandbox checkpoint save before-payday'];

  async run() {
    const {args} = await this.parse(SandboxCheckpointSave);
    const local = this.openLocal();
    const path = '/sandbox/checkpoints';
    const {data: before} = await callControl<{data: Checkpoint[]}>(local, 'GET', path);
    const replaced = before.find(({name}) => name === args.name);
    const saved = await callControl<Checkpoint>(local, 'POST', path, {name: args.name});
    local.out.text(`Saved ${saved.name} at ${saved.clock_at} (sandbox clock).`);
    if (replaced !== undefined)
      local.out.warn(`the earlier checkpoint ${saved.name} of ${replaced.saved_at} was replaced`);
    local.out.hint(sandboxCommand(local, 'checkpoint', 'restore', saved.name));
    return saved;
  }
}
