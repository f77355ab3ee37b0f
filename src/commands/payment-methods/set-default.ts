import {RemitCommand} from '../../cli/core/command.ts';
import {dryRunFlags, ownerFlags} from '../../cli/input/flags.ts';
import {idArg} from '../../cli/input/global-flags.ts';
import {ownerDetails} from '../../cli/write/who.ts';
import {findMethod, methodOperation, methodParams, readOwner} from '../../cli/resources/payment-methods.ts';
import {requireId} from '../../cli/resources/names.ts';
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
    requireId(context, owner.label, owner.id);
    const outcome = await write(context, {
      operation: methodOperation(owner, 'setDefault'),
      params: methodParams(owner, args.id),
      dryRun: flags['dry-run'],
      facts: {
        operation: `make payment method ${args.id} the default`,
        party: [owner.label, owner.id],
        details: ownerDetails(context, owner),
      },
      noun: 'payment method',
      id: args.id,
      done: 'was made the default',
      leaves: {is_default: true},
      checkedBy: ['payment-methods', 'list', `--${owner.label}`, owner.id],
      read: async () => (await findMethod(context, owner, args.id)) ?? {},
      view: paymentMethodView,
    });
    return this.conclude(outcome);
  }
}
