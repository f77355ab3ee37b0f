import {idText} from '../../../contract/ids.ts';
import type {OperationId} from '../../../contract/operations/operations.ts';
import type {JsonFields} from '../../../narrow.ts';
import {recordsOf} from '../reads/page-asked.ts';
import {failedReplyText, replyOutcome} from '../survey/asker.ts';
import {toAdd} from '../survey/finding.ts';
import {isGood, lacksRoute, rowOf} from '../survey/survey.ts';
import {probedIdIn, recordIn} from './kinds.ts';
import {mayHaveCreated, type Probe} from './steps.ts';

/** The name of the payee, and the description of the move, that probes leave behind. */
const MARK = 'remit doctor';

/**
 * Creates a payee without a payment method. It cannot be deleted, but nothing can be paid to it. A later probe finds it
 * and creates no other.
 */
export const probePayee = (probe: Probe): Promise<void> =>
  leaveOne(probe, {noun: 'payee', resource: 'payees', marked: 'name', body: {name: MARK, type: 'business'}});

/**
 * Creates a move of the smallest amount between the first two subaccounts of one currency, and does not approve it. It
 * cannot be canceled.
 */
export async function probeMove(probe: Probe): Promise<void> {
  const accounts = probe.survey.samples.get('subaccounts.list')?.canonical ?? [];
  const pair = accounts.flatMap((from, at) => {
    const to = accounts.slice(at + 1).find((other) => other['currency_code'] === from['currency_code']);
    return to === undefined ? [] : [[from, to] as const];
  })[0];
  if (pair === undefined)
    return probe.survey.unknown('routes.moves.create', 'no two subaccounts of one currency', {row: 7});
  const [from, to] = pair;
  const body = {
    ...{source_subaccount_id: from['id'], destination_subaccount_id: to['id']},
    ...{amount_in_minor_units: 1, currency_code: from['currency_code'], description: MARK},
  };
  await leaveOne(probe, {noun: 'move', resource: 'moves', marked: 'description', body});
}

interface Leaving {
  readonly noun: 'payee' | 'move';
  readonly resource: 'payees' | 'moves';
  /** The field that contains `MARK`. */
  readonly marked: string;
  readonly body: JsonFields;
}

async function leaveOne(probe: Probe, {noun, resource, marked, body}: Leaving): Promise<void> {
  const {context, survey, probed} = probe;
  const operation: OperationId = `${resource}.create`;
  const check = `routes.${operation}`;
  const row = rowOf(operation);
  if (survey.samples.get(`${resource}.list`) === undefined)
    return survey.unknown(check, `not tried, because the list of ${resource} cannot be read`, {row});
  const page = await survey.ask(`${resource}.list`, {query: {limit: survey.draft.file.paging?.max ?? 100}});
  const earlier = recordsOf(page)?.find((record) => record[marked] === MARK);
  if (earlier !== undefined) {
    const evidence = `not tried again: an earlier probe created ${noun} ${idText(earlier['id']) ?? 'without an id'}, by this route or another`;
    return survey.unknown(check, evidence, {row});
  }
  const reply = await survey.ask(operation, {body});
  const id = isGood(reply) ? probedIdIn(reply, context) : undefined;
  if (id !== undefined) {
    const {status} = recordIn(reply);
    probed.left.push({noun, id, status: typeof status === 'string' ? status : null});
    return survey.holds(check, `${replyOutcome(reply)} (${noun} ${id}, which remains)`, {row});
  }
  const evidence = failedReplyText(reply, 'a record with an id');
  if (mayHaveCreated(reply)) {
    const fix = context.commands.read(resource, 'list');
    return survey.unknown(check, `${evidence}; a ${noun} may have been created`, {row, fix});
  }
  if (lacksRoute(reply))
    survey.differs(check, evidence, {row, fix: toAdd({routes: {[operation]: 'POST /path/creates'}})});
  else if (reply.assumption !== undefined)
    survey.differs(check, evidence, {row, fix: `set ${reply.assumption.key} in the service file`});
  else survey.unknown(check, evidence, {row});
}
