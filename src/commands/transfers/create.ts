import {Flags} from '@oclif/core';
import {ACCOUNT_TRANSFER} from '../../cli/resources/money/account-transfers.ts';
import {createMoney} from '../../cli/resources/money/writes.ts';
import {amountOfFlags} from '../../cli/input/amounts.ts';
import {RemitCommand} from '../../cli/core/command.ts';
import {
  acceptNewFlag,
  accountTransferWaitFlags,
  amountFlags,
  bodyFlags,
  currencyFlag,
  inGroup,
} from '../../cli/input/flags.ts';
import {ACCOUNT_TRANSFER_RAILS} from '../../contract/rails.ts';

const EXAMPLE =
  '<%= config.bin %> transfers create --source ACCOUNT --destination ACCOUNT --amount 125.00 --currency USD --rail book';

export default class TransfersCreate extends RemitCommand {
  static override summary = 'Create an account transfer between two treasury accounts';
  static override examples = [EXAMPLE, `${EXAMPLE} --auto-approve --wait`];
  static override flags = {
    source: Flags.string({
      required: true,
      helpValue: 'ACCOUNT',
      description: 'account to debit; at a terminal also a label',
    }),
    destination: Flags.string({
      required: true,
      helpValue: 'ACCOUNT',
      description: 'account to credit; at a terminal also a label',
    }),
    ...amountFlags,
    currency: currencyFlag({required: true, description: 'currency, ISO 4217'}),
    rail: Flags.string({required: true, helpValue: 'RAIL', description: ACCOUNT_TRANSFER_RAILS.join(', ')}),
    description: Flags.string({helpValue: 'TEXT', description: 'free text description'}),
    'auto-approve': Flags.boolean({description: 'approve it at once, so that money moves'}),
    ...inGroup('WAIT', accountTransferWaitFlags),
    ...bodyFlags,
    ...acceptNewFlag,
  };

  async run() {
    const {flags} = await this.parseWithData(TransfersCreate);
    const amount = amountOfFlags(flags);
    const body = {
      source_account_id: flags.source,
      destination_account_id: flags.destination,
      amount_in_minor_units: amount.wire,
      currency_code: flags.currency,
      rail: flags.rail,
      auto_approve: flags['auto-approve'] || undefined,
      description: flags.description,
    };
    const request = {body, amount, flags, typed: this.typed};
    return this.conclude(await createMoney(await this.open(), ACCOUNT_TRANSFER, request));
  }
}
