import {RemitCommand} from '../../cli/core/command.ts';
import {dryRunFlags, ownerFlags} from '../../cli/input/flags.ts';
import {idArg} from '../../cli/input/global-flags.ts';
import {ownerDetails} from '../../cli/write/who.ts';
import {methodOperation, methodParams, readOwner} from '../../cli/resources/payment-methods.ts';
import {requireId} from '../../cli/resources/names.ts';
import {isGone} from '../../cli/resources/deletion.ts';
import {sendOnce} from '../../cli/write/send-once.ts';

export default class PaymentMethodsDelete extends RemitCommand {
  static override summary = 'Delete a payment method other than the default';
  static override args = {id: idArg('payment method')};
  static override examples = ['<%= config.bin %> payment-methods delete ID --payee ID'];
  static override flags = {...ownerFlags, ...dryRunFlags};

  async run() {
    const {args, flags} = await this.parse(PaymentMethodsDelete);
    const owner = readOwner(flags);
    const context = await this.open();
    requireId(context, owner.label, owner.id);
    const named = `payment method ${args.id} of ${owner.label} ${owner.id}`;
    const checkedBy = ['payment-methods', 'list', `--${owner.label}`, owner.id];
    const sent = await sendOnce(context, {
      operation: methodOperation(owner, 'delete'),
      params: methodParams(owner, args.id),
      dryRun: flags['dry-run'],
      facts: {
        operation: `delete payment method ${args.id}`,
        party: [owner.label, owner.id],
        details: ownerDetails(context, owner),
      },
      noun: 'payment method',
      id: args.id,
      done: 'was deleted',
      checkedBy,
    });
    if (sent.dryRun) return sent.dryRun;
    const deleted = isGone(context, sent.result, {named, checkedBy});
    if (deleted) context.out.text(`Deleted ${named}.`);
    return {id: args.id, deleted, [`${owner.label}_id`]: owner.id};
  }
}
