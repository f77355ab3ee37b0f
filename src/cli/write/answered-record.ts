import {isUsableId, otherIdIn} from '../../client/answers/readable.ts';
import {unwrapRecord} from '../../client/answers/envelope.ts';
import {statusOf} from '../../client/reading/poll.ts';
import {RemitError} from '../../errors.ts';
import {isObject} from '../../narrow.ts';
import {plainValue} from '../../output/records/view.ts';
import type {Context} from '../core/context.ts';
import {withDoctor} from '../core/way-out.ts';

/**
 * The record left by a write on a known id: from the answer itself, or read again if the answer has none (204, an
 * empty object, another record), or none with a status although the write changes it. Undefined, after a warning, if
 * neither is available.
 */
export async function recordAfter(
  {out, commands}: Pick<Context, 'out' | 'commands'>,
  write: {
    noun: string;
    id: string;
    answer: unknown;
    read: () => Promise<unknown>;
    next: string;
    changesStatus: boolean;
  },
): Promise<unknown> {
  const {noun, id, answer, read, changesStatus} = write;
  const answered = recordWithId(answer, id);
  if (answered !== undefined && !(changesStatus && statusOf(answered) === undefined)) return answered;
  let hint = write.next;
  try {
    const found = recordWithId(await read(), id);
    if (found !== undefined) return found;
    out.warn(
      `the service accepted the request without a record, and its answer to a read of ${noun} ${id} has none either`,
    );
  } catch (error) {
    if (!(error instanceof RemitError) || error.code === 'INTERRUPTED' || error.code === 'TERMINATED')
      throw error;
    out.warn(
      `the service accepted the request without a record, and ${noun} ${id} could not be read: ${error.message}`,
    );
    if (error.details?.['assumption'] !== undefined) hint = withDoctor(hint, commands);
  }
  out.hint(hint);
  return undefined;
}

/**
 * Warns if a record other than the requested one was approved or canceled, according to the answer; then the command
 * exits with 8.
 */
export function noteOther(
  {out, effects}: Pick<Context, 'out' | 'effects'>,
  {noun, id, answer}: {noun: string; id: string; answer: unknown},
): void {
  const other = otherIdIn(answer, id);
  if (other === undefined) return;
  const named = isUsableId(other, out.sanitizer) ? ` (its id: ${other})` : '';
  out.warn(`the service answered with another record${named} than ${noun} ${id}; check both`);
  effects.tookPartly();
}

/** The record with this id in an answer; one with a status but no id is accepted too. */
export function recordWithId(answer: unknown, id: string): unknown {
  const record = unwrapRecord(answer);
  if (!isObject(record)) return undefined;
  const own = record['id'];
  if (own === undefined || own === null)
    return typeof record['status'] === 'string' ? {...record, id} : undefined;
  return plainValue(own).toLowerCase() === id.toLowerCase() ? record : undefined;
}
