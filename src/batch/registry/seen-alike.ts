import {withLoopback} from '../../network/local.ts';
import {nextTurn} from '../../clock.ts';
import type {StoredPayment} from '../../doubts/open-payments.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import type {Mode} from '../../contract/mode.ts';
import type {UntouchedRow} from '../journal/rows/rows.ts';
import {pagesOf} from '../model/pages.ts';
import type {OpenBatch} from '../journal/open-batch.ts';
import {ALIKE_MS, earlierPayment, OpenCreates} from './earlier-payments.ts';
import {Entries} from './entries.ts';
import {type Entry, keySince} from './entry.ts';
import type {JournalExists} from './judge.ts';
import {addAlike, type AlikeExample, noneAlike} from './look-alikes.ts';

/** How many rows of a plan would need an acknowledgement at one service because of other batches. */
export interface SeenAlike {
  mode: Mode;
  base_url: string;
  /** Rows like a payment of the last thirty days: same party, amount and currency, in any namespace. */
  alike: number;
  /** Some of those rows, each with the earlier payment. */
  examples: AlikeExample[];
  /** References that differ from one of another batch only in case or spaces. */
  similar: number;
}

const PAGE = 1000;

/**
 * Predicts what `surveyBatch` will count as look-alikes, for each service at which this kind of batch was used
 * or a single payment is in doubt.
 */
export async function alikeIn(
  db: SqliteDatabase,
  {plan, journal}: OpenBatch,
  {openPayments, exists, now}: {openPayments: readonly StoredPayment[]; exists: JournalExists; now: number},
): Promise<SeenAlike[]> {
  const {kind, journalId} = plan;
  const services = usedServices(db, plan, openPayments).map(({mode, base_url, own}) => ({
    entries: new Entries(db, {mode, baseUrl: base_url, kind}, own ?? undefined, journalId),
    openCreates: new OpenCreates(openPayments, {mode, baseUrl: base_url, kind}),
    seen: {mode, base_url, similar: 0},
    alike: noneAlike(),
  }));
  const isInDoubt = (claim: Entry, row: UntouchedRow) =>
    !claim.paid && claim.fingerprint === row.fingerprint && !exists(claim.journal, claim.batch);
  for (const page of pagesOf((after, limit) => journal.rows.untouched(after, limit), PAGE)) {
    for (const {entries, openCreates, seen, alike} of services)
      for (const row of page) {
        const claim = entries.foreign(row.reference);
        if (claim !== undefined && !isInDoubt(claim, row)) continue; // it is skipped, or a conflict
        const since = claim === undefined ? 0 : keySince(claim);
        addAlike(alike, row, earlierPayment({entries, openCreates}, row, Math.max(since, now - ALIKE_MS)));
        if (entries.similar(row.reference, since).length > 0) seen.similar++;
      }
    await nextTurn(); // the heartbeats of the locks must continue
  }
  return services
    .map(({seen: {mode, base_url, similar}, alike}) => ({
      ...{mode, base_url, alike: alike.count, examples: alike.examples, similar},
    }))
    .filter(({alike, similar}) => alike + similar > 0);
}

interface UsedService {
  mode: Mode;
  base_url: string;
  /** The scope of the namespace of the plan. */
  own: number | null;
}

/** Where batches of this kind were run, and where a single payment of this kind is in doubt. */
function usedServices(
  db: SqliteDatabase,
  {kind, namespace}: OpenBatch['plan'],
  openPayments: readonly StoredPayment[],
): UsedService[] {
  const services = db
    .prepare<UsedService>(
      `select mode, base_url, max(case when namespace = ? then id end) as own from scopes where kind = ?
       group by mode, base_url order by min(id)`,
    )
    .all(namespace, kind);
  for (const {mode, baseUrl} of openPayments.filter((payment) => payment.kind === kind)) {
    const url = withLoopback(baseUrl);
    if (!services.some((one) => one.mode === mode && one.base_url === url))
      services.push({mode, base_url: url, own: null});
  }
  return services;
}
