import {LIFECYCLES} from '../../../contract/lifecycle.ts';
import {RemitError} from '../../../errors.ts';
import {plainValue} from '../../../output/records/view.ts';
import {moveView} from '../../../output/views/moves.ts';
import type {Context} from '../../core/context.ts';
import {moveDetails} from '../../write/details.ts';
import type {MoneyKind} from './money-kind.ts';
import {asRecord, type ServiceRecord} from '../../../client/answers/record.ts';

/** Moves between two subaccounts. An approval settles one at once: 201, or 207 after a recoverable problem. */
export const MOVE: MoneyKind = {
  ...{resource: 'moves', topic: 'moves', noun: 'move', view: moveView, lifecycle: LIFECYCLES.move},
  idParam: 'move_id',
  read: readMove,
  details: (context, _, record) => moveDetails(context, record, 'approve'),
  creates: {
    ...{takesKey: false, partyLabel: 'subaccount', sourceLabel: 'subaccount '},
    ...{partyField: 'destination_subaccount_id', sourceField: 'source_subaccount_id'},
    ids: {source_subaccount_id: 'subaccount', destination_subaccount_id: 'subaccount'},
    details: (context, body) => moveDetails(context, asRecord(body), 'wait'),
    listWords: () => ['moves', 'list', '--limit', '5'],
  },
  explain: (context, _, id, error) => explainRefusal(context, id, error),
};

/**
 * Interface document, "Move": only a move in CREATED can be approved, so both an earlier approval and a lack of funds
 * cause a 400. The move itself shows which it was.
 */
async function explainRefusal(context: Context, id: string, error: unknown): Promise<unknown> {
  if (!(error instanceof RemitError) || error.httpStatus !== 400) return error;
  const {commands} = context;
  const again = (note: string, hint: string) => {
    const {httpStatus, requestId, details, body, exitCode, retryable, cause} = error;
    return new RemitError(error.code, `${error.message}. ${note}`, {
      ...{httpStatus, requestId, details, body, exitCode, retryable, cause, hint},
    });
  };
  let move: ServiceRecord;
  try {
    move = await readMove(context, id);
  } catch (trouble) {
    const why = trouble instanceof RemitError ? trouble.message : 'its answer was unreadable';
    return again(`Whether the move is settled is unknown: ${why}`, commands.read('moves', 'get', id));
  }
  const status = plainValue(move.status);
  if (status !== LIFECYCLES.move.initial)
    return again(
      `The move is ${status} already; this request changed nothing`,
      commands.read('moves', 'get', id),
    );
  const source = plainValue(move.source_subaccount_id);
  return again(
    `The move is still CREATED: no money moved. Check the source subaccount`,
    commands.read('subaccounts', 'get', source),
  );
}

async function readMove({client, stop}: Context, id: string): Promise<ServiceRecord> {
  return (await client.record('moves.get', {params: {move_id: id}, options: {signal: stop.signal}})).data;
}
