import {asksForApproval} from '../../client/requests/approval.ts';
import type {KeyedOptions, Result} from '../../client/requests/resource.ts';
import {LIFECYCLES, mayNeedInitiation} from '../../contract/lifecycle.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {isObject, type Json} from '../../narrow.ts';
import {capital, listed} from '../../phrases.ts';
import type {Context} from '../core/context.ts';
import type {ChosenKey, EntryMemory} from '../doubts/payment.ts';
import {isContinuing} from './compare.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/** A create of a payin or payout. With `auto_approve` it may take two requests: created and compared, then released. */
export interface CreateSteps {
  readonly noun: 'payin' | 'payout';
  readonly resource: 'payins' | 'payouts';
  readonly isApproved: boolean;
  /** The bodies that may be sent. */
  readonly bodies: readonly Json[];
  /** The operations that may follow on the new record. */
  readonly follows: readonly OperationId[];
  /** The body of a dry run: with a key of the caller's, that of the first request. */
  readonly previewed: (given: string | undefined) => Json;
  /**
   * What a command prints and records between the two requests, so that any end after it names the record.
   * @param repeat the command that repeats it with the same key
   */
  readonly between: (key: ChosenKey, repeat: string) => Pick<KeyedOptions, 'onCreated' | 'showCommand'>;
  /** An approval whose answer has no known status may have paid: the same command has to ask before it pays again. */
  readonly remember: (memory: EntryMemory, result: Pick<Result<ServiceRecord>, 'data' | 'status'>) => void;
}

/** The compared fields, as messages name them. */
const WORDS: Readonly<Record<string, string>> = {
  ...{payee_id: 'payee', payer_id: 'payer', amount_in_minor_units: 'amount', currency_code: 'currency'},
  ...{subaccount_id: 'subaccount', client_metadata: 'metadata'},
};

/**
 * Undefined for any other operation.
 * @param body in its canonical form
 * @param sent the body as it is sent, if `isRaw`
 */
export function createStepsOf(
  context: Context,
  operation: OperationId | undefined,
  {body, sent = body, isRaw = false}: {body: Json; sent?: Json; isRaw?: boolean},
): CreateSteps | undefined {
  if ((operation !== 'payins.create' && operation !== 'payouts.create') || !isObject(body)) return undefined;
  const {out, profile, codec} = context;
  const [noun, resource] =
    operation === 'payins.create' ? (['payin', 'payins'] as const) : (['payout', 'payouts'] as const);
  const isApproved = asksForApproval(body);
  const first = codec.withoutApproval(operation, sent, isRaw);
  return {
    ...{noun, resource, isApproved},
    bodies: isApproved ? [sent, first] : [sent],
    follows: isApproved && profile.approveById ? [`${resource}.approve`] : [],
    previewed: (given) => {
      if (given === undefined || !isApproved) return sent;
      out.note(FIRST_OF_TWO);
      return first;
    },
    between: (key, repeat) => betweenSteps(context, {noun, resource, repeat, ...key}),
    remember: (memory, {data: {id, status}, status: http}) => {
      const isKnown = status !== undefined && Object.hasOwn(LIFECYCLES[noun].next, status);
      if (isApproved && !isKnown && !isContinuing(http, status) && http !== 207 && id !== undefined)
        memory.unclear(id);
    },
  };
}

function betweenSteps(
  {out, commands, effects, profile, grants}: Context,
  {
    noun,
    resource,
    idempotencyKey,
    repeat,
    memory,
  }: Pick<CreateSteps, 'noun' | 'resource'> & ChosenKey & {repeat: string},
): Pick<KeyedOptions, 'onCreated' | 'showCommand'> {
  return {
    showCommand: (id) => commands.read(resource, 'get', id),
    onCreated: ({id, status, attempts, replayed, compared}) => {
      memory.known(id);
      if (replayed) noteReplay({out}, noun, {id, attempts});
      const seen = status === null ? '' : ` (status: ${status})`;
      const same = listed(compared.map((field) => WORDS[field] ?? field));
      const rest = mayNeedInitiation(status)
        ? 'It is approved already; the request is sent again in case the service has not started it.'
        : 'Its approval is sent now.';
      out.notice(`${capital(noun)} ${id} exists${seen} and has the same ${same}. ${rest}`);
      out.notice(`If this command is interrupted, continue with: ${repeat}`); // a killed process prints nothing more
      const sent = mayNeedInitiation(status) ? '' : ', and its approval may have been sent';
      const done = `${replayed ? 'existed already' : 'was created'}${sent}`;
      if (profile.approveById) grants.allow({operation: `${resource}.approve`, params: {id}});
      effects.took({noun, done, id, status, idempotencyKey, next: repeat});
    },
  };
}

/** Nothing new was created: by an earlier attempt of this command, or by an earlier command with this key. */
export function noteReplay(
  {out}: Pick<Context, 'out'>,
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
const FIRST_OF_TWO =
  'This is the first of two requests. The second one is the same with auto_approve true, and is sent only if the first answer is this payment.';
