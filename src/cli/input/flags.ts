import {Args, Flags, type Interfaces} from '@oclif/core';
import {ACCOUNT_TRANSFER_STATUSES, TRANSFER_STATUSES} from '../../contract/lifecycle.ts';
import {LIMITS} from '../../contract/limits.ts';
import {FORMATS} from '../../output/formats.ts';
import {RemitError} from '../../errors.ts';
import {parseDuration} from './durations.ts';
import {nearest} from '../../output/nearest.ts';

/** Flags that several commands share, said once so that they read and behave the same everywhere. */

const GLOBAL = 'GLOBAL';

/** A whole number; oclif's own integer accepts 1e20 and rounds it. */
export const count = (min: number, max: number) =>
  Flags.custom<number>({
    helpValue: 'N',
    parse: async (text, _context, flag) => {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      if (value >= min && value <= max) return value;
      throw new RemitError(
        'USAGE',
        `--${flag.name} ${JSON.stringify(text)} is not a whole number from ${min} to ${max}`,
      );
    },
  });

/** A time such as `90s` or `15m`, in milliseconds. */
export const duration = Flags.custom<number>({
  helpValue: 'TIME',
  parse: async (text, _context, flag) => parseDuration(text, `--${flag.name}`),
});

/** Every command has these, before or after its name. Environment and files are read in `settings.ts`, not here. */
export const globalFlags = {
  profile: Flags.string({char: 'p', helpGroup: GLOBAL, helpValue: 'NAME', description: 'profile to use'}),
  output: Flags.string({
    char: 'o',
    helpGroup: GLOBAL,
    options: [...FORMATS],
    helpValue: 'FORMAT',
    description: FORMATS.join(', '),
  }),
  json: Flags.boolean({helpGroup: GLOBAL, description: 'same as -o json', exclusive: ['output']}),
  fields: Flags.string({helpGroup: GLOBAL, helpValue: 'a,b.c', description: 'show only these fields'}),
  query: Flags.string({helpGroup: GLOBAL, helpValue: 'JMESPATH', description: 'reshape the result'}),
  quiet: Flags.boolean({char: 'q', helpGroup: GLOBAL, description: 'no progress, notes or hints'}),
  'no-color': Flags.boolean({helpGroup: GLOBAL, description: 'no colour'}),
  debug: Flags.boolean({helpGroup: GLOBAL, description: 'show redacted HTTP on stderr'}),
  'request-timeout': duration({helpGroup: GLOBAL, description: 'longest time for one request'}),
  retries: count(0, 20)({helpGroup: GLOBAL, description: 'attempts after the first'}),
  live: Flags.boolean({helpGroup: GLOBAL, description: 'allow a write with a live key'}),
  yes: Flags.boolean({char: 'y', helpGroup: GLOBAL, description: 'do not ask'}),
};

export type GlobalFlags = Interfaces.InferredFlags<typeof globalFlags>;

export const idArg = (noun: string) => Args.string({required: true, description: `${noun} id (UUID)`});

export const accountArg = Args.string({required: true, description: 'treasury account id (UUID)'});

/** Lists. */
export const listFlags = {
  limit: count(1, 1_000_000_000)({description: 'how many in all (default 50)'}),
  all: Flags.boolean({description: 'every one there is', exclusive: ['limit']}),
  'page-size': count(LIMITS.pageSizeMin, LIMITS.pageSizeMax)({description: 'how many a request'}),
  cursor: Flags.string({helpValue: 'CURSOR', description: 'where an earlier list stopped'}),
  order: Flags.option({
    options: ['asc', 'desc'] as const,
    description: 'oldest or newest first (default desc)',
  })(),
};

