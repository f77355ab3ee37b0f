import {allOperations, type OperationId} from '../../contract/operations/operations.ts';
import {requestFieldsOf} from '../../contract/origin/field-origins.ts';
import {compile} from '../compiled.ts';
import {lastPart} from '../paths.ts';
import {isReadOperation} from '../routes.ts';
import type {ServiceFile} from '../service-file.ts';
import {isAmountField} from '../units.ts';
import type {SchemaIssue} from './validate.ts';

/** A field of a request, and its place on the wire. */
interface PlacedField {
  readonly field: string;
  readonly place: string;
}

/** Objects whose keys the caller chooses. */
const isFreeForm = (field: string): boolean => field === 'metadata' || field === 'payout_metadata';

/**
 * Two fields of one request must not have one place on the wire. A field within the metadata could be set by a key of the
 * metadata, and anything within or around auto_approve could be read as an approval.
 */
export function issueInPlaces(file: ServiceFile): SchemaIssue | undefined {
  const {fields = {}} = file;
  for (const {id} of allOperations()) {
    const [resource = ''] = id.split('.');
    const own = {...fields[resource], ...fields[id]};
    if (isReadOperation(id) || Object.keys(own).length === 0) continue;
    const placed = placesIn(id, file);
    for (const one of placed.filter(({field}) => Object.hasOwn(own, field))) {
      const other = placed.find((another) => collide(one, another));
      if (other === undefined) continue;
      const holder = Object.hasOwn(fields[id] ?? {}, one.field) ? id : resource;
      const allowed = `shares its place with ${other.field} (${other.place}): the service could read one as the other`;
      return {path: ['fields', holder, one.field], allowed};
    }
  }
  return undefined;
}

function placesIn(id: OperationId, file: ServiceFile): PlacedField[] {
  const names = new Map(
    compile(id, file)
      .request.names.flat()
      .map(({canonical, wire}) => [canonical.join('.'), wire.join('.')]),
  );
  const placeOf = (field: string): string => {
    const holder = field.slice(0, Math.max(field.lastIndexOf('.'), 0));
    return names.get(field) ?? (holder === '' ? field : `${placeOf(holder)}.${lastPart(field)}`);
  };
  const known = new Set([...requestFieldsOf(id), ...names.keys()]);
  return [...known].map((field) => ({field, place: placeOf(field)}));
}

function collide(one: PlacedField, other: PlacedField): boolean {
  if (isWithin(one.field, other.field) || isWithin(other.field, one.field)) return false; // a part of it
  if (one.place === other.place) return !areAliases(one.field, other.field);
  const inner = isWithin(one.place, other.place) ? one : other;
  const outer = inner === one ? other : one;
  if (!isWithin(inner.place, outer.place)) return false;
  return isFreeForm(outer.field) || [one.field, other.field].includes('auto_approve');
}

const isWithin = (one: string, other: string): boolean => `${one}.`.startsWith(`${other}.`);

/** The interface document has two names for the amount, and for the metadata of a payout. */
const areAliases = (one: string, other: string): boolean =>
  (isFreeForm(one) && isFreeForm(other)) || (isAmountField(one) && isAmountField(other));
