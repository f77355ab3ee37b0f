import {unwrapRecord} from '../../client/answers/envelope.ts';
import type {Result} from '../../client/requests/resource.ts';
import {LIFECYCLES} from '../../contract/lifecycle.ts';
import {EXIT, RemitError} from '../../errors.ts';
import {selectedValue} from '../../output/records/select.ts';
import {plainValue} from '../../output/records/view.ts';
import {moveView} from '../../output/views/moves.ts';
import type {Amount} from '../input/amounts.ts';
import type {Context} from '../core/context.ts';
import type {Typed} from '../line/command-line.ts';
import {moveDetails} from '../write/account-details.ts';
import {guardedAmountText} from '../guard/amount-text.ts';
import {hintAfter, isStillCreated, unintendedStatus} from '../write/answered-status.ts';
import {checkCreated} from '../write/created-record.ts';
import {recordFacts} from '../write/record-facts.ts';
import {sendOnce} from '../write/send-once.ts';
import {requireIds} from './names.ts';
import {done, type CommandOutcome} from '../core/outcome.ts';
import type {JsonObject} from '../../narrow.ts';

/** Creates a move between two subaccounts; no idempotency key is documented for it. */
export async function createMove(
  context: Context,
  request: {
    body: JsonObject;
    amount: Amount;
    dryRun: boolean | undefined;
    accepts: readonly string[];
    typed: Typed;
  },
): Promise<CommandOutcome> {
  const {body, amount} = request;
  requireIds(context, body, {source_subaccount_id: 'subaccount', destination_subaccount_id: 'subaccount'});
  const source = plainValue(body['source_subaccount_id']);
  const destination = plainValue(body['destination_subaccount_id']);
  const shownBy = (id: string) => ['moves', 'get', id];
  const sent = await sendOnce(context, {
    operation: 'moves.create',
    body,
    dryRun: request.dryRun,
    facts: {
      operation: 'create a move',
      party: ['subaccount', destination],
      amountMinor: amount.minor,
      currency: amount.currency,
      details: () => moveDetails(context, body, 'wait'),
    },
    announce: `Creating a move of ${guardedAmountText(amount.minor, amount.currency)} from subaccount ${source} to ${destination}`,
    noun: 'move',
    reportsWarning: true,
    checkedBy: ['moves', 'list', '--limit', '5'],
    shownBy,
    payment: {
      ...{kind: 'move', party: destination, source, parties: `from subaccount ${source} to ${destination}`},
      ...{amountMinor: amount.minor, currency: amount.currency ?? null, body},
      ...{accepts: request.accepts, typed: request.typed},
    },
  });
  if (sent.dryRun) return done(sent.dryRun);
  const record = unwrapRecord(sent.result.data);
  checkCreated(context, {noun: 'move', resource: 'moves', asked: body, record, shownBy});
  const shown = showMove(context, sent.result, 'created');
  const id = selectedValue(shown.data, 'id');
  if (
    !context.effects.isPartial &&
    sent.result.status === 201 &&
    typeof id === 'string' &&
    selectedValue(shown.data, 'status') === 'CREATED'
  ) {
    context.out.note('The move needs an approval before any money moves:');
    context.out.hint(context.commands.write('moves', 'approve', id));
  }
  return shown;
}

/** Approves a move, which settles at once: 201, or 207 if settlement had a recoverable problem. */
export async function approveMove(
  context: Context,
  request: {id: string; dryRun: boolean | undefined; stated?: Amount | undefined},
): Promise<CommandOutcome> {
  const {id, stated} = request;
  try {
    const sent = await sendOnce(context, {
      operation: 'moves.approve',
      params: {move_id: id},
      dryRun: request.dryRun,
      facts: () =>
        recordFacts(context, {
          ...{verb: 'approve', noun: 'move', id, stated},
          read: () => readMove(context, id),
          details: (record) => moveDetails(context, record, 'approve'),
        }),
      noun: 'move',
      reportsWarning: true,
      id,
      done: 'was approved',
      checkedBy: ['moves', 'get', id],
      read: () => readMove(context, id),
    });
    if (sent.dryRun) return done(sent.dryRun);
    if (sent.unread) return {data: sent.result.data, exitCode: EXIT.PARTIAL};
    return showMove(context, sent.result, 'approved');
  } catch (error) {
    throw await explainRefusal(context, error, id);
  }
}

/**
 * Interface document, "Move": only a move in CREATED can be approved, so both an earlier approval and a lack of funds
 * cause a 400. The move itself shows which it was.
 */
async function explainRefusal(context: Context, error: unknown, id: string): Promise<unknown> {
  if (!(error instanceof RemitError) || error.httpStatus !== 400) return error;
  const {commands} = context;
  const again = (note: string, hint: string) => {
    const {httpStatus, requestId, details, body, exitCode, retryable, cause} = error;
    return new RemitError(error.code, `${error.message}. ${note}`, {
      ...{httpStatus, requestId, details, body, exitCode, retryable, cause, hint},
    });
  };
  let move: unknown;
  try {
    move = unwrapRecord(await readMove(context, id));
  } catch (trouble) {
    const why = trouble instanceof RemitError ? trouble.message : 'its answer was unreadable';
    return again(`Whether the move is settled is unknown: ${why}`, commands.read('moves', 'get', id));
  }
  const status = plainValue(selectedValue(move, 'status'));
  if (status !== 'CREATED')
    return again(
      `The move is ${status} already; this request changed nothing`,
      commands.read('moves', 'get', id),
    );
  const source = plainValue(selectedValue(move, 'source_subaccount_id'));
  return again(
    `The move is still CREATED: no money moved. Check the source subaccount`,
    commands.read('subaccounts', 'get', source),
  );
}

/** As the service answers it, for the guard to check. */
export async function readMove(context: Context, id: string): Promise<unknown> {
  return (await context.client.moves.get({move_id: id}, {signal: context.stop.signal})).data;
}

/**
 * Handles a write's answer, without its envelope: shows it, or reports a partial success with 207, an approved move
 * that is still CREATED, or a status that is not the intended one.
 */
function showMove(
  {out, commands}: Context,
  {data, status, warning}: Result<unknown>,
  meant: 'created' | 'approved',
): CommandOutcome {
  const move = unwrapRecord(data);
  out.record(move, moveView);
  const lifecycle = LIFECYCLES.move;
  const tracked = {resource: 'moves', lifecycle, noun: 'move', isNew: true};
  const unintended = isStillCreated(meant, lifecycle, {data: move, status})
    ? 'the move was not settled: its status is still CREATED'
    : unintendedStatus(meant, tracked, {data: move, status});
  if (status !== 207 && unintended === undefined) return done(move);
  out.warn(warning ?? unintended ?? 'the service answered 207');
  const next = commands.read('moves', 'get', plainValue(selectedValue(move, 'id')));
  out.hint(warning === undefined ? hintAfter({commands}, next, tracked, move) : next);
  return {data: move, exitCode: EXIT.PARTIAL};
}
