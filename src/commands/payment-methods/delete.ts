import {RemitCommand} from '../../cli/command.ts';
import {dryRunFlag, idArg, ownerFlags} from '../../cli/flags.ts';
import {methodOperation, readOwner} from '../../cli/payment-methods.ts';
import {showPreview} from '../../cli/previews.ts';

export default class PaymentMethodsDelete extends RemitCommand {
  static override summary = 'Delete a payment method (not the default one)';
  static override args = {id: idArg('payment method')};
  static override examples = ['<%= config.bin %> payment-methods delete ID --payee ID'];
  static override flags = {...ownerFlags, 'dry-run': dryRunFlag};

  async run() {
    const {args, flags} = await this.parse(PaymentMethodsDelete);
    const owner = readOwner(flags);
    const {client, out, stop, guardWrite} = await this.open();
    const operation = methodOperation(owner, 'delete');
    const input = {params: {owner_id: owner.id, id: args.id}, options: {signal: stop.signal}};
    if (flags['dry-run']) return showPreview(out, client.preview(operation, input));
    await guardWrite({operation: `delete payment method ${args.id}`, party: [owner.label, owner.id]});
    await client.call(operation, input);
    out.text(`Deleted payment method ${args.id} of ${owner.label} ${owner.id}.`);
    return {id: args.id, deleted: true, [`${owner.label}_id`]: owner.id};
  }
}
