import {shortQuote, type Refuse} from '../file/refusal.ts';
import type {TextLine} from '../file/source.ts';

/** A record with its continuations. */
export interface Bai2Record {
  readonly code: string;
  /** The first is the code. The text of a transaction, which may contain commas, is in the last ones. */
  readonly fields: string[];
  readonly line: number;
  /** Lines of the file: 1, and one for each continuation. */
  readonly physical: number;
}

const CODES = new Set(['01', '02', '03', '16', '49', '98', '99']);
const CONTINUATION = '88';
/** A continued record is not longer. */
const MOST_LINES = 10_000;

/**
 * The logical records of a file. A record ends with `/`, so a continuation begins with the next field; without `/` it
 * continues the text. In a text, `/` is an ordinary character.
 */
export async function* bai2Records(
  lines: AsyncIterable<TextLine>,
  refuse: Refuse,
): AsyncGenerator<Bai2Record> {
  let open: {code: string; text: string; line: number; physical: number} | undefined;
  const closed = (record: NonNullable<typeof open>): Bai2Record => ({
    ...{code: record.code, line: record.line, physical: record.physical},
    fields: withoutEnd(record.text).split(','),
  });
  for await (const {number, text} of recordsOfLines(lines)) {
    const code = text.slice(0, 2);
    const isRecord = text.length === 2 || text[2] === ',' || text[2] === '/';
    if (code === CONTINUATION && isRecord) {
      if (open === undefined) throw refuse({line: number}, 'a continuation (88) without a record before it');
      if (++open.physical > MOST_LINES) throw refuse({line: number}, 'a record with too many continuations');
      const more = text.slice(3);
      open.text = open.text.endsWith('/') ? `${withoutEnd(open.text)},${more}` : `${open.text}\n${more}`;
      continue;
    }
    if (!CODES.has(code) || !isRecord) {
      if (open !== undefined && open.code === '16' && !open.text.endsWith('/')) {
        open.text += `\n${text}`; // some banks break a text without a record of its own
        continue;
      }
      throw refuse({line: number}, `begins with ${shortQuote(text.slice(0, 3))}, which is not a BAI2 record`);
    }
    if (open !== undefined) yield closed(open);
    open = {code, text, line: number, physical: 1};
  }
  if (open !== undefined) yield closed(open);
}

/** Records end with a line, or with `/` and spaces before the code of the next one. */
async function* recordsOfLines(lines: AsyncIterable<TextLine>): AsyncGenerator<TextLine> {
  for await (const {number, text} of lines)
    for (const record of text.split(/(?<=\/)\s+(?=(?:0[123]|49|88|9[89]),|16,\d{3},)/))
      if (record.trim() !== '') yield {number, text: record.trimEnd()};
}

const withoutEnd = (text: string): string => (text.endsWith('/') ? text.slice(0, -1) : text);
