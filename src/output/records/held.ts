import {exactJson, readJsonExactly} from '../../json/exact.ts';
import {isList, type Json, type Printable} from '../../narrow.ts';
import {safeJson} from '../../sanitize/sanitizer.ts';
import {safeYaml} from './yaml.ts';

/** Records that are laid out at once. */
export const PIECE = 200;

type Pieces = Iterable<readonly Json[]>;

/**
 * Records of a list that is written only when the last of them has arrived. A long list is kept as text: that takes less
 * than half the memory of objects, and V8's limit for objects, at which a process dies, does not apply to it.
 */
export class HeldRecords {
  readonly #texts: Buffer[] = [];
  #last: Printable[] = [];

  add(record: Printable): void {
    if (this.#last.length === PIECE) {
      this.#texts.push(Buffer.from(exactJson(this.#last)));
      this.#last = [];
    }
    this.#last.push(record);
  }

  get length(): number {
    return this.#texts.length * PIECE + this.#last.length;
  }

  *pieces(): Generator<readonly Printable[]> {
    for (const text of this.#texts) {
      const piece = readJsonExactly(text.toString());
      if (isList(piece)) yield piece; // it is what `add` has written
    }
    yield this.#last;
  }
}

/** Any value as a whole document, in parts if it is a list. */
export async function* documentParts(value: Json, format: 'json' | 'yaml'): AsyncGenerator<string> {
  if (Array.isArray(value)) yield* (format === 'json' ? jsonParts : yamlParts)(piecesOf(value));
  else yield format === 'json' ? `${safeJson(value, 2)}\n` : await safeYaml(value);
}

function* piecesOf(records: readonly Json[]): Generator<readonly Json[]> {
  for (let at = 0; at < records.length; at += PIECE) yield records.slice(at, at + PIECE);
}

/** A JSON document of all records, in parts: a string has a maximum length. */
export function* jsonParts(pieces: Pieces): Generator<string> {
  let part = '';
  for (const piece of pieces) {
    if (piece.length === 0) continue;
    if (part !== '') yield part;
    part = `${part === '' ? '[' : ','}${safeJson(piece, 2).slice(1, -2)}`; // without its own brackets
  }
  yield part === '' ? '[]\n' : `${part}\n]\n`;
}

/** A YAML document of all records. Lists follow one another without a separator. */
export async function* yamlParts(pieces: Pieces): AsyncGenerator<string> {
  let isEmpty = true;
  for (const piece of pieces) {
    if (piece.length === 0) continue;
    isEmpty = false;
    yield await safeYaml(piece);
  }
  if (isEmpty) yield '[]\n';
}
