import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import type {Context} from '../../cli/core/context.ts';
import {done} from '../../cli/core/outcome.ts';
import {bodyFlags, currencyFlag, inGroup, ownerFlags} from '../../cli/input/flags.ts';
import {count} from '../../cli/input/global-flags.ts';
import {ownerDetails} from '../../cli/write/who.ts';
import {methodOperation, methodParams, readOwner} from '../../cli/resources/payment-methods.ts';
import {
  accountText,
  type BankAccount,
  type BankFlags,
  readBankAccount,
} from '../../cli/resources/bank-account.ts';
import {requireId} from '../../cli/resources/names.ts';
import {write} from '../../cli/write/write.ts';
import {readNumber} from '../../cli/write/sensitive-numbers.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';
import {hasCardExpired} from '../../contract/card-number.ts';
import {marketOf} from '../../contract/markets.ts';
import {EXIT, RemitError} from '../../errors.ts';
import {paymentMethodView} from '../../output/views/parties.ts';

export default class PaymentMethodsAdd extends RemitCommand {
  static override summary = 'Add a bank account or card to a payee, or a bank account to a payer';
  static override description =
    'The account or card number is read from a hidden prompt or --number-file. As a flag it needs a test key, since other users of the machine can see arguments.';
  static override examples = [
    "<%= config.bin %> payment-methods add --payee ID --type bank_account --routing-number 021000021 --holder-name 'Acme Ltd' --default",
    '<%= config.bin %> payment-methods add --payee ID --country DE --number-file iban.txt',
    '<%= config.bin %> payment-methods add --payee ID --type card --exp-month 4 --exp-year 2031',
  ];
  static override flags = {
    ...ownerFlags,
    type: Flags.string({
      options: ['bank_account', 'card'],
      default: 'bank_account',
      description: 'a card can only be that of a payee',
    }),
    country: Flags.string({default: 'US', helpValue: 'CC', description: 'country, ISO 3166-1 alpha-2'}),
    currency: currencyFlag({
      description: 'currency, ISO 4217 (default: that of the country)',
    }),
    default: Flags.boolean({
      description: 'make it the default, if it is verified at once',
    }),
    'number-file': Flags.string({
      helpValue: 'FILE',
      description: 'file with the account or card number, - for stdin',
      exclusive: ['account-number', 'card-number'],
    }),
    ...inGroup('BANK ACCOUNT', {
      'holder-name': Flags.string({helpValue: 'NAME', description: 'holder of the bank account'}),
      'account-number': Flags.string({
        helpValue: 'NUMBER',
        description: 'account number, IBAN or CLABE (test keys only)',
      }),
      'routing-number': Flags.string({helpValue: 'DIGITS', description: 'US: routing number, 9 digits'}),
      field: Flags.string({
        ...{multiple: true, multipleNonGreedy: true, helpValue: 'NAME=VALUE'},
        description: 'other countries: a field, such as sort_code; @FILE reads it',
      }),
      'account-type': Flags.string({
        options: ['checking', 'savings'],
        description: 'US: type of the bank account (default checking)',
      }),
    }),
    ...inGroup('CARD', {
      'exp-month': count(1, 12)({helpValue: 'MM', description: 'expiry month'}),
      'exp-year': count(2000, 2100)({helpValue: 'YYYY', description: 'expiry year'}),
      'card-number': Flags.string({helpValue: 'DIGITS', description: 'card number (test keys only)'}),
    }),
    ...bodyFlags,
  };

