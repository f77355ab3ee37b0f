import {isObject, type JsonObject} from '../../narrow.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {REFERENCE_METADATA_KEY} from '../model/identity.ts';
import type {Kind} from '../model/kinds.ts';
import type {FieldDifference} from '../model/outcome.ts';
import {ROW_FIELDS} from '../model/row-fields.ts';
import {asFetched, metadataOf, valueIn} from './echo.ts';

/** The fields for which a record is held, with what was asked and what was answered. Metadata is compared by key. */
export function differencesOf(record: JsonObject, row: JournalRow, kind: Kind): FieldDifference[] {
  const fields = ROW_FIELDS.flatMap((field) => {
    if (!('echo' in field) || field.cell === 'metadata') return [];
    const [asked, answered] = [row[field.name], valueIn(record, {...field, wire: field.wire[kind]})];
    // Of the fields that make a record another payment, only a missing one holds it.
    const isDifferent = field.echo === 'differs' ? answered !== asked : answered === undefined;
    return asked === null || !isDifferent ? [] : [{field: field.wire[kind], ...bothOf(asked, answered)}];
  });
  return [...fields, ...metadataDifferences(record['client_metadata'], row)];
}

/** The same for a record that is fetched by its id. A field that it omits is none: only a status is promised. */
export const fetchedDifferences = (record: JsonObject, row: JournalRow, kind: Kind): FieldDifference[] =>
  differencesOf(asFetched(record, row, kind), row, kind);

/** Why a row is held. */
export const heldText = (differences: readonly FieldDifference[], kind: Kind): string =>
  `its record differs from the row: ${differenceText(differences, kind)}`;

/** The fields that the record lacks although they decide whose payment it is. */
export const notComparedIn = (differences: readonly FieldDifference[]): string[] =>
  differences.flatMap(({field, answered}) => (answered === null && DECISIVE.has(field) ? [field] : []));

const DECISIVE: ReadonlySet<string> = new Set(
  ROW_FIELDS.flatMap((field) =>
    'echo' in field && field.echo === 'other' ? [field.wire.payout, field.wire.payin] : [],
  ),
);

function metadataDifferences(found: unknown, row: JournalRow): FieldDifference[] {
  const echoed = isObject(found) ? found : {};
  const asked = {...metadataOf(row), [REFERENCE_METADATA_KEY]: row.reference};
  return Object.entries(asked).flatMap(([key, value]) =>
    echoed[key] === value ? [] : [{field: `metadata.${key}`, ...bothOf(value, echoed[key])}],
  );
}

const bothOf = (asked: string | number, answered: unknown): Omit<FieldDifference, 'field'> => ({
  asked: String(asked),
  answered: answered === undefined || answered === null ? null : textOf(answered),
});

/** A value from the service, short enough for a message. */
function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none');
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** The interface document has both names (assumption 51), and a service ignores the one that it does not know. */
const OTHER_METADATA_NAME =
  'remit sends metadata under the name metadata, which is assumed (row 51); if this service reads payout_metadata, cancel the batch, set fields.payouts.create.metadata to payout_metadata in the service file, and run the file as another batch (status --row prints the commands)';

/** Whether the service may read metadata under another name: it returned none. */
export function isMetadataUnread(differences: readonly FieldDifference[], kind: Kind): boolean {
  const metadata = differences.filter(({field}) => field.startsWith('metadata.'));
  return kind === 'payout' && metadata.length > 0 && metadata.every(({answered}) => answered === null);
}

/** `rail is instant instead of standard_ach; metadata.note is missing (asked: rent)` */
export function differenceText(differences: readonly FieldDifference[], kind: Kind): string {
  const parts = differences.map(({field, asked, answered}) =>
    answered === null
      ? `${field} is missing (asked: ${asked})`
      : `${field} is ${answered} instead of ${asked}`,
  );
  return parts.join('; ') + (isMetadataUnread(differences, kind) ? `. ${OTHER_METADATA_NAME}` : '');
}
