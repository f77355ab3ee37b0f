import {Flags, type Interfaces} from '@oclif/core';
import {ACCOUNT_TRANSFER_STATUSES, TRANSFER_STATUSES} from '../../contract/lifecycle.ts';
import {LIMITS} from '../../contract/limits.ts';
import {RemitError} from '../../errors.ts';
import {count, duration, idArg} from './global-flags.ts';
import {nearest} from '../../nearest.ts';
import {timeBound} from './times.ts';

/** Flags shared by several commands, defined once so that they read and behave the same everywhere. */

/** These flags under their own heading in the help: `SPEED FLAGS`. */
export const inGroup = <T extends object>(helpGroup: string, flags: T): T =>
  Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, {...(flag as object), helpGroup}]),
  ) as T; // the same flags

/** The first word of a group of flags that `--help` only names, and `remit help COMMAND` shows. */
export const MORE = 'MORE';

/** Flags that few people type, in a group of their own: `MORE SPEED FLAGS`. */
export const rarely = <T extends object>(helpGroup: string, flags: T): T =>
  inGroup(`${MORE} ${helpGroup}`.trim(), flags);

/** The values of some flags, each of which may be absent. */
export type FlagValues<Flags> = Partial<Interfaces.InferredFlags<Flags>>;

export const namedAccountArg = idArg('treasury account', 'label');

/** Flags of lists. */
export const listFlags = {
  limit: count(1, 1_000_000_000)({description: 'maximum number of items (default 50)'}),
  all: Flags.boolean({description: 'fetch all items', exclusive: ['limit']}),
  'page-size': count(
    LIMITS.pageSizeMin,
    LIMITS.pageSizeMax,
  )({description: 'maximum items per request (default 100)'}),
  cursor: Flags.string({helpValue: 'CURSOR', description: 'continue from this cursor'}),
  order: Flags.option({
    options: ['asc', 'desc'] as const,
    description: 'sort order by creation time (default desc)',
  })(),
};

/**
 * A status to wait for. An impossible status is refused here: if it were detected after the write, the user might pay
 * again.
 */
const until = (statuses: readonly string[]) =>
  Flags.custom<string>({
    helpValue: 'STATUS',
    description: 'wait until it has this status instead',
    parse: async (text) => {
      if (statuses.includes(text)) return text;
      const near = nearest(text.toLowerCase(), statuses);
      throw new RemitError(
        'USAGE',
        `--until ${JSON.stringify(text)} is not one of the statuses: ${statuses.join(', ')}`,
        {hint: near === undefined ? undefined : `did you mean --until ${near}?`},
      );
    },
  })();

/** Flags of commands that can wait for a record. */
export const waitFlags = {
  wait: Flags.boolean({description: 'wait until it is settled, failed or canceled'}),
  until: until(TRANSFER_STATUSES),
  timeout: duration({description: 'how long to wait (default 10m)'}),
};

/** Account transfers have only two final statuses. */
export const accountTransferWaitFlags = {
  ...waitFlags,
  wait: Flags.boolean({description: 'wait until it is settled or failed'}),
  until: until(ACCOUNT_TRANSFER_STATUSES),
};

/** Flags of webhook endpoints. */
export const eventTypesFlag = Flags.custom<string[]>({
  helpValue: 'TYPE,…',
  description: 'event types, as listed by `webhooks event-types`',
  parse: async (text) =>
    text
      .split(',')
      .map((type) => type.trim())
      .filter((type) => type !== ''),
});

/** Flags of writes. */
export const dryRunFlag = Flags.boolean({description: 'show the request, send nothing'});
export const dryRunFlags = {
  'dry-run': dryRunFlag,
  curl: Flags.boolean({description: 'with --dry-run: show it as a curl command', dependsOn: ['dry-run']}),
};

/** Flags of writes with a body; parse them with `parseWithData`. */
export const bodyFlags = inGroup('REQUEST', {
  data: Flags.string({
    helpValue: 'JSON',
    description: 'fields of the body: JSON, @file, or - for stdin; other flags take precedence',
  }),
  ...dryRunFlags,
});

