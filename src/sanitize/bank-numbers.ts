import {isList, isObject, type Printable} from '../narrow.ts';

/** Numbers that a bank gives to a transfer. They are neither account nor card numbers. */
const NAMES: ReadonlySet<string> = new Set(['bank_reference', 'trace_number']);
/** `transfer_details.trace_number` */
const MOST_LEVELS = 2;

/** The bank references and trace numbers of records that are as long as card numbers. */
export function bankNumbers(records: readonly Printable[]): string[] {
  const found = new Set<string>();
  for (const record of records) collect(record, found, 1);
  return [...found];
}

function collect(record: Printable, found: Set<string>, level: number): void {
  if (!isObject(record) || isList(record)) return;
  for (const [name, value] of Object.entries(record)) {
    if (NAMES.has(name) && typeof value === 'string' && /^\d{12,19}$/.test(value)) found.add(value);
    else if (level < MOST_LEVELS) collect(value, found, level + 1);
  }
}
