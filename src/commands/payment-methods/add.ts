import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/command.ts';
import {dryRunFlag, ownerFlags} from '../../cli/flags.ts';
import {methodOperation, methodParams, readOwner} from '../../cli/payment-methods.ts';
import {sendOnce} from '../../cli/send-once.ts';
import {EXIT, RemitError} from '../../errors.ts';
import {paymentMethodView} from '../../output/views/parties.ts';

export default class PaymentMethodsAdd extends RemitCommand {
  static override summary = 'Add a bank account or card to a payee, or a bank account to a payer';
  static override description =
    'The account or card number is asked for, unseen. A flag works too, but other users of the machine can read it.';
  static override examples = [
    "<%= config.bin %> payment-methods add --payee ID --type bank_account --routing-number 021000021 --holder-name 'Acme Ltd' --default",
    '<%= config.bin %> payment-methods add --payee ID --type card --exp-month 4 --exp-year 2031',
  ];
  static override flags = {
    ...ownerFlags,
    type: Flags.string({
      options: ['bank_account', 'card'],
      default: 'bank_account',
      description: 'a payer takes bank_account only',
    }),
    country: Flags.string({default: 'US', helpValue: 'CC', description: 'ISO 3166-1 alpha-2'}),
    currency: Flags.string({default: 'USD', helpValue: 'CCY', description: 'ISO 4217'}),
    default: Flags.boolean({
      description: 'make it the default; only if it is verified at once, else set-default does so later',
    }),
    'account-number': Flags.string({helpValue: 'DIGITS', description: 'asked for when left out'}),
    'routing-number': Flags.string({helpValue: 'DIGITS', description: '9 digits'}),
    'account-type': Flags.string({
      options: ['checking', 'savings'],
      default: 'checking',
      description: 'of a bank account',
    }),
    'holder-name': Flags.string({helpValue: 'NAME', description: 'holder of the bank account'}),
    'card-number': Flags.string({helpValue: 'DIGITS', description: 'asked for when left out'}),
    'exp-month': Flags.integer({min: 1, max: 12, helpValue: 'MM', description: 'of a card'}),
    'exp-year': Flags.integer({min: 2000, max: 2100, helpValue: 'YYYY', description: 'of a card'}),
    'dry-run': dryRunFlag,
  };

  async run() {
    const {flags} = await this.parse(PaymentMethodsAdd);
    const owner = readOwner(flags);
    const context = await this.open();
    const body = {
      type: flags.type,
      country_code: flags.country,
      currency_code: flags.currency,
      is_default: flags.default || undefined,
      ...(flags.type === 'card'
        ? {card: await this.#card(flags)}
        : {bank_account: await this.#bankAccount(flags)}),
    };
    const sent = await sendOnce(context, {
      operation: methodOperation(owner, 'add'),
      params: methodParams(owner),
      body,
      dryRun: flags['dry-run'],
      facts: {operation: `add a ${flags.type} to a ${owner.label}`, party: [owner.label, owner.id]},
      noun: 'payment method',
      done: 'was added',
      checkedBy: ['payment-methods', 'list', `--${owner.label}`, owner.id],
    });
    if (sent.dryRun) return sent.dryRun;
    const {out} = context;
    const {data, status, warning} = sent.result;
    out.record(data, paymentMethodView);
    if (status === 207) {
      out.warn(warning ?? 'the payment method was added, but not made the default');
      this.exitWith(EXIT.PARTIAL);
    }
    return data;
  }

  async #bankAccount(flags: {
    'account-number'?: string | undefined;
    'routing-number'?: string | undefined;
    'account-type': string;
    'holder-name'?: string | undefined;
  }) {
    return {
      account_number: await this.#number(flags['account-number'], 'Account number', '--account-number'),
      routing_number: required(flags['routing-number'], '--routing-number'),
      account_type: flags['account-type'],
      holder_name: required(flags['holder-name'], '--holder-name'),
    };
  }

  async #card(flags: {
    'card-number'?: string | undefined;
    'exp-month'?: number | undefined;
    'exp-year'?: number | undefined;
  }) {
    return {
      number: await this.#number(flags['card-number'], 'Card number', '--card-number'),
      exp_month: required(flags['exp-month'], '--exp-month'),
      exp_year: required(flags['exp-year'], '--exp-year'),
    };
  }

  async #number(given: string | undefined, question: string, flag: string): Promise<string> {
    return (given ?? (await this.runtime.prompts.hidden(`${question}:`, flag))).replace(/[ -]/g, '');
  }
}

function required<T>(value: T | undefined, flag: string): T {
  if (value === undefined) throw new RemitError('USAGE', `${flag} is needed for this type of payment method`);
  return value;
}
