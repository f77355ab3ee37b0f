import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/command.ts';
import {callControl} from '../../cli/sandbox/control.ts';
import {noteRemembered} from '../../cli/sandbox/remembered.ts';
import {readBalance} from '../../cli/sandbox/start-options.ts';

export default class SandboxReset extends RemitCommand {
  static override summary = 'Take all records and fault rules of the running sandbox away; keys stay';
  static override examples = [
    '<%= config.bin %> sandbox reset',
    '<%= config.bin %> sandbox reset --balance 100.00',
  ];
  static override flags = {
    balance: Flags.string({helpValue: '5000.00', description: 'USD in each main account afterwards'}),
  };

  async run() {
    const {flags} = await this.parse(SandboxReset);
    const local = this.openLocal();
    const {balance} = flags;
    const body = balance === undefined ? {} : {main_balance_in_minor_units: readBalance(balance)};
    await callControl(local, 'POST', '/sandbox/reset', body);
    local.out.text('The sandbox is empty again.');
    local.out.hint('remit sandbox seed --payees 3');
    noteRemembered(local);
    return {reset: true};
  }
}
