import {RemitCommand} from '../../cli/core/command.ts';
import {dryRunFlags, ownerFlags} from '../../cli/input/flags.ts';
import {idArg} from '../../cli/input/global-flags.ts';
import {findMethod, methodWrite, readOwner} from '../../cli/resources/payment-methods.ts';
import {write} from '../../cli/write/write.ts';
import {paymentMethodView} from '../../output/views/parties.ts';

export default class PaymentMethodsSetDefault extends RemitCommand {
  static override summary = 'Make a verified payment method the default';
  static override args = {id: idArg('payment method')};
  static override examples = ['<%= config.bin %> payment-methods set-default ID --payee ID'];
  static override flags = {...ownerFlags, ...dryRunFlags};

  async run() {
    const {args, flags} = await this.parse(PaymentMethodsSetDefault);
    const owner = readOwner(flags);
    const context = await this.open();
    const operation = `make payment method ${args.id} the default`;
    const outcome = await write(context, {
      ...methodWrite(context, owner, args.id, {verb: 'setDefault', operation}),
      ...{dryRun: flags['dry-run'], done: 'was made the default', leaves: {is_default: true}},
      read: async () => (await findMethod(context, owner, args.id)) ?? {},
      view: paymentMethodView,
    });
    return this.conclude(outcome);
  }
}
