import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import type {Context} from '../../cli/core/context.ts';
import {bodyFlags, inGroup, ownerFlags} from '../../cli/input/flags.ts';
import {ownerDetails} from '../../cli/write/who.ts';
import {methodOperation, methodParams, readOwner} from '../../cli/resources/payment-methods.ts';
import {requireId} from '../../cli/resources/names.ts';
import {sendOnce} from '../../cli/write/send-once.ts';
import {readNumber} from '../../cli/write/sensitive-numbers.ts';
import {EXIT, RemitError} from '../../errors.ts';
import {selectedValue} from '../../output/records/select.ts';
import {plainValue} from '../../output/records/view.ts';
import {paymentMethodView} from '../../output/views/parties.ts';

export default class PaymentMethodsAdd extends RemitCommand {
  static override summary = 'Add a bank account or card to a payee, or a bank account to a payer';
  static override description =
    'The account or card number is read from a hidden prompt, or from --number-file. --account-number and --card-number work only with a test key, because other users of the machine can see the arguments of a command.';
  static override examples = [
    "<%= config.bin %> payment-methods add --payee ID --type bank_account --routing-number 021000021 --holder-name 'Acme Ltd' --default",
    '<%= config.bin %> payment-methods add --payee ID --type card --exp-month 4 --exp-year 2031',
  ];
  static override flags = {
    ...ownerFlags,
    type: Flags.string({
      options: ['bank_account', 'card'],
      default: 'bank_account',
      description: 'type; a payer can have only a bank_account',
    }),
    country: Flags.string({default: 'US', helpValue: 'CC', description: 'country, ISO 3166-1 alpha-2'}),
    currency: Flags.string({default: 'USD', helpValue: 'CCY', description: 'currency, ISO 4217'}),
    default: Flags.boolean({
      description: 'make it the default; works only if it is verified at once, else use set-default later',
    }),
    'number-file': Flags.string({
      helpValue: 'FILE',
      description: 'file with the account or card number, - for stdin',
      exclusive: ['account-number', 'card-number'],
    }),
    ...inGroup('BANK ACCOUNT', {
      'routing-number': Flags.string({helpValue: 'DIGITS', description: 'routing number, 9 digits'}),
      'holder-name': Flags.string({helpValue: 'NAME', description: 'holder of the bank account'}),
      'account-type': Flags.string({
        options: ['checking', 'savings'],
        default: 'checking',
        description: 'type of the bank account',
      }),
      'account-number': Flags.string({
        helpValue: 'DIGITS',
        description: 'account number (test keys only)',
      }),
    }),
    ...inGroup('CARD', {
      'exp-month': Flags.integer({min: 1, max: 12, helpValue: 'MM', description: 'expiry month'}),
      'exp-year': Flags.integer({min: 2000, max: 2100, helpValue: 'YYYY', description: 'expiry year'}),
      'card-number': Flags.string({helpValue: 'DIGITS', description: 'card number (test keys only)'}),
    }),
    ...bodyFlags,
  };

  async run() {
    const {flags} = await this.parseWithData(PaymentMethodsAdd);
    const owner = readOwner(flags);
    const context = await this.open();
    requireId(context, owner.label, owner.id);
    const body = {
      type: flags.type,
      country_code: flags.country,
      currency_code: flags.currency,
      is_default: flags.default || undefined,
      ...(flags.type === 'card'
        ? {card: await this.#card(context, flags)}
        : {bank_account: await this.#bankAccount(context, flags)}),
    };
    const noun = flags.type.replace('_', ' ');
    const sent = await sendOnce(context, {
      operation: methodOperation(owner, 'add'),
      params: methodParams(owner),
      body,
      dryRun: flags['dry-run'],
      facts: {
        operation: `add a ${noun} to a ${owner.label}`,
        party: [owner.label, owner.id],
        details: ownerDetails(context, owner, ['adds', `${noun} ${numberText(body)}`]),
      },
      noun: 'payment method',
      done: 'was added',
      reportsWarning: true,
      checkedBy: ['payment-methods', 'list', `--${owner.label}`, owner.id],
    });
    if (sent.dryRun) return sent.dryRun;
    const {out} = context;
    const {data, status, warning} = sent.result;
    out.record(data, paymentMethodView);
    if (status === 207) {
      out.warn(warning ?? 'the payment method was added, but not made the default');
      const id = selectedValue(data, 'id');
      if (flags.default && typeof id === 'string') {
        const next = context.commands.write(
          'payment-methods',
          'set-default',
          id,
          `--${owner.label}`,
          owner.id,
        );
        out.note('When it is verified, make it the default with:');
        out.hint(next);
      }
      this.exitWith(EXIT.PARTIAL);
    }
    return data;
  }

  async #bankAccount(
    context: Context,
    flags: {
      'number-file'?: string | undefined;
      'account-number'?: string | undefined;
      'routing-number'?: string | undefined;
      'account-type': string;
      'holder-name'?: string | undefined;
    },
  ) {
    return {
      account_number: await readNumber(context, {
        ...{question: 'Account number', flag: '--account-number'},
        ...{given: flags['account-number'], file: flags['number-file']},
        prompted: this.prompted('account-number'),
      }),
      routing_number: required(flags['routing-number'], '--routing-number'),
      account_type: flags['account-type'],
      holder_name: required(flags['holder-name'], '--holder-name'),
    };
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
    return {
      number: await readNumber(context, {
        ...{question: 'Card number', flag: '--card-number'},
        ...{given: flags['card-number'], file: flags['number-file']},
        prompted: this.prompted('card-number'),
      }),
      exp_month: required(flags['exp-month'], '--exp-month'),
      exp_year: required(flags['exp-year'], '--exp-year'),
    };
  }
}

/** `…6789, routing number 021000021, holder Acme Ltd`. */
function numberText(body: {
  bank_account?: {account_number: string; routing_number: string; holder_name: string};
  card?: {number: string; exp_month: number; exp_year: number};
}): string {
  const {bank_account: bank, card} = body;
  if (bank !== undefined)
    return `…${bank.account_number.slice(-4)}, routing number ${bank.routing_number}, holder ${plainValue(bank.holder_name)}`;
  return card === undefined
    ? 'not known'
    : `…${card.number.slice(-4)}, expires ${card.exp_month}/${card.exp_year}`;
}

function required<T>(value: T | undefined, flag: string): T {
  if (value === undefined) throw new RemitError('USAGE', `${flag} is needed for this type of payment method`);
  return value;
}
