import {valueAt} from '../select.ts';

/** Where a record says why it failed: assumptions 24 and 58, and the plain fields that other services have. */
const PLACES = ['transfer_details.failure', 'payin_metadata.failure', 'payout_metadata.failure', 'failure'];

/** `R01 account closed`: the reason code and its text, as far as the record has them. */
export function failureText(record: unknown): string | undefined {
  for (const place of PLACES) {
    const words = wordsOf(valueAt(record, place));
    if (words !== undefined) return words;
  }
  return (
    wordsOf({code: valueAt(record, 'failure_code'), message: valueAt(record, 'failure_message')}) ??
    wordsOf(valueAt(record, 'failure_reason'))
  );
}

function wordsOf(failure: unknown): string | undefined {
  if (typeof failure === 'string') return failure === '' ? undefined : failure;
  const words = [valueAt(failure, 'code'), valueAt(failure, 'message')].filter(
    (part): part is string | number => typeof part === 'number' || (typeof part === 'string' && part !== ''),
  );
  return words.length === 0 ? undefined : words.join(' ');
}
