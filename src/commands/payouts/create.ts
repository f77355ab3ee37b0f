import {Flags} from '@oclif/core';
import {amountOfFlags} from '../../cli/input/amounts.ts';
import {RemitCommand} from '../../cli/core/command.ts';
import {amountFlags, createFlags, inGroup, requestFlags, waitFlags} from '../../cli/input/flags.ts';
import {readMetadata} from '../../cli/input/metadata.ts';
import {PAYOUT} from '../../cli/resources/money/transfer-kinds.ts';
import {createMoney} from '../../cli/resources/money/writes.ts';

const EXAMPLE =
  '<%= config.bin %> payouts create --payee 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11 --amount 125.00 --currency USD';

export default class PayoutsCreate extends RemitCommand {
  static override summary = 'Create a payout: send money to a payee';
  static override examples = [
    EXAMPLE,
    '<%= config.bin %> payouts create --payee ID --amount-minor 12500 --rail same_day_ach --auto-approve --wait',
  ];
  static override flags = {
    payee: Flags.string({
      required: true,
      helpValue: 'ID',
      description: 'payee to pay; at a terminal also a name',
    }),
    ...amountFlags,
    rail: Flags.string({
      helpValue: 'RAIL',
      description: 'instant_bank, same_day_ach, standard_ach, wire; cards: instant_card',
    }),
    'payment-method': Flags.string({
      helpValue: 'ID',
      description: "payment method to use instead of the payee's default",
    }),
    ...createFlags,
    ...inGroup('WAIT', waitFlags),
    ...requestFlags,
  };

  async run() {
    const {flags} = await this.parseWithData(PayoutsCreate);
    const amount = amountOfFlags(flags);
    const body = {
      payee_id: flags.payee,
      amount_in_minor_units: amount.wire,
      currency_code: flags.currency,
      rail: flags.rail,
      override_default_payment_method_id: flags['payment-method'],
      subaccount_id: flags.subaccount,
      scheduled_date: flags['scheduled-date'],
      metadata: readMetadata(flags.metadata),
      auto_approve: flags['auto-approve'] || undefined,
    };
    const request = {body, amount, flags, typed: this.typed};
    return this.conclude(await createMoney(await this.open(), PAYOUT, request));
  }
}
