import {RemitCommand} from '../../cli/core/command.ts';
import {idArg} from '../../cli/input/global-flags.ts';
import {resolveId} from '../../cli/resources/names.ts';
import {TO_PAYEE, showRecent} from '../../cli/resources/recent.ts';
import {readRecord} from '../../cli/resources/reads.ts';
import {payeeView} from '../../output/views/parties.ts';

export default class PayeesGet extends RemitCommand {
  static override summary = 'Show one payee, with its payouts among the last 200';
  static override args = {id: idArg('payee', 'name')};
  static override examples = ['<%= config.bin %> payees get 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11'];

  async run() {
    const {args} = await this.parse(PayeesGet);
    const context = await this.open();
    const id = await resolveId(context, 'payee', args.id);
    const data = await readRecord(context, 'payees.get', {id});
    context.out.record(data, payeeView);
    await showRecent(context, id, [TO_PAYEE]);
    return data;
  }
}