/** A status to wait for. One that no record can have is refused here: found out after a write, it is paid again. */
const until = (statuses: readonly string[]) =>
  Flags.custom<string>({
    helpValue: 'STATUS',
    description: 'wait until it has this status',
    parse: async (text) => {
      if (statuses.includes(text)) return text;
      const near = nearest(text.toLowerCase(), statuses);
      throw new RemitError(
        'USAGE',
        `--until ${JSON.stringify(text)} is not a status of these; they are ${statuses.join(', ')}`,
        {hint: near === undefined ? undefined : `did you mean --until ${near}?`},
      );
    },
  })();

/** Commands that can wait for a record to get somewhere. */
export const waitFlags = {
  wait: Flags.boolean({description: 'wait until it is settled, failed or canceled'}),
  until: until(TRANSFER_STATUSES),
  timeout: duration({description: 'how long to wait (default 10m)'}),
};

/** Account transfers end in two ways only. */
export const accountTransferWaitFlags = {
  ...waitFlags,
  wait: Flags.boolean({description: 'wait until it is settled or failed'}),
  until: until(ACCOUNT_TRANSFER_STATUSES),
};

/** Webhook endpoints. */
export const eventTypesFlag = Flags.custom<string[]>({
  helpValue: 'TYPE,…',
  description: 'as webhooks event-types lists them',
  parse: async (text) =>
    text
      .split(',')
      .map((type) => type.trim())
      .filter((type) => type !== ''),
});

/** Writes. */
export const dryRunFlag = Flags.boolean({description: 'show the request, send nothing'});

export const amountFlags = {
  amount: Flags.string({
    helpValue: '125.00',
    description: 'in major units; needs --currency',
    exclusive: ['amount-minor'],
  }),
  'amount-minor': Flags.string({helpValue: '12500', description: 'in minor units'}),
  currency: Flags.string({helpValue: 'CCY', description: "ISO 4217 (default: the source account's)"}),
};

/** Approvals and cancellations: only for a service whose records name no amount. */
export const statedAmountFlags = {
  amount: Flags.string({
    helpValue: '125.00',
    description: 'amount to check against caps if the record names none',
    dependsOn: ['currency'],
  }),
  currency: Flags.string({helpValue: 'CCY', description: 'currency of --amount', dependsOn: ['amount']}),
};

const metadataFlag = Flags.string({
  multiple: true,
  multipleNonGreedy: true,
  helpValue: 'KEY=VALUE',
  description: 'may be repeated',
});

/** What creating a payin and creating a payout share besides party, amount and method. */
export const createFlags = {
  subaccount: Flags.string({helpValue: 'ID', description: 'instead of the main account (test only)'}),
  'scheduled-date': Flags.string({
    helpValue: 'YYYY-MM-DD',
    description: 'release on this day, 09:00 New York',
  }),
  metadata: metadataFlag,
  'auto-approve': Flags.boolean({description: 'approve it at once, so that the money moves'}),
  'dry-run': dryRunFlag,
  'idempotency-key': Flags.string({
    helpValue: 'KEY',
    description: 'of this intended action; made and shown when left out',
  }),
};

/** Filters of payin and payout lists (assumption 5). */
export const transferFilters = {
  status: Flags.option({
    options: TRANSFER_STATUSES,
    helpValue: 'STATUS',
    description: TRANSFER_STATUSES.join(', '),
  })(),
  'created-from': Flags.string({helpValue: 'TIME', description: 'ISO 8601, with time zone'}),
  'created-to': Flags.string({helpValue: 'TIME', description: 'ISO 8601, with time zone'}),
};

export const partyFlags = {
  name: Flags.string({required: true, helpValue: 'NAME', description: 'of the person or business'}),
  email: Flags.string({helpValue: 'ADDRESS', description: 'where to reach them'}),
  type: Flags.string({options: ['individual', 'business'], description: 'what they are'}),
  metadata: metadataFlag,
};

export const ownerFlags = {
  payee: Flags.string({helpValue: 'ID', description: 'of this payee', exclusive: ['payer']}),
  payer: Flags.string({helpValue: 'ID', description: 'of this payer'}),
};
