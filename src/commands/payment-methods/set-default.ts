import {RemitCommand} from '../../cli/command.ts';
import {dryRunFlag, idArg, ownerFlags} from '../../cli/flags.ts';
import {methodOperation, readOwner} from '../../cli/payment-methods.ts';
import {showPreview} from '../../cli/previews.ts';
import {paymentMethodView} from '../../output/views/parties.ts';

export default class PaymentMethodsSetDefault extends RemitCommand {
  static override summary = 'Make a verified payment method the default';
  static override args = {id: idArg('payment method')};
  static override examples = ['<%= config.bin %> payment-methods set-default ID --payee ID'];
  static override flags = {...ownerFlags, 'dry-run': dryRunFlag};

  async run() {
    const {args, flags} = await this.parse(PaymentMethodsSetDefault);
    const owner = readOwner(flags);
    const {client, out, stop, guardWrite} = await this.open();
    const operation = methodOperation(owner, 'setDefault');
    const hint = `remit payment-methods list --${owner.label} ${owner.id}`;
    const input = {params: {owner_id: owner.id, id: args.id}, options: {signal: stop.signal, hint}};
    if (flags['dry-run']) return showPreview(out, client.preview(operation, input));
    await guardWrite({
      operation: `make payment method ${args.id} the default`,
      party: [owner.label, owner.id],
    });
    const {data} = await client.call(operation, input);
    out.record(data, paymentMethodView);
    return data;
  }
}
