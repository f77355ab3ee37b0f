import {batchIds} from '../../batch/journal/folder.ts';
import type {OpenBatch} from '../../batch/journal/open-batch.ts';
import {KINDS, type Kind} from '../../batch/model/kinds.ts';
import type {RowState} from '../../batch/model/outcome.ts';
import {readBatch} from '../../batch/overview/read-batch.ts';
import type {BankReturn} from '../../batch/report/returned.ts';
import type {Clock} from '../../clock.ts';
import type {Mode} from '../../contract/mode.ts';
import {RemitError} from '../../errors.ts';
import {keysOf} from '../../narrow.ts';
import {withLoopback} from '../../network/local.ts';
import {isSent} from '../../reconcile/model/payment.ts';

/** The row that would pay a returned payment again. */
export interface WantedSecond {
  /** Of the payment that came back. */
  key: string;
  kind: Kind;
  namespace: string;
  reference: string;
  /** Minor units, of either sign. */
  amount: bigint;
  currency: string;
}

export type SecondPayment = Pick<BankReturn, 'heldBy' | 'sent'>;

/** States of rows that have a record, or may have one. */
const SENT: ReadonlySet<RowState> = new Set(['accepted', 'staged', 'held', 'unapproved', 'in_doubt']);

/**
 * Which of these rows the batches of a state folder have sent, by the keys of the payments that came back. A batch that
 * cannot be read now has none.
 * @param own a batch that is open already
 */
export async function secondPaymentsIn(
  wanted: readonly WantedSecond[],
  {
    service,
    own,
    ...place
  }: {stateDir: string; clock: Clock; service: {baseUrl: string; mode: Mode}; own: OpenBatch},
): Promise<Map<string, SecondPayment>> {
  const found = new Map<string, SecondPayment>();
  for (const kind of keysOf(KINDS)) {
    const rows = wanted.filter((one) => one.kind === kind);
    for (const batchId of rows.length === 0 ? [] : batchIds(place.stateDir, kind)) {
      const isOwn = own.plan.kind === kind && own.plan.batchId === batchId;
      const batch = isOwn ? own : await readBatch({...place, kind, batchId}, 'status').catch(noneIfUnread);
      if (batch === undefined) continue;
      try {
        const binding = batch.journal.fact('binding');
        if (binding?.mode !== service.mode || withLoopback(binding.baseUrl) !== withLoopback(service.baseUrl))
          continue;
        for (const one of rows) {
          const second = secondPayment(batch, one);
          if (second !== undefined && found.get(one.key)?.sent === undefined) found.set(one.key, second);
        }
      } finally {
        if (!isOwn) await batch.close();
      }
    }
  }
  return found;
}

function secondPayment(
  {plan, journal}: OpenBatch,
  {namespace, reference, amount, currency}: WantedSecond,
): SecondPayment | undefined {
  const row = plan.namespace === namespace ? journal.rows.of(reference) : undefined;
  const state = row && journal.stateOf(row);
  if (row === undefined || state === undefined || !SENT.has(state) || row.currency !== currency)
    return undefined;
  // No reconcile reads payments of subaccounts.
  const isPaid = state === 'accepted' && row.subaccount === null && isSent(row.outcome?.status ?? undefined);
  const isSame = BigInt(row.amount) === (amount < 0n ? -amount : amount);
  return {heldBy: plan.batchId, sent: !isPaid ? undefined : isSame ? 'later' : 'otherwise'};
}

function noneIfUnread(error: unknown): undefined {
  if (!(error instanceof RemitError)) throw error;
}
