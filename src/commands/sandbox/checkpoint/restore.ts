import {Args} from '@oclif/core';
import {RemitCommand} from '../../../cli/core/command.ts';
import {callControl} from '../../../cli/sandbox/control.ts';
import {noteRemembered} from '../../../cli/sandbox/remembered.ts';
import type {Checkpoint} from '../../../sandbox/base/shown-records.ts';

export default class SandboxCheckpointRestore extends RemitCommand {
  static override summary = 'Restore the running sandbox from a checkpoint';
  static override description =
    'Records, money and clock are restored; keys stay. Everything since then is lost, unless it is in another checkpoint.';
  static override args = {name: Args.string({required: true, description: 'name of the checkpoint'})};
  static override examples = ['<%= config.bin %> sandbox checkpoint restore before-payday'];

  async run() {
    const {args} = await this.parse(SandboxCheckpointRestore);
    const local = this.openLocal();
    const path = `/sandbox/checkpoints/${encodeURIComponent(args.name)}/restore` as const;
    const restored = await callControl<Checkpoint>(local, 'POST', path, {});
    local.out.text(`Restored ${restored.name}; the clock is back at ${restored.clock_at}.`);
    noteRemembered(local);
    return restored;
  }
}
