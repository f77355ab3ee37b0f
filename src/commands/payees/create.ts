import {RemitCommand} from '../../cli/core/command.ts';
import {bodyFlags, partyFlags} from '../../cli/input/flags.ts';
import {createParty} from '../../cli/resources/parties.ts';
import {payeeView} from '../../output/views/parties.ts';

export default class PayeesCreate extends RemitCommand {
  static override summary = 'Create a payee, who receives payouts';
  static override examples = [
    "<%= config.bin %> payees create --name 'Acme Ltd' --type business",
    "<%= config.bin %> payees create --name 'Ada Byron' --email ada@example.com -o id",
  ];
  static override flags = {...partyFlags, ...bodyFlags};

  async run() {
    const {flags} = await this.parseWithData(PayeesCreate);
    return this.conclude(await createParty(await this.open(), 'payees', payeeView, flags));
  }
}
