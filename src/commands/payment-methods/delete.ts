import {RemitCommand} from '../../cli/core/command.ts';
import {dryRunFlags, ownerFlags} from '../../cli/input/flags.ts';
import {idArg} from '../../cli/input/global-flags.ts';
import {methodWrite, readOwner} from '../../cli/resources/payment-methods.ts';
import {showDeleted, write} from '../../cli/write/write.ts';

export default class PaymentMethodsDelete extends RemitCommand {
  static override summary = 'Delete a payment method other than the default';
  static override args = {id: idArg('payment method')};
  static override examples = ['<%= config.bin %> payment-methods delete ID --payee ID'];
  static override flags = {...ownerFlags, ...dryRunFlags};

  async run() {
    const {args, flags} = await this.parse(PaymentMethodsDelete);
    const owner = readOwner(flags);
    const context = await this.open();
    const operation = `delete payment method ${args.id}`;
    const asked = {
      ...methodWrite(context, owner, args.id, {verb: 'delete', operation}),
      ...{dryRun: flags['dry-run'], done: 'was deleted'},
    };
    const named = `payment method ${args.id} of ${owner.label} ${owner.id}`;
    const show = showDeleted(context, named, asked, {[`${owner.label}_id`]: owner.id});
    return this.conclude(await write(context, {...asked, show}));
  }
}