/** Without ids it accepts nothing, so that the refusal names them: an acceptance covers only doubts that were seen. */
function readAcceptedPayments(text: string): readonly string[] {
  const [, ids = ''] = /^new-payment(?:=([0-9a-f]{8}(?:,[0-9a-f]{8})*))?$/.exec(text) ?? [];
  if (ids === '' && text !== 'new-payment')
    throw new RemitError(
      'USAGE',
      `--accept ${text}: it takes new-payment=ID, or several ids: new-payment=ID,ID`,
      {
        hint: 'type the command without --accept; if a payment is in doubt, it prints the flag with its id',
      },
    );
  return ids === '' ? [] : ids.split(',');
}

/** Creates that could pay twice. */
export const acceptNewFlag = inGroup('REQUEST', {
  accept: Flags.custom<readonly string[]>({
    helpValue: 'new-payment=ID',
    description: 'send it although this earlier, equal payment is in doubt; the refusal prints the ID',
    parse: async (text) => readAcceptedPayments(text),
  })(),
});

/** A code in any case, as in files. */
export const currencyFlag = Flags.custom<string>({
  helpValue: 'CCY',
  parse: async (text) => (/^[a-z]{3}$/i.test(text) ? text.toUpperCase() : text),
});

export const amountFlags = {
  amount: Flags.string({
    helpValue: '125.00',
    description: 'amount in major units; needs --currency',
    exclusive: ['amount-minor'],
  }),
  'amount-minor': Flags.string({helpValue: '12500', description: 'amount in minor units'}),
  currency: currencyFlag({
    description: "currency, ISO 4217 (default: the source account's)",
  }),
};

/** Flags for approvals and cancellations, if the service's records contain no amount. */
export const statedAmountFlags = {
  amount: Flags.string({
    helpValue: '125.00',
    description: 'amount you expect: refused if the record has another, checked against caps if it has none',
    dependsOn: ['currency'],
  }),
  currency: currencyFlag({description: 'currency of --amount', dependsOn: ['amount']}),
};

const metadataFlag = Flags.string({
  multiple: true,
  multipleNonGreedy: true,
  helpValue: 'KEY=VALUE',
  description: 'metadata; may be repeated',
});

/** Flags shared by creating payins and payouts, besides party, amount and method. */
export const createFlags = {
  subaccount: Flags.string({
    helpValue: 'ID',
    description: 'subaccount to use instead of the main account (test keys only); at a terminal also a name',
  }),
  'scheduled-date': Flags.string({
    helpValue: 'YYYY-MM-DD',
    description: 'release on this day at 09:00 New York time',
  }),
  metadata: metadataFlag,
  'auto-approve': Flags.boolean({description: 'approve it at once, so that money moves'}),
};

/** How the request of a payin or payout is sent. */
export const requestFlags = inGroup('REQUEST', {
  'idempotency-key': Flags.string({
    helpValue: 'KEY',
    description: 'idempotency key for this payment; generated and printed if omitted',
  }),
  ...bodyFlags,
  ...acceptNewFlag,
});

/** Filters of payin and payout lists (assumption 5). */
export const transferFilters = {
  status: Flags.option({
    options: TRANSFER_STATUSES,
    helpValue: 'STATUS',
    description: `only this status: ${TRANSFER_STATUSES.join(', ')}`,
  })(),
  'created-from': timeBound('00:00:00Z')({
    description: 'created at or after this time (ISO 8601 with time zone), or on or after this date (UTC)',
  }),
  'created-to': timeBound('23:59:59.999Z')({
    description: 'created at or before this time (ISO 8601 with time zone), or on or before this date (UTC)',
  }),
};

export const partyFlags = {
  name: Flags.string({required: true, helpValue: 'NAME', description: 'name of the person or business'}),
  email: Flags.string({helpValue: 'ADDRESS', description: 'email address'}),
  type: Flags.string({options: ['individual', 'business'], description: 'individual or business'}),
  metadata: metadataFlag,
};

/** Flags of changes to a payee or payer. */
export const partyChangeFlags = {
  ...partyFlags,
  name: Flags.string({helpValue: 'NAME', description: 'new name of the person or business'}),
  metadata: Flags.string({
    ...{multiple: true, multipleNonGreedy: true, helpValue: 'KEY=VALUE'},
    description: 'metadata that replaces all of the old; may be repeated',
  }),
};

export const ownerFlags = {
  payee: Flags.string({
    helpValue: 'ID',
    description: 'its payee, by id or at a terminal by name (or --payer)',
    exclusive: ['payer'],
  }),
  payer: Flags.string({
    helpValue: 'ID',
    description: 'its payer, by id or at a terminal by name (or --payee)',
  }),
};
