import {RemitCommand} from '../../cli/core/command.ts';
import {idArg} from '../../cli/input/global-flags.ts';
import {resolveId} from '../../cli/resources/names.ts';
import {FROM_PAYER, showRecent} from '../../cli/resources/recent.ts';
import {readRecord} from '../../cli/resources/reads.ts';
import {payerView} from '../../output/views/parties.ts';

export default class PayersGet extends RemitCommand {
  static override summary = 'Show one payer, with its payins among the last 200';
  static override args = {id: idArg('payer', 'name')};
  static override examples = ['<%= config.bin %> payers get 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11'];

  async run() {
    const {args} = await this.parse(PayersGet);
    const context = await this.open();
    const id = await resolveId(context, 'payer', args.id);
    const data = await readRecord(context, 'payers.get', {id});
    context.out.record(data, payerView);
    await showRecent(context, id, [FROM_PAYER]);
    return data;
  }
}
