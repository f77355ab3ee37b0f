import {allOperations} from '../../contract/operations/operations.ts';
import type {Origin} from '../../contract/origin/origin.ts';
import {selectedValue} from '../../output/records/select.ts';
import {routeOf} from '../../service/routes.ts';
import type {ServiceFile} from '../../service/service-file.ts';

/** The active service file, and where it comes from. */
export interface ServiceInForce {
  readonly service: ServiceFile;
  /** `profile prod`; undefined without a service file. */
  readonly from: string | undefined;
}

/** What remit assumes beyond the interface document, except routes. */
const ASSUMED: readonly (readonly [rows: string, key: string, value: string])[] = [
  ['18', 'prefixes.treasury', '/api/treasury'],
  ['30', 'prefixes.webhookEndpoints', '/api/webhooks/endpoints'],
  ['2, 4', 'bodies', '{} for approve and cancel'],
  ['7, 10-15', 'fields', 'the names in operations.md'],
  ['51', 'fields.payouts', 'metadata, not payout_metadata'],
  ['36', 'units', 'amounts in minor units, times in ISO 8601'],
  ['6', 'envelopes.record', 'none (moves: data)'],
  ['39', 'envelopes.list', 'data'],
  ['39', 'envelopes.next', 'next_cursor'],
  ['39', 'envelopes.more', 'none'],
  ['39', 'envelopes.total', 'none'],
  ['5, 27', 'filters', 'the names in operations.md'],
  ['39', 'paging.by', 'cursor'],
  ['39', 'paging.first', '1'],
  ['41', 'paging.max', '100'],
  ['41', 'paging.min', '1'],
  ['40', 'paging.order', 'asc and desc'],
  ['39', 'paging.cursor', 'cursor'],
  ['41', 'paging.limit', 'limit'],
  ['42', 'errors.code', 'error_code'],
  ['42', 'errors.message', 'message'],
  ['42', 'errors.details', 'details'],
  ['44', 'errors.codes', 'as documented'],
  ['8, 63', 'statuses', 'as documented'],
  ['60', 'headers.send', 'none'],
  ['42', 'headers.requestId', 'x-request-id'],
  ['45', 'keys.header', 'idempotency-key'],
  ['45', 'keys.format', 'any'],
  ['45', 'keys.maxLength', '255'],
  ['46', 'keys.horizon', '24h'],
  ['51', 'metadata.reference', 'remit_reference'],
  ['59', 'ids.format', 'uuid'],
  ['31', 'webhooks.secret', 'signing_secret'],
  ['31', 'webhooks.active', 'is_active'],
  ['36', 'webhooks.timestamp', 'seconds'],
  ['', 'webhooks.timestampHeader', 'X-Webhook-Timestamp'],
  ['', 'webhooks.timestampPart', 'none'],
  ['', 'webhooks.signatureHeader', 'X-Webhook-Signature'],
  ['', 'webhooks.signaturePrefix', 'none'],
  ['', 'webhooks.signatureEncoding', 'hex'],
  ['', 'webhooks.signed', '{timestamp}.{payload}'],
  ['', 'webhooks.idHeader', 'none'],
  ['38', 'webhooks.secretEncoding', 'text'],
];

const WHERE =
  'To change a value, set its key in a service file (docs/guides/service-files.md), then run: remit profiles set NAME --service FILE';

/** `remit help assumptions`: each assumption with its current value and the origin of that value. */
export function assumptionsText({service, from}: ServiceInForce, width: number): string {
  const routes = allOperations().flatMap(({id, operation}) => {
    const rows = [operation.origin, operation.prefix?.origin].flatMap(rowOf);
    if (rows.length === 0) return [];
    const {method, path} = routeOf(id, service);
    const isAssumed = `${method} ${path}` === `${operation.method} ${operation.path}`;
    return [[rows.join(', '), `routes.${id}`, `${method} ${path}`, isAssumed ? 'assumed' : from]];
  });
  const others = ASSUMED.map(([rows, key, value]) => {
    const own = selectedValue(service, key);
    return [rows, key, own === undefined ? value : JSON.stringify(own), own === undefined ? 'assumed' : from];
  });
  const rows = [['Row', 'Key of the service file', 'Value', 'From'], ...routes, ...others];
  return `ASSUMPTIONS\n${table(rows, 2, width)}\nRow: the row in docs/internals/assumptions.md. To check them against the service: remit doctor\n${WHERE}\n`;
}

/** `remit help operations`: each operation with its current route and the origin of that route. */
export function operationsText({service, from}: ServiceInForce, width: number): string {
  const rows = allOperations().map(({id, operation}) => {
    const {method, path} = routeOf(id, service);
    const isOwn = `${method} ${path}` !== `${operation.method} ${operation.path}`;
    const [row] = rowOf(operation.origin);
    return [id, `${method} ${path}`, isOwn ? from : row === undefined ? 'given' : `assumed (row ${row})`];
  });
  return `OPERATIONS\n${table([['Operation', 'Route', 'From'], ...rows], 1, width)}\n${WHERE}\n`;
}

const rowOf = (origin: Origin | undefined): number[] => (origin?.kind === 'assumed' ? [origin.row] : []);

/** If a row does not fit, the widest column, `wide`, has a line of its own. */
function table(rows: readonly (readonly (string | undefined)[])[], wide: number, width: number): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  const line = (row: readonly (string | undefined)[], isShown: (at: number) => boolean) =>
    row
      .map((cell = '', at) => (isShown(at) ? `${cell.padEnd(widths[at] ?? 0)}  ` : ''))
      .join('')
      .trimEnd();
  const whole = rows.map((row) => `  ${line(row, () => true)}\n`);
  if (whole.every((text) => text.length <= width + 1)) return whole.join('');
  return rows
    .map((row) => `  ${line(row, (at) => at !== wide)}\n    ${line(row, (at) => at === wide)}\n`)
    .join('');
}
