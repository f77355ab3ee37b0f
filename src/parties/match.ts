import {REFERENCE_METADATA_KEY} from '../batch/model/identity.ts';
import {VERIFICATION_STATUSES} from '../contract/lifecycle.ts';
import {isObject} from '../narrow.ts';
import type {PartyRow} from './row.ts';

/** A payee or payer as the service shows it. */
export interface ShownParty {
  id: string;
  name: string;
  email: string | undefined;
  /** Undefined if the service keeps no metadata of payees and payers. */
  reference: string | undefined;
  /** Milliseconds since the epoch; 0 if it is not shown. */
  createdAt: number;
}

/** Undefined without a readable id. */
export function shownParty(record: unknown): ShownParty | undefined {
  if (!isObject(record)) return undefined;
  const {id, name, email, metadata, created_at: created} = record;
  if (typeof id !== 'string' || id === '') return undefined;
  const reference = isObject(metadata) ? metadata[REFERENCE_METADATA_KEY] : undefined;
  const createdAt = typeof created === 'string' ? Date.parse(created) : Number.NaN;
  return {
    id,
    name: typeof name === 'string' ? name : '',
    email: typeof email === 'string' ? email : undefined,
    reference: typeof reference === 'string' ? reference : undefined,
    createdAt: Number.isNaN(createdAt) ? 0 : createdAt,
  };
}

/** The clocks of the service and of this machine may differ. */
const CLOCKS_MS = 10 * 60_000;

/** Whether a record without a reference is that of a row which was first sent at some time. */
export const isPartyOf = ({name, email, createdAt}: ShownParty, {party}: PartyRow, since: number): boolean =>
  name === party.name && (email ?? '') === (party.email ?? '') && createdAt >= since - CLOCKS_MS;

/** A bank account or card as the service shows it. */
export interface ShownMethod {
  id: string;
  type: unknown;
  country: unknown;
  last4: unknown;
  verification: string | null;
  isDefault: boolean;
}

export function shownMethod(record: unknown): ShownMethod | undefined {
  if (!isObject(record)) return undefined;
  const {id, type, country_code: country, last4, verification_status: status, is_default: isDefault} = record;
  if (typeof id !== 'string' || id === '') return undefined;
  const verification = VERIFICATION_STATUSES.find((known) => known === status) ?? null;
  return {id, type, country, last4, verification, isDefault: isDefault === true};
}

export const isMethodOf = ({type, country, last4}: ShownMethod, {account}: PartyRow): boolean =>
  type === account.type && country === account.country && last4 === account.last4;
