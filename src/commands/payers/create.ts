import {RemitCommand} from '../../cli/core/command.ts';
import {bodyFlags, partyFlags} from '../../cli/input/flags.ts';
import {createParty} from '../../cli/resources/parties.ts';
import {payerView} from '../../output/views/parties.ts';

export default class PayersCreate extends RemitCommand {
  static override summary = 'Create a payer, who is debited by payins';
  static override examples = [
    "<%= config.bin %> payers create --name 'Acme Ltd' --type business",
    "<%= config.bin %> payers create --name 'Ada Byron' --email ada@example.com -o id",
  ];
  static override flags = {...partyFlags, ...bodyFlags};

  async run() {
    const {flags} = await this.parseWithData(PayersCreate);
    return this.conclude(await createParty(await this.open(), 'payers', payerView, flags));
  }
}
