import {RemitCommand} from '../../cli/core/command.ts';
import {dryRunFlags, ownerFlags} from '../../cli/input/flags.ts';
import {idArg} from '../../cli/input/global-flags.ts';
import {ownerDetails} from '../../cli/write/who.ts';
import {methodOperation, methodParams, readOwner} from '../../cli/resources/payment-methods.ts';
import {requireId} from '../../cli/resources/names.ts';
import {showDeleted, write, type Write} from '../../cli/write/write.ts';

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
    const asked: Write = {
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
      checkedBy: ['payment-methods', 'list', `--${owner.label}`, owner.id],
    };
    const named = `payment method ${args.id} of ${owner.label} ${owner.id}`;
    const show = showDeleted(context, named, asked, {[`${owner.label}_id`]: owner.id});
    return this.conclude(await write(context, {...asked, show}));
  }
}
