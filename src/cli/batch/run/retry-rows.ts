import {counted} from '../../../phrases.ts';
import {accepting} from '../../../batch/model/accept.ts';
import {NOT_COMPARED_CODE} from '../../../batch/model/outcome.ts';
import type {RunStop} from '../../../batch/model/stop.ts';
import {prepareRetry, type RetryFacts} from '../../../batch/repair/retry.ts';
import {Wire} from '../../../batch/answers/wire.ts';
import {isCapped} from '../../guard/batch-caps.ts';
import {timeoutsOf} from '../timeouts.ts';
import {countAlike} from '../../../batch/registry/look-alikes.ts';
import {confirmOnce} from './confirm-once.ts';
import {type ConfirmedRun, horizonOf, typing} from './request.ts';
import {retryText} from './retry-view.ts';
import {withSecondPayments} from './second-payments.ts';

/** Maximum number of rows that are named; the others are counted. */
const NAMED = 5;

/**
 * Asks the service about the failed rows, and gives a new key to those that did fail.
 * @returns why nothing may be sent, if that is the case
 */
export async function retryRows(
  {request, batch, claims, transport, gate}: ConfirmedRun,
  named: readonly string[],
): Promise<RunStop | undefined> {
  const registry = await withSecondPayments({request, batch, claims}, named);
  const {context, kind, flags} = request;
  const {profile, clock, out} = context;
  const {plan, journal} = batch;
  const wire = new Wire({
    ...{kind, mode: profile.mode, namespace: plan.namespace, key: profile.key},
    timeouts: timeoutsOf(context),
  });
  const facts = await prepareRetry({
    journal,
    plan,
    wire,
    transport,
    codec: context.codec,
    clock,
    named,
    registry,
    allowedElsewhere: request.accepted.paidElsewhere,
    maxWaitMs: flags['max-wait'],
    horizonMs: profile.approveById ? undefined : horizonOf(request),
    stop: context.stop.signal,
    confirm: async (rows) => {
      for (const line of retryText(rows)) out.notice(line);
      await confirmOnce(request, batch, claims, rows.length > 0 ? rows : undefined);
    },
  });
  if (facts.again.length > 0) gate?.note('retried', {rows: facts.again});
  if (facts.stop !== undefined) return facts.stop;
  const keys = facts.raised.length === 0 ? '' : `, ${facts.raised.length} of them with a new key`;
  out.note(
    facts.again.length === 0
      ? 'No row is sent again'
      : `${counted(facts.again.length, 'row')} prepared to be sent again${keys}`,
  );
  for (const {reference, why} of facts.left.slice(0, NAMED))
    out.notice(`  ${reference} is unchanged: ${why}`);
  if (facts.left.length > NAMED) out.notice(`  … and ${facts.left.length - NAMED} more are unchanged`);
  hintLeft({request, batch, claims}, facts.left);
  return undefined;
}

/** What would send the rows that a retry left unchanged. */
function hintLeft(
  {request, batch: {journal, plan}, claims}: Pick<ConfirmedRun, 'request' | 'batch' | 'claims'>,
  left: RetryFacts['left'],
): void {
  const {context, typed} = request;
  const {out, profile, commands, clock} = context;
  const used = left.filter(({elsewhere}) => elsewhere !== undefined);
  const places = new Set(used.flatMap(({elsewhere}) => elsewhere ?? []));
  const rows = used.flatMap(({reference}) => journal.rows.of(reference) ?? []);
  const alike = countAlike(claims.registry, rows, clock.now());
  const accepted = [
    ...[...places].flatMap((place) => accepting('paid-elsewhere', place)),
    ...(alike > 0 ? accepting('duplicates', alike) : []),
  ];
  const paid = used.find(({paidBy}) => paidBy !== undefined);
  if (paid?.paidBy !== undefined)
    out.hint(
      `if record ${paid.paidBy} is the payment of row ${paid.reference}: ${typing(request, plan)('resolve', paid.reference, '--paid', paid.paidBy)}`,
    );
  if (places.size > 0) out.hint(`if these are other payments: ${commands.again(typed, {add: accepted})}`);
  const isHeld = left.some(({reference}) => {
    const {state, code} = journal.rows.of(reference)?.outcome ?? {};
    return state === 'held' && code !== NOT_COMPARED_CODE;
  });
  if (isHeld && !isCapped(profile.caps))
    out.hint(
      `if the differences are acceptable: ${typing(request, plan)('release', ...accepting('differences'))}`,
    );
}
