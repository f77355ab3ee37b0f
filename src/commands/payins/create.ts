import {Flags} from '@oclif/core';
import {amountOfFlags} from '../../cli/input/amounts.ts';
import {RemitCommand} from '../../cli/core/command.ts';
import {amountFlags, createFlags, inGroup, requestFlags, waitFlags} from '../../cli/input/flags.ts';
import {readMetadata} from '../../cli/input/metadata.ts';
import {PAYIN} from '../../cli/resources/money/transfer-kinds.ts';
import {createMoney} from '../../cli/resources/money/writes.ts';

const EXAMPLE =
  '<%= config.bin %> payins create --payer 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11 --amount 125.00 --currency USD';

export default class PayinsCreate extends RemitCommand {
  static override summary = 'Create a payin: collect money from a payer by ACH debit';
  static override examples = [
    EXAMPLE,
    '<%= config.bin %> payins create --payer ID --amount-minor 12500 --rail same_day_ach --auto-approve --wait',
  ];
  static override flags = {
    payer: Flags.string({
      required: true,
      helpValue: 'ID',
      description: 'payer to debit; at a terminal also a name',
    }),
    ...amountFlags,
    rail: Flags.string({helpValue: 'RAIL', description: 'standard_ach or same_day_ach'}),
    'payment-method': Flags.string({
      helpValue: 'ID',
      description: "payment method to use instead of the payer's default",
    }),
    ...createFlags,
    ...inGroup('WAIT', waitFlags),
    ...requestFlags,
  };

  async run() {
    const {flags} = await this.parseWithData(PayinsCreate);
    const amount = amountOfFlags(flags);
    const body = {
      payer_id: flags.payer,
      amount_in_minor_units: amount.wire,
      currency_code: flags.currency,
      rail: flags.rail,
      payment_method_id: flags['payment-method'],
      subaccount_id: flags.subaccount,
      scheduled_date: flags['scheduled-date'],
      metadata: readMetadata(flags.metadata),
      auto_approve: flags['auto-approve'] || undefined,
    };
    const request = {body, amount, flags, typed: this.typed};
    return this.conclude(await createMoney(await this.open(), PAYIN, request));
  }
}
