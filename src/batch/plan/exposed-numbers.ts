import {maskShapes} from '../../sanitize/secret-shapes.ts';

/** Nothing shorter is a card number or an IBAN; most texts hold neither, and this is quicker. */
const LONG = /\d(?:[ -]?\d){11}|[A-Z]{2}\d\d[ -]?[A-Z0-9]/;

/**
 * Card and account numbers in references and metadata. Both must be kept and sent exactly as they are in the file, so they
 * cannot be masked; the plan warns of them.
 */
export class ExposedNumbers {
  #rows = 0;
  #line = 0;
  #example = '';

  note({reference, metadata, line}: {reference: string; metadata: string | null; line: number}): void {
    for (const text of metadata === null ? [reference] : [reference, metadata]) {
      if (!LONG.test(text)) continue;
      const masked = maskShapes(text);
      if (masked === text) continue;
      this.#rows++;
      if (this.#rows > 1) return;
      this.#line = line;
      this.#example = /…\w{0,4}/.exec(masked)![0]; // what differs is masked
      return;
    }
  }

  warnings(): string[] {
    if (this.#rows === 0) return [];
    const rows = this.#rows === 1 ? 'a row has' : `${this.#rows} rows have`;
    return [
      `${rows} what looks like a card or account number in the reference or metadata (${this.#example} on line ${this.#line}); both are sent to the service and stored in the journal and the results as they are. Replace such numbers unless they are something else`,
    ];
  }
}
