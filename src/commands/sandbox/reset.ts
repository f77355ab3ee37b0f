import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {callControl} from '../../cli/sandbox/control.ts';
import {noteRemembered} from '../../cli/sandbox/remembered.ts';
import {sandboxCommand, targetSandbox} from '../../cli/sandbox/target.ts';
import {readBalance} from '../../cli/sandbox/flag-values.ts';
import type {SandboxStatus} from '../../sandbox/control/sandbox-interface.ts';
import type {ClockStatus} from '../../sandbox/base/shown-records.ts';

/** A reset does not change the clock, which matters to a script that froze or advanced it. */
const clockText = ({mode, now}: ClockStatus): string =>
  mode === 'frozen'
    ? `Its clock was not changed: frozen at ${now}.`
    : `Its clock was not changed: it shows ${now}.`;

export default class SandboxReset extends RemitCommand {
  static override summary = 'Delete all records and fault rules of the sandbox; keys and clock stay';
  static override examples = [
    '<%= config.bin %> sandbox reset',
    '<%= config.bin %> sandbox reset --balance 100.00',
  ];
  static override flags = {
    balance: Flags.string({helpValue: '5000.00', description: 'USD balance of each main account afterwards'}),
  };

  async run() {
    const {flags} = await this.parse(SandboxReset);
    const local = this.openLocal();
    const {balance} = flags;
    const body = balance === undefined ? {} : {main_balance_in_minor_units: readBalance(balance)};
    const {clock} = await callControl<SandboxStatus>(local, 'POST', '/sandbox/reset', body);
    local.out.text(`The sandbox is empty. ${clockText(clock)}`);
    local.out.hint(sandboxCommand(local, 'seed', '--payees', '3'));
    noteRemembered(local);
    const {base_url, store} = targetSandbox(local);
    return {reset: true, base_url, store, clock};
  }
}
