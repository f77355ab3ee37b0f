import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {callControl} from '../../cli/sandbox/control.ts';
import {targetSandbox} from '../../cli/sandbox/target.ts';
import {RemitError} from '../../errors.ts';
import {sandboxView} from '../../output/views/sandbox.ts';
import type {SandboxStatus} from '../../sandbox/control/sandbox-interface.ts';

export default class SandboxStatusCommand extends RemitCommand {
  static override summary = 'Show the running sandbox: address, clock, requests, money';
  static override examples = ['<%= config.bin %> sandbox status', '<%= config.bin %> sandbox status --audit'];
  static override flags = {
    audit: Flags.boolean({description: 'exit with an error if the ledger does not balance'}),
  };

  async run() {
    const {flags} = await this.parse(SandboxStatusCommand);
    const local = this.openLocal();
    const {base_url, control_url, pid, started_at, store} = targetSandbox(local);
    const status = await callControl<SandboxStatus>(local, 'GET', '/sandbox/status');
    const shown = {base_url, control_url, pid, started_at, store, ...status};
    local.out.record(shown, sandboxView);
    const {problems} = status.audit;
    if (flags.audit && problems.length > 0)
      throw new RemitError('STATE_DAMAGED', ['the ledger does not balance', ...problems].join('\n'));
    return shown;
  }
}
