import {type Hint, RemitError} from '../../errors.ts';
import {formatMajor} from '../../money/amount.ts';
import {must} from '../../narrow.ts';
import type {Caps} from '../../profiles/profile.ts';
import {capOf} from './caps.ts';
import {KINDS} from '../../batch/model/kinds.ts';
import type {Plan} from '../../batch/model/plan-facts.ts';

/**
 * Caps on a batch, checked against its whole plan at every command that sends. They fail closed: a currency without a
 * cap is refused, and so are rows without a rail if only some rails are allowed.
 * @param acceptsDifferences whether rows whose record has another rail or currency than the plan would be released
 * @throws RemitError GUARD_CAP
 */
export function checkBatchCaps(
  plan: Pick<Plan, 'kind' | 'batchId' | 'figures'>,
  caps: Caps,
  profileName: string | null,
  acceptsDifferences: boolean,
): void {
  const {rows, totals, maximaMinor, rails} = plan.figures;
  const {topic} = KINDS[plan.kind];
  const over = (message: string, hint?: Hint): never => {
    throw new RemitError(
      'GUARD_CAP',
      `batch ${plan.batchId} is refused: ${message} (profile ${profileName}); nothing was sent`,
      {hint},
    );
  };
  if (caps.max_batch_rows !== undefined && rows > caps.max_batch_rows)
    over(`it has ${rows} rows, the cap is ${caps.max_batch_rows}`);
  const limitOf = (limits: Caps['max_amount_minor'], currency: string): bigint | undefined => {
    if (limits === undefined) return undefined;
    return capOf(limits, currency) ?? over(`the profile has no cap for ${currency}`);
  };
  for (const [currency, total] of Object.entries(totals)) {
    const shown = (minor: bigint) => `${formatMajor(minor, currency)} ${currency}`;
    const [perAmount, perBatch] = [
      limitOf(caps.max_amount_minor, currency),
      limitOf(caps.max_batch_total_minor, currency),
    ];
    const largest = BigInt(must(maximaMinor[currency], `largest amount in ${currency}`));
    if (perAmount !== undefined && largest > perAmount)
      over(`its largest amount is ${shown(largest)}, the cap is ${shown(perAmount)}`);
    if (perBatch !== undefined && BigInt(total.replace('.', '')) > perBatch)
      over(`its total is ${total} ${currency}, the cap is ${shown(perBatch)}`);
  }
  if (caps.rails !== undefined) checkRails(rails, caps.rails, over);
  if (acceptsDifferences && isCapped(caps))
    over(
      '--accept differences releases records whose rail or currency is not the one that was checked',
      (commands) =>
        `leave it out to release the other rows. A held record is approved by its id, which checks it against the caps: ${commands.write(topic, 'approve', 'ID')}; then ${commands.write(topic, 'batch', 'resume', plan.batchId)} records it`,
    );
}

/** A cap that a record other than the planned one might exceed. */
export const isCapped = (caps: Caps): boolean =>
  [caps.rails, caps.max_amount_minor, caps.max_batch_total_minor].some((cap) => cap !== undefined);

function checkRails(
  rails: Plan['figures']['rails'],
  allowed: readonly string[],
  over: (message: string) => never,
): void {
  for (const {rail} of rails) {
    if (rail === null) over(`some rows name no rail, and only these are allowed: ${allowed.join(', ')}`);
    else if (!allowed.includes(rail))
      over(`the rail ${rail} is not among those allowed: ${allowed.join(', ')}`);
  }
}
