import type {IdFormat} from '../contract/ids.ts';
import type {OperationId} from '../contract/operations/operations.ts';
import type {SignatureForm} from '../contract/signature-form.ts';
import type {JsonFields} from '../narrow.ts';

/**
 * How a service differs from the contract: the service file, parsed and checked. Every key is optional; without it
 * the contract applies. `schema.ts` describes each key for people and machines.
 */
export interface ServiceFile {
  /** Routes by operation: `POST /v1/payouts`. */
  readonly routes?: Readonly<Partial<Record<OperationId, string>>>;
  readonly prefixes?: Readonly<Partial<Record<PrefixName, string>>>;
  /** Bodies by operation: `none` sends no body, an object is sent as the body. */
  readonly bodies?: Readonly<Partial<Record<OperationId, BodyRule>>>;
  /** Names on the wire by resource or operation, then by canonical name. */
  readonly fields?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Query parameters by resource, then by filter of its list; false if the service cannot filter by it. */
  readonly filters?: Readonly<Record<string, Readonly<Record<string, string | false>>>>;
  /** Units by `resource.field`. */
  readonly units?: Readonly<Record<string, Unit>>;
  readonly envelopes?: Envelopes;
  readonly paging?: Paging;
  readonly errors?: ErrorShape;
  /** Canonical statuses by resource, then by the status on the wire. */
  readonly statuses?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly headers?: {readonly requestId?: string; readonly send?: Readonly<Record<string, string>>};
  readonly keys?: KeyRules;
  readonly metadata?: {readonly reference?: string};
  readonly ids?: {readonly format?: IdFormat};
  readonly webhooks?: WebhookRules;
}

export interface WebhookRules extends SignatureForm {
  /** Path to the signing secret in a record of an endpoint. */
  readonly secret?: string;
  /** Path to the flag that an endpoint is active, or the field with its two values. */
  readonly active?: string | {readonly field: string; readonly on: string; readonly off: string};
}

export type PrefixName = 'api' | 'treasury' | 'webhookEndpoints';
export type BodyRule = 'none' | JsonFields;

export const AMOUNT_UNITS = ['minor', 'minor-text', 'major', 'major-number'] as const;
export const TIME_UNITS = ['iso', 'seconds', 'milliseconds'] as const;
export type AmountUnit = (typeof AMOUNT_UNITS)[number];
export type TimeUnit = (typeof TIME_UNITS)[number];
export type Unit = AmountUnit | TimeUnit;

export interface Envelopes {
  /** Path to the record in an answer, for all operations or by operation; an empty path is the answer itself. */
  readonly record?: string | Readonly<Record<string, string>>;
  /** Path to the items of a list, for all lists, or by resource or operation. */
  readonly list?: string | Readonly<Record<string, string>>;
  /** Path to the cursor of the next page. */
  readonly next?: string;
  /** Path to the flag that further pages exist. */
  readonly more?: string;
  /** Path to the number of records in the whole list. */
  readonly total?: string;
}

/**
 * How the next page is requested: with the cursor of the answer, the number of the page, the number of records before it,
 * the id of the last record, or the address in the `Link` header. `none`: the service always sends the whole list.
 */
export const PAGED_BY = ['cursor', 'page', 'offset', 'id', 'link', 'none'] as const;
export type PagedBy = (typeof PAGED_BY)[number];

export interface Paging {
  readonly by?: PagedBy;
  /** Number of the first page; 1 if absent. */
  readonly first?: number;
  /** Maximum page size. */
  readonly max?: number;
  /** Minimum page size. */
  readonly min?: number;
  /** Names of the query parameters. */
  readonly cursor?: string;
  readonly limit?: string;
  /** Name and values of the sort order, and the one of a list without it (desc if absent). False: it cannot be chosen. */
  readonly order?: false | SortOrder;
}

export interface SortOrder {
  readonly name?: string;
  readonly asc?: string;
  readonly desc?: string;
  readonly default?: 'asc' | 'desc';
}

export interface ErrorShape {
  readonly code?: string;
  readonly message?: string;
  readonly details?: string;
  /** Documented codes by the code on the wire. */
  readonly codes?: Readonly<Record<string, string>>;
}

export interface KeyRules {
  readonly header?: string;
  readonly format?: 'any' | 'uuid';
  readonly maxLength?: number;
  readonly horizon?: string;
}

const MS: Readonly<Record<string, number>> = {s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000};

/** How long a service is trusted to remember a key, if its file does not say. */
export const USUAL_HORIZON_MS = 24 * 3_600_000;

/** How long the service is trusted to remember a key. */
export const horizonMsOf = (file: ServiceFile): number => statedHorizonMs(file) ?? USUAL_HORIZON_MS;

/** Undefined if the file does not say how long the service remembers a key. */
export function statedHorizonMs({keys}: ServiceFile): number | undefined {
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(keys?.horizon ?? '') ?? [];
  return count === undefined ? undefined : Number(count) * (MS[unit] ?? 0);
}

export const isEmptyService = (file: ServiceFile): boolean => Object.keys(file).length === 0;
