import type {RemitClient} from '../../client/client.ts';
import {unwrapRecord} from '../../client/answers/envelope.ts';
import {isUsableId} from '../../client/answers/readable.ts';
import {UNUSABLE_ID} from '../../client/answers/service-error.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {EXIT, RemitError} from '../../errors.ts';
import {isObject, type JsonFields, type Json} from '../../narrow.ts';
import {selectedValue} from '../../output/records/select.ts';
import type {ImportKind, PartyRow} from '../../parties/row.ts';
import type {PartyService, SendEnd} from '../../parties/party-service.ts';
import type {Sanitizer} from '../../sanitize/sanitizer.ts';
import type {Grants} from '../guard/grants.ts';

/** The operations of an import. */
export function importOperations(
  kind: ImportKind,
): Readonly<Record<'create' | 'get' | 'list' | 'add' | 'methods' | 'setDefault', OperationId>> {
  const [parties, methods] =
    kind === 'payee'
      ? (['payees', 'payeePaymentMethods'] as const)
      : (['payers', 'payerPaymentMethods'] as const);
  return {
    ...{create: `${parties}.create`, get: `${parties}.get`, list: `${parties}.list`},
    ...{add: `${methods}.add`, methods: `${methods}.list`, setDefault: `${methods}.setDefault`},
  };
}

/** The requests of a confirmed import: each is granted as it is sent, and may be repeated only by the run. */
export function partyServiceOf(
  kind: ImportKind,
  {
    client,
    grants,
    signal,
    sanitizer,
  }: {client: RemitClient; grants: Grants; signal: AbortSignal; sanitizer: Sanitizer},
): PartyService {
  const operations = importOperations(kind);
  const options = {signal};
  const owner = (id: string) => ({[`${kind}_id`]: id});
  /** An id is stored and shown, so it must not be a secret or anything else that cannot be typed. */
  const isUsable = (record: Json) => isUsableId(selectedValue(record, 'id'), sanitizer);
  const send = async (
    operation: OperationId,
    request: {params?: Record<string, string>; body?: JsonFields},
  ): Promise<SendEnd> => {
    grants.allow({operation, ...request});
    try {
      const {data, attempts: reached} = await client.call(operation, {...request, options});
      const record = unwrapRecord(data);
      return {reached, ...(isUsable(record) ? {is: 'done', record} : {is: 'unknown', why: UNUSABLE_ID})};
    } catch (error) {
      return endOf(error);
    }
  };
  async function* usableOf(operation: OperationId, query = {}) {
    for await (const record of client.list(operation, query, {all: true, checksFilters: true, signal}))
      if (isUsable(record)) yield record;
  }
  return {
    create: ({party}: PartyRow) => send(operations.create, {body: party}),
    add: ({method}, id) => send(operations.add, {params: owner(id), body: method}),
    setDefault: (partyId, methodId) =>
      send(operations.setDefault, {params: {...owner(partyId), payment_method_id: methodId}}),
    party: async (id) => {
      try {
        return unwrapRecord((await client.call(operations.get, {params: {id}, options})).data);
      } catch (error) {
        if (error instanceof RemitError && error.exitCode === EXIT.NOT_FOUND) return undefined;
        throw error;
      }
    },
    parties: () => usableOf(operations.list),
    methods: (id) => usableOf(operations.methods, owner(id)),
  };
}

/** Whether a request that failed may be sent again as it is. */
const UNSENT: ReadonlySet<string> = new Set(['UNAVAILABLE', 'RATE_LIMITED']);
/** Statuses with which the service refuses a request; 401 and 403 end the import. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([400, 404, 422, undefined]);

/**
 * Any other 4xx, or one without a body of the service, may come from a proxy, or be about an earlier copy of the request:
 * without an idempotency key it does not show that nothing was created.
 * @throws what ends the whole import: a refused key, an interruption, a defect
 */
function endOf(error: unknown): SendEnd {
  if (!(error instanceof RemitError)) throw error;
  const {code, exitCode, httpStatus, body, details} = error;
  const attempts = Number(details?.['attempts'] ?? 1);
  const reached = details?.['may_have_taken_effect'] === false ? 0 : attempts;
  const end = {why: error.message, reached};
  if (code === 'IN_DOUBT') return {is: 'unknown', ...end};
  if (UNSENT.has(code)) return {is: 'unsent', ...end};
  if (exitCode !== EXIT.INVALID && exitCode !== EXIT.NOT_FOUND && exitCode !== EXIT.CONFLICT) throw error;
  const isRefusal = REFUSALS.has(httpStatus) && (httpStatus === undefined || isObject(body));
  return {is: isRefusal ? 'refused' : 'unknown', ...end};
}
