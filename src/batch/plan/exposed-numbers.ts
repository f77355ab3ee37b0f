import {maskShapes} from '../../sanitize/secret-shapes.ts';
import type {PlannedRow} from '../input/rows.ts';
import {isPlain, orList, ROW_FIELDS} from '../model/row-fields.ts';

/** Fields of free text. */
const FREE_TEXTS = [
  'reference',
  ...ROW_FIELDS.filter((field) => !isPlain(field)).map(({name}) => name),
] as const;

/** A shorter text cannot contain a card number or IBAN. This check is cheaper, and most texts contain neither. */
const LONG = /\d(?:[ -]?\d){11}|[A-Z]{2}\d\d[ -]?[A-Z0-9]/;

/**
 * Finds card and account numbers in the reference and in free-text fields. These texts must be stored and sent
 * exactly as they are in the file, so they cannot be masked; the plan warns about them.
 */
export class ExposedNumbers {
  #rows = 0;
  #line = 0;
  #example = '';

  note(row: PlannedRow): void {
    for (const name of FREE_TEXTS) {
      const text = row[name];
      if (typeof text !== 'string' || !LONG.test(text)) continue;
      const masked = maskShapes(text);
      if (masked === text) continue;
      this.#rows++;
      if (this.#rows > 1) return;
      this.#line = row.line;
      this.#example = /…\w{0,4}/.exec(masked)?.[0] ?? ''; // the masked part is what differs
      return;
    }
  }

  warnings(): string[] {
    if (this.#rows === 0) return [];
    const rows = this.#rows === 1 ? 'a row has' : `${this.#rows} rows have`;
    return [
      `${rows} what looks like a card or account number in the ${orList(FREE_TEXTS)} (${this.#example} on line ${this.#line}); they are sent to the service and stored in the journal and the results unmasked. Remove any that are real card or account numbers`,
    ];
  }
}
