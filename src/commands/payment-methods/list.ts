import {RemitCommand} from '../../cli/core/command.ts';
import {inGroup, listFlags, ownerFlags} from '../../cli/input/flags.ts';
import {showRecords} from '../../cli/resources/lists.ts';
import {resolveId} from '../../cli/resources/names.ts';
import {methodOperation, methodParams, readOwner} from '../../cli/resources/payment-methods.ts';
import {paymentMethodView} from '../../output/views/parties.ts';

export default class PaymentMethodsList extends RemitCommand {
  static override summary = 'List the payment methods of a payee or payer';
  static override examples = [
    '<%= config.bin %> payment-methods list --payee 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11',
  ];
  static override flags = {...ownerFlags, ...inGroup('PAGING', listFlags)};

  async run() {
    const {flags} = await this.parse(PaymentMethodsList);
    const typed = readOwner(flags);
    const context = await this.open();
    const owner = {...typed, id: await resolveId(context, typed.label, typed.id)};
    const query = {...methodParams(owner), order: flags.order};
    const shown = {view: paymentMethodView, flags, typed: this.typed};
    await showRecords(context, methodOperation(owner, 'list'), query, shown);
  }
}
