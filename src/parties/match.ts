import {REFERENCE_METADATA_KEY} from '../batch/model/identity.ts';
import {VERIFICATION_STATUSES} from '../contract/lifecycle.ts';
import {isObject} from '../narrow.ts';
import type {PartyRow} from './row.ts';

/** A payee or payer as the service shows it. */
export interface ShownParty {
  id: string;
  name: string;
  email: string | undefined;
  reference: string | undefined;
  /** Whether the service keeps metadata of it: without, a record is known by its name. */
  hasMetadata: boolean;
}

/** Undefined without a readable id. */
export function shownParty(record: unknown): ShownParty | undefined {
  if (!isObject(record)) return undefined;
  const {id, name, email, metadata} = record;
  if (typeof id !== 'string' || id === '') return undefined;
  const reference = isObject(metadata) ? metadata[REFERENCE_METADATA_KEY] : undefined;
  return {
    id,
    name: typeof name === 'string' ? name : '',
    email: typeof email === 'string' ? email : undefined,
    reference: typeof reference === 'string' ? reference : undefined,
    hasMetadata: isObject(metadata),
  };
}

/** Whether a record without metadata may be that of a row. */
export const isNamedAs = ({name, email, hasMetadata}: ShownParty, {party}: PartyRow): boolean =>
  !hasMetadata && name === party.name && (email ?? '') === (party.email ?? '');

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
