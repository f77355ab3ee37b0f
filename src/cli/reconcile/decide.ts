import {Args, Flags} from '@oclif/core';
import {type Hint, RemitError} from '../../errors.ts';
import {AmountError, parseMajor} from '../../money/amount.ts';
import {readNotedReturns} from '../../batch/report/noted-returns.ts';
import {strippedLine} from '../../sanitize/harmful.ts';
import type {Book} from '../../reconcile/book/book.ts';
import type {FoundBankLine} from '../../reconcile/book/findings.ts';
import type {Decision} from '../../reconcile/model/finding.ts';
import {lineName, moneyText, paymentName, STATE_WORDS} from '../../reconcile/report/words.ts';
import type {Context} from '../core/context.ts';
import {serviceNow} from '../core/sandbox-clock.ts';
import {stateDirFlag} from '../batch/flags.ts';
import {SharedCommand} from '../team/command.ts';
import {operatorName} from '../runtime/operator.ts';
import {matchOptions} from './match-options.ts';
import {noteFound} from './note-returns.ts';
import {openBook, saveBook} from './shared-book.ts';

export const lineArg = Args.string({required: true, description: 'bank line, as `reconcile` prints it'});
export const PAYMENT_WORDS = 'payment ids, or batch:NAME/REFERENCE, as `reconcile` prints them';
export const decisionFlags = {
  note: Flags.string({
    required: true,
    helpValue: 'TEXT',
    description: 'why; it is kept with your name and the time',
  }),
  by: Flags.string({helpValue: 'NAME', description: 'who decides (default: your user name on this machine)'}),
  ...stateDirFlag,
};

interface SigningFlags {
  note: string;
  by?: string | undefined;
  state?: string | undefined;
  'state-dir'?: string | undefined;
}

interface Deciding {
  verb: Decision['verb'];
  line: string;
  payments: readonly string[];
  flags: SigningFlags & {difference?: string | undefined};
}

/** What a person states about the book. It is only followed by something else, never changed. */
export abstract class DecisionCommand extends SharedCommand {
  protected async decide({verb, line, payments, flags}: Deciding): Promise<Decision> {
    return this.inBook(flags, ({book, signed}, context) => {
      const {out} = context;
      if (verb === 'ignore' && isOnlyNoted(book, line, context, flags)) {
        const ignored = {verb, line, payments, ...signed};
        book.ignoreNoted(ignored);
        return (): Decision => {
          out.text(strippedLine(`Ignored by ${signed.by}: bank line ${line}, which this book does not have`));
          return ignored;
        };
      }
      const found = findLine(book, line);
      const keys = payments.map((key) => requirePayment(book, key));
      const decision = {verb, line: found.line.key, payments: keys, ...signed};
      book.decide(decision, statedDifference(flags.difference, found.line.currency));
      return (): Decision => {
        showDecision(out, book, decision, found.match?.payments ?? []);
        return decision;
      };
    });
  }

  /** Changes the book, and matches again. `change` returns what is shown then. */
  protected async inBook<T>(
    flags: SigningFlags,
    change: (at: {book: Book; signed: Pick<Decision, 'note' | 'by' | 'at'>}, context: Context) => () => T,
  ): Promise<T> {
    const context = await this.open();
    if (flags.note.trim() === '')
      throw new RemitError('USAGE', '--note is empty', {hint: 'say why, in a few words'});
    if (flags.by?.trim() === '')
      throw new RemitError('USAGE', '--by is empty', {hint: 'name who decides, or leave out --by'});
    const {profile, clock} = context;
    const signed = {
      note: flags.note.trim(),
      by: flags.by?.trim() ?? operatorName(),
      at: new Date(clock.now()).toISOString(),
    };
    await this.teamOf(context, flags);
    const stateDir = flags['state-dir'] ?? context.stateDir;
    const book = await openBook(context, stateDir, {write: true});
    try {
      const show = change({book, signed}, context);
      book.match(matchOptions(await serviceNow(context), profile.mode));
      for (const text of await noteFound(context, book, stateDir)) context.out.warn(text);
      await saveBook(context, book, stateDir);
      return show();
    } finally {
      await book.close();
    }
  }
}

