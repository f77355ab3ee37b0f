import {resolve} from 'node:path';
import {
  type ReturnToNote,
  type NotedReturn,
  noteReturns,
  readNotedReturns,
} from '../../batch/report/noted-returns.ts';
import {usualId} from '../../contract/ids.ts';
import type {Book} from '../../reconcile/book/book.ts';
import type {FoundPayment} from '../../reconcile/book/findings.ts';
import type {ExpectedPayment} from '../../reconcile/model/payment.ts';
import {dayFrom} from '../../reconcile/model/day.ts';
import {bookedText} from '../../reconcile/report/words.ts';
import type {Context} from '../core/context.ts';

/** A first day that finds a payment again, which may have been created before it was sent. */
const DAYS_BEFORE = 7;

/**
 * Notes which records came back, also beside each batch and on this machine: otherwise a lost book would make them look
 * paid.
 * @param stateDir the folder of the book
 * @returns what a person should know about earlier notes
 */
export async function noteFound(context: Context, book: Book, stateDir: string): Promise<string[]> {
  const {team, commands, profile, clock} = context;
  const at = new Date(clock.now()).toISOString();
  const isOwn = team === undefined && resolve(stateDir) === resolve(context.stateDir);
  const place = team?.address.typed ?? resolve(stateDir);
  const found = [...foundIn(book, at)];
  if (team !== undefined) {
    const {notes} = readNotedReturns([team.stateDir], profile);
    const known = notes.flatMap(({payment}) => (payment === undefined ? [] : [...batchOf(book, payment)]));
    for (const batch of [...found.map((one) => one.batch), ...known])
      if (batch !== undefined) await team.fetch(batch.kind, batch.id);
  }
  const {missing, damaged} = noteReturns(found, {
    stateDir: team?.stateDir ?? stateDir,
    memories: [{folder: team?.stateDir ?? stateDir}, ...(isOwn ? [] : [{folder: context.stateDir, place}])],
    service: profile,
    at,
    isDecided: (note) => isDecided(book, note),
  });
  return [
    ...damaged.map(
      (path) =>
        `a file of noted returns was damaged, and is now ${path}; returns that only it had are not known`,
    ),
    ...missing.map(
      ({id, line, doubt}) =>
        `${id} ${doubt === undefined ? 'came' : 'may have come'} back, as an earlier run found, and this run does not find it any more` +
        (line === undefined
          ? ''
          : `; if it did not come back: ${commands.read('reconcile', 'ignore', line, '--note', 'TEXT')}`),
    ),
  ];
}

function* batchOf(book: Book, key: string): Generator<ReturnToNote['batch']> {
  for (const {payment} of book.payments({key})) yield batchOfRow(payment);
}

const batchOfRow = ({kind, row}: ExpectedPayment): ReturnToNote['batch'] =>
  row === undefined || kind === 'transfer' ? undefined : {kind, id: row.batch};

function* foundIn(book: Book, at: string): Generator<ReturnToNote> {
  for (const {payment, line} of book.maybeReturned)
    for (const found of book.payments({key: payment})) yield* noteOf(book, found, {line, at, isSure: false});
  for (const found of book.payments({state: 'returned'}))
    yield* noteOf(book, found, {line: found.returned?.lines[0], at, isSure: true});
}

function* noteOf(
  book: Book,
  {payment}: FoundPayment,
  {line: key = '', at, isSure}: {line: string | undefined; at: string; isSure: boolean},
): Generator<ReturnToNote> {
  const {recordId, day} = payment;
  for (const {line} of book.lines({key})) {
    if (recordId === undefined) continue;
    const doubt = `${bookedText(line)}${line.state === 'pending' ? ', pending' : ''}`;
    yield {
      ...{id: usualId(recordId), account: line.account, from: dayFrom(day, -DAYS_BEFORE)},
      ...{line: key, payment: payment.key, at, ...(isSure ? {} : {doubt})},
      batch: batchOfRow(payment),
    };
  }
}

/** Whether the last decision about the line is that it did not take this payment back, since that was last found. */
function isDecided(book: Book, {line, payment = '', at = ''}: NotedReturn): boolean {
  const last = line === undefined ? undefined : book.decisions(line).at(-1);
  if (last === undefined || last.at < at) return false;
  const isNamed = last.payments.includes(payment);
  return last.verb === 'ignore' || (last.verb === 'reject' ? isNamed : !isNamed);
}
