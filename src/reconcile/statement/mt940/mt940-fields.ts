import type {Refuse} from '../file/refusal.ts';
import type {TextLine} from '../file/source.ts';

/** A field with its continued lines. */
export interface Mt940Field {
  readonly tag: string;
  readonly lines: [string, ...string[]];
  readonly line: number;
}

/** No field has more lines; the text of a transaction has six, and of some banks a few more. */
const MOST_LINES = 1000;

/** Tags that are read outside of balances, and between them, where others are text: `:37 o'clock`. */
const OUTSIDE = new Set(['25', '25P', '60F', '60M', '61', '62F', '62M', '34F']);
const BETWEEN = new Set(['20', '61', '62F', '62M', '86', 'NS']);

/**
 * The fields of all statements of a file, and a field `end` for the end of each message. The envelope of SWIFT, and
 * lines before the first field of a message, are not part of it.
 */
export async function* mt940Fields(
  lines: AsyncIterable<TextLine>,
  refuse: Refuse,
): AsyncGenerator<Mt940Field> {
  let open: Mt940Field | undefined;
  let isBetween = false;
  for await (const {number: line, text: raw} of lines) {
    const text = raw.replaceAll(/[\u0001-\u0008\u000e-\u001f]/g, '').trimEnd();
    const [, tag = '', rest = ''] = /^:([0-9]{2}[A-Z]?|NS):(.*)/s.exec(text) ?? [];
    if ((isBetween ? BETWEEN : OUTSIDE).has(tag)) {
      if (open !== undefined) yield open;
      if (tag.startsWith('60')) isBetween = true;
      if (tag.startsWith('62')) isBetween = false;
      open = {tag, lines: [rest], line};
    } else if (/^-\}?(?:\{.*)?$/.test(text)) {
      if (open !== undefined) yield open;
      open = undefined;
      isBetween = false;
      yield {tag: 'end', lines: [''], line};
    } else if (open !== undefined) {
      if (open.lines.push(text) > MOST_LINES) throw refuse({line}, 'a field with too many lines');
    }
  }
  if (open !== undefined) yield open;
}
