import {Flags} from '@oclif/core';
import {GOALS} from '../../batch/follow/counts.ts';
import {MAX_IN_FLIGHT} from '../../batch/speed/speed.ts';
import {RemitError} from '../../errors.ts';
import {NUMBER_FORMATS} from '../../money/amount.ts';
import {keysOf} from '../../narrow.ts';
import {inGroup, rarely} from '../input/flags.ts';
import {count, duration} from '../input/global-flags.ts';

/** Where a command stores things that a team does not share through a database. */
const folderFlag = inGroup('OUTPUT', {
  'state-dir': Flags.string({
    helpValue: 'FOLDER',
    description: 'state folder; a team shares one',
  }),
});

/** Where batches are stored; every verb takes it. */
export const stateDirFlag = {
  ...inGroup('OUTPUT', {
    state: Flags.string({
      helpValue: 'URL',
      description: 'database of a team, as postgres://HOST/DATABASE',
    }),
  }),
  ...folderFlag,
};

/** How to read a file. */
export const readFlags = {
  ...rarely('', {
    namespace: Flags.string({
      helpValue: 'NAME',
      description: 'namespace where references are unique (default: default)',
    }),
  }),
  ...inGroup('INPUT FORMAT', {
    sheet: Flags.string({
      helpValue: 'NAME',
      description: 'sheet to read, if the workbook (.xlsx) has several',
    }),
    map: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'reference=Invoice',
      description: 'read this field from the column with this header',
    }),
    payees: Flags.string({
      aliases: ['payers'],
      helpValue: 'FILE',
      description: 'ids from an import, for a column payee_reference or payer_reference',
    }),
    currency: Flags.string({helpValue: 'USD', description: 'currency of rows without one'}),
    'valid-only': Flags.boolean({description: 'leave out rows with errors'}),
  }),
  ...rarely('INPUT FORMAT', {
    'ignore-column': Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'HEADER',
      description: 'ignore this column; its values are not stored',
    }),
    'amount-unit': Flags.option({
      options: ['major', 'minor'] as const,
      description: 'unit of amounts without a decimal point',
    })(),
    'number-format': Flags.option({
      options: keysOf(NUMBER_FORMATS),
      helpValue: 'FORMAT',
      description: 'how amounts are written, such as 1.234,56 (default: detected)',
    })(),
  }),
};

/** What to plan, and how to read it. */
export const inputFlags = {
  'batch-id': Flags.string({
    helpValue: 'NAME',
    description: "batch id (default: from the file's name and content)",
  }),
  ...readFlags,
};

/** What a script states instead of a person's yes. */
export const confirmFlags = inGroup('CONFIRMATION', {
  'confirm-total': Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'USD=1500.75',
    description: 'expected total; repeat it for each currency',
  }),
  'confirm-count': count(0, 1_000_000_000)({description: 'expected number of rows'}),
});

/** How a batch is run. */
export const runFlags = {
  ...rarely('SPEED', {
    'max-rps': count(1, 100_000)({description: 'maximum requests per second (default 50 while following)'}),
    'max-in-flight': count(1, MAX_IN_FLIGHT)({description: 'maximum concurrent requests (default 1024)'}),
    'max-wait': duration({description: 'longest Retry-After to wait for (default 15m)'}),
  }),
  ...rarely('RECOVERY', {
    'wait-lock': duration({
      description: 'wait up to this long for another batch in this state folder (default: refuse)',
    }),
    'key-horizon': duration({
      description:
        'how long to trust the service to remember a key (default 24h, or keys.horizon of the service file)',
    }),
    approval: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'FILE',
      description: 'approval that was sent as a file',
    }),
    'break-lock': Flags.boolean({description: 'take over a lock whose process is known to be dead'}),
  }),
  ...inGroup('OUTPUT', {
    out: Flags.string({
      helpValue: 'FOLDER',
      description: 'folder for the results (default: next to the input)',
    }),
  }),
};

/** Which accepted rows to follow, and for how long. */
export const followFlags = {
  until: Flags.option({
    options: GOALS,
    description: 'follow accepted rows until this status',
  })(),
  timeout: duration({
    description: 'with --until: stop following after this time (default 10m)',
    dependsOn: ['until'],
  }),
};

/** `--map reference=Invoice --map party=Payee` -> `{reference: 'Invoice', …}`. */
export function readMapping(pairs: readonly string[] | undefined): Record<string, string> {
  const mapping: Record<string, string> = {};
  for (const pair of pairs ?? []) {
    const at = pair.indexOf('=');
    const [name, header] = [columnOf(pair.slice(0, at).trim()), pair.slice(at + 1).trim()];
    if (at < 1 || header === '')
      throw new RemitError('USAGE', `--map ${pair} is not of the form COLUMN=HEADER`, {
        hint: 'such as --map reference="Invoice No"',
      });
    if (Object.hasOwn(mapping, name)) throw new RemitError('USAGE', `--map names ${name} twice`);
    mapping[name] = header;
  }
  return mapping;
}

/** A metadata key is sent exactly as typed. */
const columnOf = (typed: string): string =>
  typed.replace(/^metadata\./i, 'metadata.').replace(/^(?!metadata\.).*/, (name) => name.toLowerCase());

/**
 * `--confirm-total USD=1500.75` -> `{USD: '1500.75'}`.
 * @param currencies those of the batch, for a total that names none
 */
export function readTotals(
  pairs: readonly string[] | undefined,
  currencies: readonly string[],
): Record<string, string> | undefined {
  if (pairs === undefined || pairs.length === 0) return undefined;
  const totals: Record<string, string> = {};
  for (const pair of pairs) {
    const [, currency, total] = /^([A-Z]{3})=(\d+(?:\.\d+)?)$/.exec(pair.trim()) ?? [];
    if (currency === undefined || total === undefined)
      throw new RemitError('USAGE', `--confirm-total ${pair} is not of the form USD=1500.75`, {
        hint:
          currencies.length > 0 && /^\d+(\.\d+)?$/.test(pair)
            ? `write ${currencies.map((known) => `--confirm-total ${known}=${pair}`).join(' or ')}`
            : 'major units, no grouping',
      });
    if (Object.hasOwn(totals, currency))
      throw new RemitError('USAGE', `--confirm-total names ${currency} twice`);
    totals[currency] = total;
  }
  return totals;
}
