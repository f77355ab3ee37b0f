import {selectedValue} from '../../output/records/select.ts';
import {plainValue} from '../../output/records/view.ts';

/**
 * A note for a write on a record that is beyond its first status, which the service may refuse; otherwise undefined.
 */
export function openEffect(record: unknown, verb: 'approve' | 'cancel', noun: string): string | undefined {
  const status = selectedValue(record, 'status');
  if (status === undefined || status === 'created' || status === 'CREATED') return undefined;
  return `asks to ${verb} a ${noun} that is ${plainValue(status)}; the service decides`;
}
