import {type Answer, isSuccess, readAnswer} from '../client/answer.ts';
import {TransportFailure, type Transport} from '../client/transport.ts';
import type {Clock} from '../clock.ts';
import {RemitError} from '../errors.ts';
import {judgeLook} from './answers.ts';
import type {JournalRow} from './journal-row.ts';
import type {Journal} from './journal.ts';
import {MAX_WAIT_MS} from './patience.ts';
import type {Plan} from './plan.ts';
import type {Registry} from './registry.ts';
import {foreignEntry} from './registry-outcome.ts';
import {lostText} from './run-context.ts';
import type {Wire} from './wire.ts';

export interface RetryFacts {
  /** References that have a new key now and will be sent again. */
  raised: string[];
  /** References left as they are, and why. */
  left: {reference: string; why: string}[];
}

const PAGE = 500;
/** How often a service that asks to wait is asked for one record. */
const LOOKS = 3;

interface Asking {
  wire: Wire;
  transport: Transport;
  clock: Clock;
  plan: Plan;
  maxWaitMs?: number | undefined;
  stop: AbortSignal;
}

/**
 * Gives failed rows a new generation, and so a new key: each only after the service has just said that its record has
 * failed. A canceled record was ended by somebody's will, so its row is taken only by name, also where it was never
 * approved. Nothing else ever raises a generation. Rows are looked at one after the other: there are few, and each costs money when it is wrong.
 *
 * @param named references from `--row`; with them only those rows are looked at
 * @throws RemitError NO_BATCH for a name that the batch does not have; UNAVAILABLE when the service cannot be asked
 */
export async function raiseFailedRows(options: {
  journal: Journal;
  plan: Plan;
  wire: Wire;
  transport: Transport;
  clock: Clock;
  named: readonly string[];
  /** Lost and begun anew, it may say that another batch has a reference since: no second payment is made of that. */
  registry: Pick<Registry, 'find'>;
  /** A Retry-After above this ends it; a quarter of an hour unless said. */
  maxWaitMs?: number | undefined;
  stop: AbortSignal;
  /** Asked once, of all rows that would be sent again, before the first is raised; throws to leave all as they are. */
  confirm?: (rows: readonly JournalRow[]) => Promise<void>;
}): Promise<RetryFacts> {
  const {journal, clock, named, stop} = options;
  const facts: RetryFacts = {raised: [], left: []};
  journal.sanitizer.conceal(options.wire.secret);
  const due: {row: JournalRow; reason: string}[] = [];
  for (const row of candidates(journal, named, options.plan)) {
    stop.throwIfAborted();
    const claim = options.registry.find(row.reference);
    const other = foreignEntry(claim, options.plan);
    let found: Awaited<ReturnType<typeof lookAt>>;
    if (other !== undefined)
      found = `batch ${other.batch} has claimed its reference since; see what became of it there`;
    else if (claim !== undefined && claim.generation > row.generation)
      found = 'a retry that this journal has no memory of sent it again; see what became of that';
    else found = await lookAt(row, options, named.includes(row.reference));
    if (found === 'failed' || (found === 'canceled' && named.includes(row.reference)))
      due.push({
        row,
        reason: `its record had ${found === 'failed' ? 'failed' : 'been canceled'}; sent again by retry`,
      });
    else if (found === 'canceled')
      facts.left.push({
        reference: row.reference,
        why: `its record was canceled; to pay it all the same: --row ${row.reference}`,
      });
    else facts.left.push({reference: row.reference, why: journal.sanitizer.words(found)});
  }
  await options.confirm?.(due.map(({row}) => row));
  for (const {row, reason} of due) {
    journal.raiseGeneration(row, reason, clock.now());
    facts.raised.push(row.reference);
  }
  return facts;
}

function* candidates(journal: Journal, named: readonly string[], plan: Plan): Generator<JournalRow> {
  for (const reference of named) {
    const row = journal.rowOf(reference);
    if (row === undefined)
      throw new RemitError('NO_BATCH', `batch ${plan.batchId} has no row ${reference}`, {
        hint: 'name rows by their reference',
      });
    yield row;
  }
  if (named.length > 0) return;
  let after = 0;
  for (;;) {
    const page = journal.rowsIn(['accepted', 'dead_key'], after, PAGE);
    yield* page.filter((row) => row.outcome!.state === 'dead_key' || row.outcome!.status === 'failed');
    if (page.length < PAGE) return;
    after = page.at(-1)!.n;
  }
}

const UNAPPROVED =
  'it was not approved, which release tries again, not retry; where that cannot help, cancel its record first';

/** What the service says now: `failed`, `canceled`, or why the row is left alone. */
async function lookAt(row: JournalRow, asking: Asking, isNamed: boolean): Promise<string> {
  const {wire, transport, clock} = asking;
  const state = row.outcome?.state;
  if (state === 'unapproved' && !isNamed) return UNAPPROVED;
  if (state !== 'accepted' && state !== 'dead_key' && state !== 'unapproved')
    return `it is ${(state ?? 'not sent').replace('_', ' ')}, which resume or resolve takes up, not retry`;
  const id = row.outcome!.id;
  // Of a key that was refused when no id was known there is no record to look at, and asking by the key again could make
  // one. Failed or canceled, the answer did not say: the careful reading is canceled.
  if (id === null) return 'canceled';
  try {
    let answer: Answer;
    let isRefused: boolean;
    let tries = 0;
    do {
      answer = readAnswer(await transport.send(wire.get(id)), clock.now());
      if (answer.retryAfterMs !== undefined) await waitFor(answer.retryAfterMs, asking);
      isRefused = answer.retryAfterMs !== undefined && !isSuccess(answer.status);
    } while (isRefused && ++tries < LOOKS);
    if (answer.status === 404) throw lost(row, id);
    const look = judgeLook(answer, id);
    if (look.status === 'failed' || look.status === 'canceled') return look.status;
    if (state === 'unapproved' && look.state === 'open') return UNAPPROVED;
    return look.status === null
      ? `its record could not be read (${answer.status})`
      : `its record is ${look.status}`;
  } catch (cause) {
    if (!(cause instanceof TransportFailure)) throw cause;
    throw new RemitError(
      'UNAVAILABLE',
      `cannot ask the service about row ${row.reference}: ${cause.message}`,
      {
        cause,
        hint: 'nothing was sent again; try once more when the service answers',
      },
    );
  }
}

/** The service does not know a record that it gave an id: nothing is sent again, and the row stays as it was last seen. */
const lost = (row: JournalRow, id: string): RemitError =>
  new RemitError('UNAVAILABLE', `${lostText(row, id)}; nothing was sent again`, {
    hint: 'ask the service what became of it',
  });

/** Nothing else is sent meanwhile, nor by the run that comes after this. */
async function waitFor(ms: number, {clock, stop, maxWaitMs = MAX_WAIT_MS}: Asking): Promise<void> {
  if (ms > maxWaitMs)
    throw new RemitError(
      'UNAVAILABLE',
      `the service asks to wait ${Math.ceil(ms / 1000)} s, longer than --max-wait`,
      {hint: 'nothing was sent again; type the same command then'},
    );
  await clock.sleep(ms, stop);
}
