import {RemitCommand} from '../../cli/core/command.ts';
import {bodyFlags, partyChangeFlags} from '../../cli/input/flags.ts';
import {idArg} from '../../cli/input/global-flags.ts';
import {updateParty} from '../../cli/resources/parties.ts';
import {payeeView} from '../../output/views/parties.ts';

export default class PayeesUpdate extends RemitCommand {
  static override summary = 'Change the name, email, type or metadata of a payee';
  static override args = {id: idArg('payee', 'name')};
  static override examples = [
    '<%= config.bin %> payees update ID --email billing@example.com',
    "<%= config.bin %> payees update ID --name 'Acme Holding Ltd' --metadata account=4711",
  ];
  static override flags = {...partyChangeFlags, ...bodyFlags};

  async run() {
    const {args, flags} = await this.parseWithData(PayeesUpdate);
    return this.conclude(await updateParty(await this.open(), 'payees', payeeView, {id: args.id, flags}));
  }
}
