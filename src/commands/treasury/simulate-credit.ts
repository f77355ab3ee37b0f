import {Flags} from '@oclif/core';
import {amountOfFlags} from '../../cli/input/amounts.ts';
import {RemitCommand} from '../../cli/core/command.ts';
import {namedAccountArg, acceptNewFlag, amountFlags, bodyFlags, currencyFlag} from '../../cli/input/flags.ts';
import {requireId} from '../../cli/resources/names.ts';
import {refuseForLive} from '../../cli/guard/test-only.ts';
import {done} from '../../cli/core/outcome.ts';
import {write} from '../../cli/write/write.ts';
import {EXIT} from '../../errors.ts';
import {bankTransactionView} from '../../output/views/treasury.ts';

const EXAMPLE = '<%= config.bin %> treasury simulate-credit ACCOUNT --amount 1000.00 --currency USD';

export default class TreasurySimulateCredit extends RemitCommand {
  static override summary = 'Simulate an inbound credit to a SIM account of a test entity';
  static override args = {account: namedAccountArg};
  static override examples = [
    EXAMPLE,
    "<%= config.bin %> treasury simulate-credit ACCOUNT --amount-minor 100000 --counterparty-name 'Acme Ltd'",
  ];
  static override flags = {
    ...amountFlags,
    currency: currencyFlag({description: "ISO 4217 (default: the account's)"}),
    description: Flags.string({helpValue: 'TEXT', description: 'description that the bank reports'}),
    'counterparty-name': Flags.string({helpValue: 'NAME', description: 'name of the sender'}),
    ...bodyFlags,
    ...acceptNewFlag,
  };

  async run() {
    const {args, flags} = await this.parseWithData(TreasurySimulateCredit);
    const amount = amountOfFlags(flags);
    const context = await this.open();
    requireId(context, 'treasury account', args.account);
    const {out, commands} = context;
    refuseForLive(context, 'treasury simulate-credit');
    const checkedBy = ['treasury', 'transactions', args.account, '--limit', '5'];
    const body = {
      amount_in_minor_units: amount.wire,
      currency_code: flags.currency,
      description: flags.description,
      counterparty_name: flags['counterparty-name'],
    };
    const outcome = await write(context, {
      operation: 'treasury.simulateInboundCredit',
      params: {account_id: args.account},
      body,
      dryRun: flags['dry-run'],
      facts: {
        operation: 'simulate an inbound credit',
        party: ['account', args.account],
        amountMinor: amount.minor,
        currency: amount.currency,
      },
      noun: 'bank transaction',
      checkedBy,
      payment: {
        ...{kind: 'bank transaction', party: args.account, source: null, parties: `account ${args.account}`},
        ...{amountMinor: amount.minor, currency: amount.currency ?? null, body},
        ...{accepts: flags.accept ?? [], typed: this.typed},
      },
      show: ({result: {data, status}}) => {
        if (Object.keys(data).length === 0) {
          out.warn('the service accepted the request without a record of the credit');
          out.hint(commands.read(...checkedBy));
          return {data: {account_id: args.account, http_status: status}, exitCode: EXIT.PARTIAL};
        }
        out.record(data, bankTransactionView);
        return done(data);
      },
    });
    return this.conclude(outcome);
  }
}