  async run() {
    const {flags} = await this.parseWithData(PaymentMethodsAdd);
    const owner = readOwner(flags);
    const context = await this.open();
    requireId(context, owner.label, owner.id);
    const {type} = flags;
    const country = flags.country.toUpperCase();
    const method = {
      type,
      country_code: country,
      currency_code: flags.currency ?? currencyOf(country),
      is_default: flags.default || undefined,
    };
    const [details, shown, last4] =
      type === 'card' ? await this.#card(context, flags) : await this.#bankAccount(context, country, flags);
    const body = {...method, ...details};
    const noun = type.replace('_', ' ');
    const outcome = await write(context, {
      operation: methodOperation(owner, 'add'),
      params: methodParams(owner),
      body,
      dryRun: flags['dry-run'],
      facts: {
        operation: `add a ${noun} to a ${owner.label}`,
        party: [owner.label, owner.id],
        details: ownerDetails(context, owner, ['adds', `${noun} ${shown}`]),
      },
      noun: 'payment method',
      done: 'was added',
      reportsWarning: true,
      shows: (status) => ({
        ...method,
        ...{[`${owner.label}_id`]: owner.id, last4},
        is_default: status === 202 || status === 207 ? undefined : method.is_default, // not yet, or as the warning says
      }),
      checkedBy: ['payment-methods', 'list', `--${owner.label}`, owner.id],
      show: ({result: {data, status, warning}}) => {
        const {out, commands} = context;
        out.record(data, paymentMethodView);
        if (hasNoRail(data)) {
          const refused = owner.label === 'payee' ? 'payouts to it' : 'payins from it';
          out.warn(
            `no rail of the service supports this payment method (${country}), so ${refused} are refused`,
          );
        }
        if (status !== 207) return done(data);
        out.warn(warning ?? 'the payment method was added, but not made the default');
        const {id} = data;
        if (flags.default && id !== undefined) {
          out.note('When it is verified, make it the default with:');
          out.hint(commands.write('payment-methods', 'set-default', id, `--${owner.label}`, owner.id));
        }
        return {data, exitCode: EXIT.PARTIAL};
      },
    });
    return this.conclude(outcome);
  }

  async #card(
    context: Context,
    flags: {
      'number-file'?: string | undefined;
      'card-number'?: string | undefined;
      'exp-month'?: number | undefined;
      'exp-year'?: number | undefined;
    },
  ) {
    const expiry = {
      exp_month: required(flags['exp-month'], '--exp-month'),
      exp_year: required(flags['exp-year'], '--exp-year'),
    };
    if (hasCardExpired(expiry, context.clock.now()))
      throw new RemitError(
        'LOCAL_VALIDATION',
        `--exp-month and --exp-year: a card that is valid to ${expiry.exp_month}/${expiry.exp_year} has expired`,
      );
    const card = {
      number: await readNumber(context, {
        ...{question: 'Card number', flag: '--card-number'},
        ...{given: flags['card-number'], file: flags['number-file']},
        prompted: this.prompted('card-number'),
      }),
      ...expiry,
    };
    return [{card}, cardText(card), card.number.slice(-4)] as const;
  }

  async #bankAccount(context: Context, country: string, flags: BankFlags) {
    const prompted = this.prompted('account-number');
    const promptedFields = this.promptedFields();
    const account = await readBankAccount(context, country, {flags, prompted, promptedFields});
    return [{bank_account: account}, accountText(country, account), lastFour(account)] as const;
  }
}

/** Whether it can be verified and still not be paid; unknown if the answer has no rails. */
const hasNoRail = ({supported_rails: rails}: ServiceRecord): boolean => rails?.length === 0;

/** `…4242, expires 4/2031`. */
const cardText = ({
  number,
  exp_month,
  exp_year,
}: {
  number: string;
  exp_month: number;
  exp_year: number;
}): string => `…${number.slice(-4)}, expires ${exp_month}/${exp_year}`;

/**
 * Undefined for an IBAN or CLABE, which may end otherwise than the account number, and for a short number, of which a
 * service may show less.
 */
const lastFour = ({account_number: number = ''}: BankAccount): string | undefined =>
  number.length < 8 ? undefined : number.slice(-4);

function required<T>(value: T | undefined, flag: string): T {
  if (value === undefined) throw new RemitError('USAGE', `${flag} is needed for a card`);
  return value;
}

function currencyOf(country: string): string {
  const market = marketOf(country);
  if (market === undefined)
    throw new RemitError('USAGE', `--currency is needed: remit does not know the currency of ${country}`);
  return market.currency;
}
