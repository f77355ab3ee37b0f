import {isUsableId, otherIdIn} from '../../client/answers/readable.ts';
import {RemitError} from '../../errors.ts';
import {asReceived} from '../../narrow.ts';
import type {Context} from '../core/context.ts';
import {withDoctor} from '../core/way-out.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

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
    answer: ServiceRecord;
    read: () => Promise<ServiceRecord>;
    next: string;
    changesStatus: boolean;
  },
): Promise<ServiceRecord | undefined> {
  const {noun, id, answer, read, changesStatus} = write;
  const answered = recordWithId(answer, id);
  if (answered !== undefined && !(changesStatus && answered.status === undefined)) return answered;
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
  {noun, id, answer}: {noun: string; id: string; answer: ServiceRecord},
): void {
  const other = otherIdIn(asReceived(answer), id);
  if (other === undefined) return;
  const named = isUsableId(other, out.sanitizer) ? ` (its id: ${other})` : '';
  out.warn(`the service answered with another record${named} than ${noun} ${id}; check both`);
  effects.tookPartly();
}

/** The record with this id in an answer; one with a status but no id is accepted too. */
export function recordWithId(record: ServiceRecord, id: string): ServiceRecord | undefined {
  if (record.id !== undefined) return record.id.toLowerCase() === id.toLowerCase() ? record : undefined;
  const hasOtherId = otherIdIn(asReceived(record), id) !== undefined; // one of another type
  return record.status === undefined || hasOtherId ? undefined : {...record, id};
}