/** In minor units. */
function statedDifference(text: string | undefined, currency: string): bigint | undefined {
  if (text === undefined) return undefined;
  try {
    return parseMajor(text, currency);
  } catch (error) {
    if (!(error instanceof AmountError)) throw error;
    throw new RemitError('USAGE', `--difference: ${error.message}`, {cause: error});
  }
}

/** An earlier run has noted a return with this line, which the bank no longer lists and the book does not have. */
function isOnlyNoted(book: Book, key: string, {stateDir, profile}: Context, flags: SigningFlags): boolean {
  const {notes} = readNotedReturns([flags['state-dir'] ?? stateDir, stateDir], profile);
  for (const _ of book.lines({key})) return false;
  return notes.some(({line}) => line === key);
}

/** Reads the accounts of the book again, which is closed when a hint is printed. */
function readHint({accounts}: Book, what: string): Hint {
  const words =
    accounts.length === 0
      ? ['treasury', 'accounts', 'list']
      : ['reconcile', ...accounts.flatMap((id) => ['--account', id])];
  return (commands) => `read the ${what} first: ${commands.read(...words)}`;
}

/** @throws RemitError NOT_FOUND, or USAGE if several lines have this id */
function findLine(book: Book, typed: string): FoundBankLine {
  for (const found of book.lines({key: typed})) return found;
  const found = [...book.lines({id: typed})].filter(
    ({line, twin}) => twin === undefined || line.source === 'service',
  );
  const [only] = found;
  if (only === undefined)
    throw new RemitError('NOT_FOUND', `no bank line ${typed} is known`, {
      hint: readHint(book, 'lines'),
    });
  if (found.length > 1)
    throw new RemitError('USAGE', `${found.length} bank lines have the id ${typed}`, {
      hint: `name one of them: ${found.map(({line}) => line.key).join(', ')}`,
    });
  return only;
}

/** Its key. A row whose record is known is also found by its batch and reference. */
function requirePayment(book: Book, key: string): string {
  for (const _ of book.payments({key})) return key;
  const [, batch, reference] = /^batch:([^/]+)\/(.+)$/.exec(key) ?? [];
  if (batch !== undefined)
    for (const {payment} of book.payments({batch}))
      if (payment.row?.reference === reference) return payment.key;
  throw new RemitError('NOT_FOUND', `no payment ${key} is known`, {
    hint: readHint(book, 'payments'),
  });
}

const DONE: Readonly<Record<Decision['verb'], string>> = {
  confirm: 'Confirmed',
  reject: 'Rejected',
  ignore: 'Ignored',
};

/** With the payments that the line belonged to, and those that it belongs to now. */
function showDecision(
  out: Context['out'],
  book: Book,
  {verb, line: key, payments, by, note}: Decision,
  before: readonly string[],
): void {
  for (const {line, state, match} of book.lines({key})) {
    const what = `${moneyText(line.amount, line.currency, {signed: true})} on ${line.bookingDay}`;
    const done = verb === 'reject' && payments.length === 0 ? 'Undone' : DONE[verb];
    const texts = [`${done} by ${by}: bank line ${lineName(line)}, ${what}`];
    const about = new Set([...payments, ...before, ...(match?.payments ?? [])]);
    for (const payment of about)
      for (const found of book.payments({key: payment}))
        texts.push(
          `  ${paymentName(found.payment)} is now ${found.state.replaceAll('_', ' ')}: ${STATE_WORDS[found.state]}`,
        );
    if (about.size === 0 && verb === 'reject')
      texts.push(`  The line is now ${state.replaceAll('_', ' ')}, with no payment`);
    out.text([...texts, `  Note: ${note}`].map(strippedLine).join('\n'));
  }
}
