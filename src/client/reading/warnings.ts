import type {ListOptions} from './listing.ts';

/** A list reports at most this many different warnings. */
const MOST_WARNINGS = 10;

/** Reports the warnings of the pages of one list: each different one once, and a 207 also without a warning. */
export function eachWarningOnce(
  onWarning: ListOptions['onWarning'],
): (status: number, text: string | undefined) => void {
  const reported = new Set<string>();
  return (status, text) => {
    const warning = `${status} ${text}`;
    if (status !== 207 && text === undefined) return;
    if (reported.size === MOST_WARNINGS || reported.has(warning)) return;
    reported.add(warning);
    onWarning?.({status, text});
  };
}
