import {foldReference, normaliseReference, REFERENCE_METADATA_KEY} from '../batch/model/identity.ts';
import {VERIFICATION_STATUSES} from '../contract/lifecycle.ts';
import {isObject, type Json} from '../narrow.ts';
import {listed} from '../phrases.ts';
import type {AccountFacts, PartyRow} from './row.ts';

/** A payee or payer as the service shows it. */
export interface ShownParty {
  id: string;
  name: string | undefined;
  /** Empty if the record shows that it has none. */
  email: string | undefined;
  type: string | undefined;
  reference: string | undefined;
  /** Whether the service keeps metadata of it: without, a record is known by its name. */
  hasMetadata: boolean;
}

/** Undefined without a readable id. */
export function shownParty(record: Json): ShownParty | undefined {
  if (!isObject(record)) return undefined;
  const {id, name, email, type, metadata} = record;
  if (typeof id !== 'string' || id === '') return undefined;
  const reference = isObject(metadata) ? metadata[REFERENCE_METADATA_KEY] : undefined;
  return {
    id,
    name: textOf(name),
    email: email === null ? '' : textOf(email),
    type: textOf(type),
    reference: textOf(reference),
    hasMetadata: isObject(metadata),
  };
}

const textOf = (value: Json): string | undefined => (typeof value === 'string' ? value : undefined);

/** A service may change the letters and spaces of a name. */
export const foldedName = (name: string): string => foldReference(normaliseReference(name));

/** Whether a record without metadata may be that of a row. */
export const isNamedAs = ({name = '', email = '', hasMetadata}: ShownParty, {party}: PartyRow): boolean =>
  !hasMetadata &&
  foldedName(name) === foldedName(party.name) &&
  email.toLowerCase() === (party.email ?? '').toLowerCase();

/** What a record shows otherwise than its row. What it does not show is not compared. */
export function partyDifferences(
  shown: ShownParty,
  {reference, party: {name, email = '', type}}: PartyRow,
): string[] {
  const isOther = (value: string | undefined, own: string): boolean =>
    value !== undefined && foldedName(value) !== foldedName(own);
  return [
    ...(isOther(shown.name, name) ? ['name'] : []),
    ...(shown.reference !== undefined && shown.reference !== reference ? ['reference'] : []),
    ...(isOther(shown.email, email) ? ['email'] : []),
    ...(type !== undefined && isOther(shown.type, type) ? ['type'] : []),
  ];
}

/** A bank account or card as the service shows it. */
export interface ShownMethod {
  id: string;
  /** The payee or payer that has it. */
  owner: string | undefined;
  type: Json;
  country: Json;
  last4: Json;
  verification: string | null;
  isDefault: boolean;
  /** No rail of the service can pay it, verified or not; undefined if the record shows no rails. */
  hasNoRail: boolean | undefined;
}

export function shownMethod(record: Json): ShownMethod | undefined {
  if (!isObject(record)) return undefined;
  const {id, type, country_code: country, last4, verification_status: status, is_default: isDefault} = record;
  const owner = textOf(record['payee_id']) ?? textOf(record['payer_id']);
  if (typeof id !== 'string' || id === '') return undefined;
  const verification = VERIFICATION_STATUSES.find((known) => known === status) ?? null;
  const {supported_rails: rails} = record;
  const hasNoRail = Array.isArray(rails) ? rails.length === 0 : undefined;
  return {id, owner, type, country, last4, verification, isDefault: isDefault === true, hasNoRail};
}

/** What a bank account or card shows otherwise than its row. What it does not show is not compared. */
export function methodDifferences(
  {owner, type, country, last4}: ShownMethod,
  {account}: PartyRow,
  partyId: string,
): string[] {
  const isOther = (value: Json, own: string): boolean =>
    value !== undefined && value !== null && value !== own;
  return [
    ...(owner !== undefined && owner.toLowerCase() !== partyId.toLowerCase() ? ['owner'] : []),
    ...(isOther(type, account.type) ? ['type'] : []),
    ...(isOther(country, account.country) ? ['country'] : []),
    ...(isOther(last4, account.last4) && !isSameEnd(last4, account) ? ['last4'] : []),
  ];
}

/** A service may show fewer digits of a short number, so that some stay hidden. */
const isSameEnd = (last4: Json, account: AccountFacts): boolean =>
  typeof last4 === 'string' && last4.length > 1 && account.last4.endsWith(last4);

/** `name and email differ`. */
export const differInWords = (fields: readonly string[]): string =>
  `${listed(fields)} ${fields.length === 1 ? 'differs' : 'differ'}`;

export const isMethodOf = ({type, country, last4}: ShownMethod, {account}: PartyRow): boolean =>
  type === account.type && country === account.country && isSameEnd(last4, account);
