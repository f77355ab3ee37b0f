import {plainValue} from '../../output/records/view.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/**
 * A note for a write on a record that is beyond its first status, which the service may refuse; otherwise undefined.
 */
export function openEffect(
  {status}: ServiceRecord,
  verb: 'approve' | 'cancel',
  noun: string,
): string | undefined {
  if (status === undefined || status === 'created' || status === 'CREATED') return undefined;
  return `asks to ${verb} a ${noun} that is ${plainValue(status)}; the service decides`;
}
