import type {Context} from '../core/context.ts';
import {amountOfRecord, hasAmount} from '../guard/amount-read.ts';
import {guardedAmountText} from '../guard/amount-text.ts';
import type {WriteFacts} from '../guard/facts.ts';
import {recordWithId} from './answered-record.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/**
 * Warns, and makes the command exit with 8, if the answer to an approval or cancellation has another amount than the guard
 * has read, or than was stated. If either amount is missing, nothing is compared.
 */
export function noteAmount(
  {out, effects}: Pick<Context, 'out' | 'effects'>,
  {
    noun,
    id,
    facts,
    answer,
    next,
  }: {noun: string; id: string; facts: WriteFacts; answer: ServiceRecord; next: string},
): void {
  const {amountMinor, currency, operation} = facts;
  const record = recordWithId(answer, id);
  if (amountMinor === undefined || record === undefined || !hasAmount(record)) return;
  const read = amountOfRecord(record, id);
  const did = `${noun} ${id} was ${operation.startsWith('cancel') ? 'canceled' : 'approved'}, but`;
  if (read.kind === 'read') {
    const isOther = currency !== undefined && read.currency !== undefined && read.currency !== currency;
    if (read.minor === amountMinor && !isOther) return;
    const [answered, known] = [
      guardedAmountText(read.minor, read.currency ?? currency),
      guardedAmountText(amountMinor, currency),
    ];
    out.warn(`${did} the amount in the answer is ${answered}, not ${known}`);
  } else if (read.kind === 'unreadable')
    out.warn(`${did} the amount in the answer is unreadable: ${read.why}`);
  out.hint(next);
  effects.tookPartly();
}
