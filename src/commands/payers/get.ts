import {RemitCommand} from '../../cli/core/command.ts';
import {idArg} from '../../cli/input/flags.ts';
import {payerView} from '../../output/views/parties.ts';

export default class PayersGet extends RemitCommand {
  static override summary = 'Show one payer';
  static override args = {id: idArg('payer')};
  static override examples = ['<%= config.bin %> payers get 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11'];

  async run() {
    const {args} = await this.parse(PayersGet);
    const {client, out, stop} = await this.open();
    const {data} = await client.payers.get({id: args.id}, {signal: stop.signal});
    out.record(data, payerView);
    return data;
  }
}
