import {keysOf} from '../../narrow.ts';
import type {Sanitizer} from '../../sanitize/sanitizer.ts';
import {dayFrom} from '../model/day.ts';
import {majorText} from '../report/words.ts';
import type {LedgerAccount, LedgerBalance, LedgerEntry, LedgerPosting} from './entries.ts';

export type LedgerFormat = 'hledger' | 'beancount';

/** The first line of a journal, by which a file of ours is known before it is replaced. */
export const LEDGER_MARK = '; written by remit reconcile';

export interface Ledger {
  period: {from: string; to: string};
  /** Treasury accounts with their labels. */
  accounts: readonly {id: string; label: string | undefined}[];
  /** Those that are known; each is asserted at the end of the period. */
  balances: readonly LedgerBalance[];
  entries: Iterable<LedgerEntry>;
  /** Texts of banks and of the service pass it. */
  sanitizer: Sanitizer;
}

/** A journal, in pieces. */
export function* ledgerText(ledger: Ledger, format: LedgerFormat): Generator<string> {
  const safe = {...ledger, entries: safeEntries(ledger)};
  yield* format === 'hledger' ? hledgerText(safe) : beancountText(safe);
}

function* safeEntries({entries, sanitizer}: Ledger): Generator<LedgerEntry> {
  const field = (name: string, value: string) => sanitizer.field(name, value);
  for (const {text, tags, postings, ...entry} of entries)
    yield {
      ...entry,
      text: sanitizer.line(text),
      tags: Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, field(name, value)])),
      postings: postings.map(({payment, ...posting}) => ({
        ...posting,
        payment: payment === undefined ? undefined : field('payment', payment),
      })),
    };
}

const PARTS: Readonly<Record<Exclude<LedgerAccount['name'], 'bank'>, string>> = {
  transit: 'assets:transit',
  transfers: 'assets:transit:transfers',
  payouts: 'expenses:payouts',
  payins: 'income:payins',
  fees: 'expenses:bank-fees',
  ignored: 'equity:ignored',
  unexplained: 'equity:unexplained',
  internal: 'equity:internal',
  opening: 'equity:opening',
};

/** Names of accounts, each of which is unique. */
function accountNames({accounts}: Ledger): (account: LedgerAccount) => string {
  const used = new Set<string>();
  const banks = new Map(
    accounts.map(({id, label}) => {
      const words = (label ?? id).toLowerCase().split(/[^a-z0-9]+/);
      const word = words.filter((part) => part !== '').join('-') || id.toLowerCase();
      const name = used.has(word) ? `${word}-${id.toLowerCase()}` : word;
      used.add(name);
      return [id, `assets:bank:${name}`];
    }),
  );
  return (account) =>
    account.name === 'bank' ? (banks.get(account.id) ?? `assets:bank:${account.id}`) : PARTS[account.name];
}

const allAccounts = ({accounts}: Ledger): LedgerAccount[] => [
  ...accounts.map(({id}) => ({name: 'bank', id}) as const),
  ...keysOf(PARTS).map((name) => ({name})),
];

const opening = ({period}: Ledger, {account, currency, opening: minor}: LedgerBalance): LedgerEntry => ({
  ...{day: period.from, text: 'opening balance', currency, tags: {}},
  postings: [
    {account: {name: 'bank', id: account}, minor, payment: undefined},
    {account: {name: 'opening'}, minor: -minor, payment: undefined},
  ],
});

function* hledgerText(ledger: Ledger): Generator<string> {
  const nameOf = accountNames(ledger);
  yield `${LEDGER_MARK} for hledger, ${ledger.period.from} to ${ledger.period.to}\n`;
  for (const account of allAccounts(ledger)) yield `account ${nameOf(account)}\n`;
  const entry = ({day, text, currency, tags, postings}: LedgerEntry) => {
    const comment = tagText(tags);
    const lines = postings.map(
      ({account, minor, payment}) =>
        `    ${nameOf(account)}  ${majorText(minor, currency)} ${currency}${payment === undefined ? '' : `  ; ${tagText({payment})}`}\n`,
    );
    return `\n${day} ${hledgerWord(text)}${comment === '' ? '' : `  ; ${comment}`}\n${lines.join('')}`;
  };
  for (const balance of ledger.balances) yield entry(opening(ledger, balance));
  for (const one of ledger.entries) yield entry(one);
  for (const {account, currency, closing} of ledger.balances)
    yield `\n${ledger.period.to} closing balance\n    ${nameOf({name: 'bank', id: account})}  0 ${currency} = ${majorText(closing, currency)} ${currency}\n`;
}

/** A day in brackets would be the day of the posting. */
const tagText = (tags: Readonly<Record<string, string>>): string =>
  Object.entries(tags)
    .map(([name, value]) => `${name}: ${value.replace(/[[,\s]+/g, ' ').trim()}`)
    .join(', ');

/** A semicolon would begin a comment, a bar the note of a payee, and a bracket at the beginning a code. */
const hledgerWord = (text: string): string =>
  text
    .replace(/[;|\s]+/g, ' ')
    .replace(/^[*!( ]+/, '')
    .trim() || 'bank line';

function* beancountText(ledger: Ledger): Generator<string> {
  const plain = accountNames(ledger);
  const nameOf = (account: LedgerAccount) => beancountName(plain(account));
  const {period, balances} = ledger;
  yield `${LEDGER_MARK} for beancount, ${period.from} to ${period.to}\n`;
  for (const account of allAccounts(ledger)) yield `1970-01-01 open ${nameOf(account)}\n`;
  const posting = (currency: string, {account, minor, payment}: LedgerPosting) =>
    `  ${nameOf(account)}  ${majorText(minor, currency)} ${currency}\n${payment === undefined ? '' : `    payment: ${quoted(payment)}\n`}`;
  const entry = ({day, text, currency, tags, postings}: LedgerEntry) =>
    `\n${day} * ${quoted(text)}\n${Object.entries(tags)
      .map(([name, value]) => `  ${name}: ${quoted(value)}\n`)
      .join('')}${postings.map((one) => posting(currency, one)).join('')}`;
  for (const balance of balances) yield entry(opening(ledger, balance));
  for (const one of ledger.entries) yield entry(one);
  for (const {account, currency, closing} of balances)
    yield `\n${dayFrom(period.to, 1)} balance ${nameOf({name: 'bank', id: account})}  ${majorText(closing, currency)} ~ 0 ${currency}\n`; // a balance is that at the beginning of its day; without a tolerance of 0, a cent too few passes
}

/** `assets:bank:operating` -> `Assets:Bank:Operating`. */
const beancountName = (name: string): string =>
  name
    .split(':')
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join(':');

const quoted = (text: string): string => `"${text.replace(/\s+/g, ' ').replace(/[\\"]/g, '\\$&')}"`;
