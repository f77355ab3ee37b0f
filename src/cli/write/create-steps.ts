import {asksForApproval} from '../../client/requests/approval.ts';
import type {KeyedOptions, Result} from '../../client/requests/resource.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {LIFECYCLES} from '../../contract/lifecycle.ts';
import type {JsonFields, Json} from '../../narrow.ts';
import {capital, listed} from '../../phrases.ts';
import type {Context} from '../core/context.ts';
import type {EntryMemory} from '../doubts/payment.ts';
import {isContinuing} from './answered-status.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/** A create of a payin or payout that may take two requests: it is created, compared, and then released. */
interface SteppedCreate {
  noun: 'payin' | 'payout';
  resource: 'payins' | 'payouts';
  idempotencyKey: string;
  /** The command that repeats it with the same key. */
  repeat: string;
  memory: EntryMemory;
}

/** The compared fields, as messages name them. */
const WORDS: Readonly<Record<string, string>> = {
  ...{payee_id: 'payee', payer_id: 'payer', amount_in_minor_units: 'amount', currency_code: 'currency'},
  ...{subaccount_id: 'subaccount', client_metadata: 'metadata'},
};

/** The operation that may follow a create on its new record. */
export function mayFollow(
  {approveById}: Context['profile'],
  resource: SteppedCreate['resource'],
  body: Json,
): OperationId[] {
  return approveById && asksForApproval(body) ? [`${resource}.approve`] : [];
}

type StepContext = Pick<Context, 'out' | 'commands' | 'effects' | 'profile' | 'grants'>;

/** What a command prints and records between the two requests, so that any end after it names the record. */
export function betweenSteps(
  {out, commands, effects, profile, grants}: StepContext,
  {noun, resource, idempotencyKey, repeat, memory}: SteppedCreate,
): Pick<KeyedOptions, 'onCreated' | 'showCommand'> {
  return {
    showCommand: (id) => commands.read(resource, 'get', id),
    onCreated: ({id, status, attempts, replayed, compared}) => {
      memory.known(id);
      if (replayed) noteReplay(out, noun, {id, attempts});
      const seen = status === null ? '' : ` (status: ${status})`;
      const same = listed(compared.map((field) => WORDS[field] ?? field));
      const rest =
        status === 'approved'
          ? 'It is approved already; the request is sent again in case the service has not started it.'
          : 'Its approval is sent now.';
      out.notice(`${capital(noun)} ${id} exists${seen} and has the same ${same}. ${rest}`);
      out.notice(`If this command is interrupted, continue with: ${repeat}`); // a killed process prints nothing more
      const sent = status === 'approved' ? '' : ', and its approval may have been sent';
      const done = `${replayed ? 'existed already' : 'was created'}${sent}`;
      if (profile.approveById) grants.allow({operation: `${resource}.approve`, params: {id}});
      effects.took({noun, done, id, status, idempotencyKey, next: repeat});
    },
  };
}

/** An approval whose answer has no known status may have paid: the same command has to ask before it pays again. */
export function rememberUnclear(
  memory: EntryMemory,
  {
    body,
    noun,
    result: {data, status: http},
  }: {body: JsonFields; noun: SteppedCreate['noun']; result: Result<ServiceRecord>},
): void {
  const {id, status} = data;
  const isKnown = status !== undefined && Object.hasOwn(LIFECYCLES[noun].next, status);
  if (!asksForApproval(body) || isKnown || isContinuing(http, status) || http === 207) return;
  if (id !== undefined) memory.unclear(id);
}

/** Nothing new was created: by an earlier attempt of this command, or by an earlier command with this key. */
export function noteReplay(
  out: Pick<Context['out'], 'note'>,
  noun: string,
  {id, attempts}: {id: string; attempts: number},
): void {
  out.note(
    attempts > 1
      ? `An earlier attempt created it, but its answer was lost: there is one ${noun}, ${id}.`
      : `Nothing new was created: ${noun} ${id} already exists under this idempotency key.`,
  );
}

/**
 * The note of a dry run of a create with `auto_approve` and a key of the caller's. Only the first request is shown: the
 * second one, run by hand, would approve whatever record the key has.
 */
export const FIRST_OF_TWO =
  'This is the first of two requests. The second one is the same with auto_approve true, and is sent only if the first answer is this payment.';
