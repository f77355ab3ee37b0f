import {RemitError} from '../../errors.ts';
import {currencyPath, majorName, minorPath} from './csv.ts';
import type {Printable} from '../../narrow.ts';
import {nearest} from '../../nearest.ts';
import {selectedValue} from './select.ts';
import {type Field, majorOf, text, type View} from './view.ts';

/** The names that `--fields` accepts. */
export interface KnownFields {
  /** Dotted paths that the answer of this command may have; `metadata.*` if the names are free. */
  paths: readonly string[];
  /** `refuse` if nothing was done yet, as for a read; `warn` if something was. */
  onUnknown: 'refuse' | 'warn';
}

/**
 * Names in `--fields` that exist neither in a given record nor in the known fields.
 * @param known.major amounts in major units are calculated: `amount` exists if `amount_in_minor_units` does
 */
export function unknownFields(
  fields: readonly string[],
  records: readonly Printable[],
  known: {paths: readonly string[]; view?: View | undefined; major?: boolean},
): string[] {
  if (records.length === 0 && known.paths.length === 0) return [];
  const names = new Set([
    ...known.paths,
    ...[...(known.view?.card ?? []), ...(known.view?.columns ?? [])].map(({path}) => path),
  ]);
  const exists = (field: string) =>
    names.has(field) || records.some((record) => selectedValue(record, field) !== undefined);
  return fields.filter((field) => {
    if (exists(field) || (known.major === true && exists(minorPath(field)))) return false;
    const parents = field.split('.').map((_, index, steps) => steps.slice(0, index).join('.'));
    return !parents.some((parent) => parent !== '' && names.has(`${parent}.*`));
  });
}

/** Names that are shown. The service chooses the names of a record, and a line break in one would forge a hint. */
const FIELD_NAME = /^[A-Za-z_][\w-]{0,63}$/;

/** Names the unknown field and the known ones. */
export function unknownField(
  field: string,
  records: readonly Printable[],
  known: {paths: readonly string[]; view?: View | undefined; major?: boolean},
): RemitError {
  const first = records[0];
  const own = first !== null && typeof first === 'object' && !Array.isArray(first) ? Object.keys(first) : [];
  const stored = [...own.filter((name) => FIELD_NAME.test(name)), ...known.paths];
  const major = known.major === true ? stored.flatMap((name) => majorName(name) ?? []) : [];
  const names = [...new Set([...stored, ...major])].filter((name) => !name.endsWith('*'));
  const near = names.find((name) => name === minorPath(field)) ?? nearest(field, names);
  const all = names.filter((name) => !name.includes('.')).sort();
  return new RemitError(
    'USAGE',
    `--fields names ${JSON.stringify(field)}, which is not a field of this result`,
    {
      hint: `${near === undefined ? '' : `did you mean ${near}? `}It has ${all.join(', ')}`,
      details: {unknown: field, known: names},
    },
  );
}

/**
 * The column or line that `--fields` names. Amounts in major units are calculated as in CSV: `amount` of
 * `amount_in_minor_units`.
 */
export function fieldNamed(path: string, fields: readonly Field[]): Field {
  const own = fields.find((field) => field.path === path);
  if (own !== undefined) return own;
  const [minor, currency] = [minorPath(path), currencyPath(path)];
  const plain = fields.find((field) => field.path === minor) ?? text(path, path);
  return {
    ...plain,
    path,
    show: (value, record, eye) => {
      const amount = selectedValue(record, minor);
      return value === undefined && amount !== undefined
        ? majorOf(amount, selectedValue(record, currency))
        : text(path, path).show(value, record, eye);
    },
  };
}
