import {valueAt} from '../../output/select.ts';
import {plainValue} from '../../output/view.ts';

/** What a record is asked for that is not at its first status: the service may refuse. Else undefined. */
export function openEffect(record: unknown, verb: 'approve' | 'cancel', noun: string): string | undefined {
  const status = valueAt(record, 'status');
  if (status === undefined || status === 'created' || status === 'CREATED') return undefined;
  return `asks to ${verb} a ${noun} that is ${plainValue(status)}; the service decides`;
}
