import {markup, Markup} from '../../html/markup.ts';
import {isPrintable} from '../../sanitize/harmful.ts';

/** A larger body is truncated on the page; `webhooks events show ID --raw` writes all of it. */
export const SHOWN_BYTES = 262_144;

/** Bytes as text: UTF-8 with its byte order mark, or undefined. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The body character by character. Invisible characters are shown as highlighted escape sequences. */
export function rawText(text: string): Markup {
  return joinLines(text.split('\n').map(visible));
}

/** Bytes that are not UTF-8: those beyond ASCII as `\xff`. */
export function rawBytes(bytes: Uint8Array): Markup {
  const lines = Buffer.from(bytes).toString('latin1').split('\n');
  return joinLines(
    lines.map((line) =>
      pieces(line, /[^\x20-\x7e]+/g, (found) =>
        Array.from(found, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`).join(''),
      ),
    ),
  );
}

/** Describes the end of the body: a newline there is the most common reason for a mismatch. */
export function endingOf(bytes: Uint8Array): string {
  const [beforeLast, last] = bytes.subarray(-2).length === 2 ? bytes.subarray(-2) : [0, bytes.at(-1)];
  if (last !== 0x0a) return 'no newline at the end';
  return beforeLast === 0x0d ? 'CRLF at the end' : 'a newline at the end';
}

const joinLines = (lines: readonly Markup[]): Markup => new Markup(lines.map(({text}) => text).join('\n'));

/** One line, in which tabs and harmful characters become escape sequences. */
const visible = (line: string): Markup => {
  if (isPrintable(line)) return markup`${line}`;
  return pieces(line, /[^\x20-\x7e]/gu, (char) => (isPrintable(char) ? undefined : escapeOf(char)));
};

function escapeOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const known = {0x0d: '\\r', 0x09: '\\t'}[code];
  const hex = code.toString(16);
  return known ?? (code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`);
}

/** Text with marks for matches of the pattern; undefined leaves a match unchanged. */
function pieces(line: string, pattern: RegExp, markFor: (found: string) => string | undefined): Markup {
  const parts: Markup[] = [];
  let plain = '';
  let at = 0;
  const flush = () => {
    if (plain !== '') parts.push(markup`${plain}`);
    plain = '';
  };
  for (const {0: found, index} of line.matchAll(pattern)) {
    plain += line.slice(at, index);
    at = index + found.length;
    const mark = markFor(found);
    if (mark === undefined) {
      plain += found;
      continue;
    }
    flush();
    parts.push(markup`<span class="mark">${mark}</span>`);
  }
  plain += line.slice(at);
  flush();
  return markup`${parts}`;
}
