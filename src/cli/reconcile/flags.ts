import {Flags} from '@oclif/core';
import {RemitError} from '../../errors.ts';
import {STATEMENT_FORMATS} from '../../reconcile/statement/file/statement.ts';
import type {FeeRule} from '../../reconcile/model/options.ts';
import {addDays, dayAt} from '../../sandbox/time/schedule.ts';
import {readFee} from './match-options.ts';

/** Long enough for returns, which may come 60 days later. */
const DEFAULT_DAYS = 90;

const day = Flags.custom<string>({
  helpValue: 'YYYY-MM-DD',
  parse: async (text, _context, {name}) => {
    const ms = Date.parse(`${text}T00:00:00Z`);
    if (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text))
      return text;
    throw new RemitError('USAGE', `--${name} ${JSON.stringify(text)} is not a day`, {
      hint: `write it like --${name} 2026-11-30`,
    });
  },
});

export const reconcileFlags = {
  account: Flags.string({
    required: true,
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'ID',
    description: 'treasury account, or at a terminal its label; repeatable',
  }),
  from: day({description: `first day, in New York (default: ${DEFAULT_DAYS} days before --to)`}),
  to: day({description: 'last day, in New York (default: today)'}),
  batch: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'NAME',
    description: 'show only findings about payments of this batch',
  }),
  fee: Flags.custom<FeeRule>({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'RAIL=AMOUNT',
    description:
      "fee that the bank takes from a line, such as 'wire=25.00 USD' or instant_card=1.5%; without RAIL= on every rail; repeatable",
    parse: async (text) => readFee(text),
  })(),
  statement: Flags.string({
    helpValue: 'FILE',
    description: "a bank's statement of the account, as a second witness",
  }),
  format: Flags.option({
    options: STATEMENT_FORMATS,
    helpValue: 'FORMAT',
    description: `${STATEMENT_FORMATS.join(', ')} (default: detected)`,
    dependsOn: ['statement'],
  })(),
};

export const reconcileFileFlags = {
  html: Flags.string({helpValue: 'FILE', description: 'also write a page for an accountant'}),
  ledger: Flags.string({
    helpValue: 'FILE',
    description: 'also write a journal: FILE.journal or FILE.beancount',
  }),
  'resolve-file': Flags.string({
    helpValue: 'FILE',
    description: 'also write the rows in doubt that the bank has paid, for `batch resolve --from`',
  }),
  out: Flags.string({
    helpValue: 'FOLDER',
    description: 'also write payments, lines and matches as CSV',
  }),
};

/** @throws RemitError USAGE if the first day is after the last */
export function periodOf(
  flags: {from?: string | undefined; to?: string | undefined},
  nowMs: number,
): {from: string; to: string} {
  const to = flags.to ?? dayAt(nowMs);
  const from = flags.from ?? addDays(to, -DEFAULT_DAYS);
  if (from > to)
    throw new RemitError('USAGE', `--from ${from} is after --to ${to}`, {hint: 'swap the two days'});
  return {from, to};
}
