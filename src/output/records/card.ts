import {isObject, type Json, asObject} from '../../narrow.ts';
import {fieldNamed} from './known-fields.ts';
import {selectedValue} from './select.ts';
import {plainValue, text, type Eye, type Field, type View} from './view.ts';
import {wrapValue} from '../text/wrap.ts';

/** Fields shown elsewhere: the deprecated alias, the currency next to its amount, a 207's warning on stderr. */
const REPEATED = new Set(['amount_in_cents', 'currency_code', 'warning']);

/**
 * One record as lines of label and value: aligned on a terminal, tab-separated in a pipe. Fields unknown to the view
 * are shown after the known ones, so that nothing from the service is hidden.
 */
export function cardText(record: Json, view: View | undefined, fields: readonly string[], eye: Eye): string {
  const lines = cardFields(record, view, fields).map((field): [string, string] => [
    field.label,
    field.show(selectedValue(record, field.path), record, eye),
  ]);
  if (!eye.terminal)
    return lines.map(([label, value]) => `${label}\t${value.replaceAll('\n', '; ')}\n`).join('');
  const width = Math.max(0, ...lines.map(([label]) => label.length));
  const room = Math.max(20, eye.columns - width - 2);
  const below = `\n${' '.repeat(width + 2)}`;
  return lines
    .map(([label, value]) => {
      const shown = wrapValue(value, room).replaceAll('\n', below);
      return `${eye.paint('dim', label.padEnd(width))}  ${shown}\n`;
    })
    .join('');
}

function cardFields(record: Json, view: View | undefined, fields: readonly string[]): Field[] {
  const known = view?.card ?? [];
  if (fields.length > 0) return fields.map((path) => fieldNamed(path, known));
  if (!isObject(record)) return [text('value', '')];
  const present = known.filter((field) => selectedValue(record, field.path) !== undefined);
  const shown = new Set(known.map((field) => field.path));
  const unknown = Object.keys(record).filter((key) => !shown.has(key) && !(view && REPEATED.has(key)));
  return [...present, ...unknown.flatMap((key) => unfold(record, key, shown))];
}

/**
 * A nested object becomes one line for each of its values that is not shown elsewhere; deeper values stay JSON. An
 * absent object whose fields the view knows is not shown.
 */
function unfold(record: object, key: string, shown: ReadonlySet<string>): Field[] {
  const value = selectedValue(record, key);
  if (value === null && [...shown].some((path) => path.startsWith(`${key}.`))) return [];
  if (!isObject(value)) return [text(key, key)];
  return Object.keys(value)
    .filter((inner) => !shown.has(`${key}.${inner}`))
    .map((inner) => ({
      ...text(`${key}.${inner}`, key),
      show: (outer: Json) => plainValue(asObject(outer)[inner]),
    }));
}
