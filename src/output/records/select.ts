import {RemitError} from '../../errors.ts';
import {ExactNumber, isList, isObject, messageOf, type Json, type Printable} from '../../narrow.ts';

/** The value at a dotted path (`transfer_details.trace_number`, `0.id`); undefined if there is none. */
export function selectedValue(value: Json, path: string): Json;
export function selectedValue(value: Printable, path: string): Printable;
export function selectedValue(value: Printable, path: string): Printable {
  let at = value;
  for (const step of stepsOf(path)) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, step)) return undefined;
    at = Reflect.get(at, step) as Printable; // a field of what is written as JSON
  }
  return at;
}

/** Paths that were split before: all records of a list have the same few. The limit is for paths that a service makes up. */
const STEPS = new Map<string, readonly string[]>();
const MOST_PATHS = 1000;

function stepsOf(path: string): readonly string[] {
  const met = STEPS.get(path);
  if (met !== undefined) return met;
  const steps = path.split('.');
  if (STEPS.size >= MOST_PATHS) STEPS.clear();
  STEPS.set(path, steps);
  return steps;
}

/** Keeps the named paths of a record (or of each record of an array), with their nesting, in the given order. */
export function pickFields(value: Json, fields: readonly string[]): Json {
  if (fields.length === 0) return value;
  if (isList(value)) return value.map((item) => pickFields(item, fields));
  if (!isObject(value)) return value;
  const picked: Picked = {};
  for (const path of fields) place(picked, path.split('.'), selectedValue(value, path) ?? null);
  return picked;
}

/** An object that `place` makes. */
type Picked = Record<string, Json>;

/** What `place` made, or the value of a field that was placed before. */
const isMap = (value: Json): value is Picked => value !== null && typeof value === 'object';

function place(target: Picked, steps: readonly string[], value: Json): void {
  const [step = '', ...rest] = steps;
  if (step === '__proto__') return;
  if (rest.length === 0) {
    target[step] = value;
    return;
  }
  const inner = target[step];
  const next = isMap(inner) ? inner : {};
  target[step] = next;
  place(next, rest, value);
}

/** Parses `--fields a,b.c`. */
export function readFields(text: string): string[] {
  const fields = text.split(',').map((field) => field.trim());
  if (fields.some((field) => field === '' || field.split('.').includes('')))
    throw new RemitError('USAGE', `--fields ${JSON.stringify(text)} has an empty name`, {
      hint: 'write it like --fields id,status',
    });
  return fields;
}

/**
 * Parses a JMESPath expression and applies it to nothing, so that a mistyped one is refused before anything is sent.
 */
export async function checkQuery(expression: string): Promise<void> {
  const {compile} = await import('@jmespath-community/jmespath');
  try {
    compile(expression);
  } catch (error) {
    throw unfit(expression, 'is not a JMESPath expression', error);
  }
}

/**
 * Applies a JMESPath expression. The package is loaded only here and in `checkQuery`. It computes with doubles, so an
 * expression that compares or computes gets each `ExactNumber` as one; others pass them on with all digits.
 * @param onRounded called with the first number that is rounded for this
 */
export async function runQuery(
  value: Json,
  expression: string,
  onRounded: (number: ExactNumber) => void,
): Promise<Json> {
  const {compile, search} = await import('@jmespath-community/jmespath');
  try {
    const read = computes(compile(expression)) ? asDoubles(value, onRounded) : value;
    return search(read as Parameters<typeof search>[0], expression);
  } catch (error) {
    throw unfit(expression, 'does not fit this result', error);
  }
}

const COMPUTING: ReadonlySet<unknown> = new Set(['Comparator', 'Function', 'Arithmetic']);

const computes = (node: unknown): boolean =>
  typeof node === 'object' &&
  node !== null &&
  (COMPUTING.has(Reflect.get(node, 'type')) || Object.values(node).some(computes));

function asDoubles(value: Json, onRounded: (number: ExactNumber) => void): Json {
  let isFirst = true;
  const read = (part: Json): Json => {
    if (part instanceof ExactNumber) {
      if (isFirst) onRounded(part);
      isFirst = false;
      return Number(part.text);
    }
    if (isList(part)) return part.map(read);
    return isObject(part)
      ? Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, read(inner)]))
      : part;
  };
  return read(value);
}

function unfit(expression: string, what: string, cause: unknown): RemitError {
  const why = messageOf(cause);
  return new RemitError('USAGE', `--query ${JSON.stringify(expression)} ${what}: ${why}`, {
    cause,
    hint: 'write it like --query id for one record, --query "[].id" for a list; the language is JMESPath',
  });
}
