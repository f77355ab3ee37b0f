import {RemitCommand} from '../../cli/core/command.ts';
import {bodyFlags, partyChangeFlags} from '../../cli/input/flags.ts';
import {idArg} from '../../cli/input/global-flags.ts';
import {updateParty} from '../../cli/resources/parties.ts';
import {payerView} from '../../output/views/parties.ts';

export default class PayersUpdate extends RemitCommand {
  static override summary = 'Change the name, email, type or metadata of a payer';
  static override args = {id: idArg('payer', 'name')};
  static override examples = [
    '<%= config.bin %> payers update ID --email billing@example.com',
    "<%= config.bin %> payers update ID --name 'Acme Holding Ltd' --metadata account=4711",
  ];
  static override flags = {...partyChangeFlags, ...bodyFlags};

  async run() {
    const {args, flags} = await this.parseWithData(PayersUpdate);
    return this.conclude(await updateParty(await this.open(), 'payers', payerView, {id: args.id, flags}));
  }
}
