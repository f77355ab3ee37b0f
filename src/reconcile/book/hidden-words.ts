import {createHmac} from 'node:crypto';
import type {BankLine} from '../model/line.ts';
import {tokensOf} from '../model/tokens.ts';

/** Removes account numbers and secrets from a text. */
export type MaskText = (field: string, text: string) => string;

/** Tokens that may look like an account number in a text: digits, or an IBAN. */
const MASKABLE = /^(?:\d{8,}|[a-z]{2}\d{2}[a-z\d]{11,30})$/;

/**
 * Words that are masked in the stored texts of a line still match a trace: of each, a keyed hash is kept. A plain hash of
 * so few digits could be reversed.
 */
export const hiddenTokens = (tokens: readonly string[], key: string): string[] =>
  tokens
    .filter((token) => MASKABLE.test(token))
    .map((token) => createHmac('sha256', key).update(token).digest('hex').slice(0, 40));

/** The line as it is stored, with the hashes of what it does not show any more as its last text. */
export function maskedLine(line: BankLine, key: string, mask: MaskText): BankLine {
  const texts = line.texts.map(({path, text}) => ({path, text: mask(path.split(/[/.]/).at(-1) ?? '', text)}));
  const changed = line.texts.filter(({text}, at) => text !== texts[at]?.text);
  if (changed.length === 0) return line;
  const shown = new Set(texts.flatMap(({text}) => tokensOf(text).map(({token}) => token)));
  const lost = changed.flatMap(({text}) => tokensOf(text).map(({token}) => token));
  const hidden = hiddenTokens(
    [...new Set(lost)].filter((token) => !shown.has(token)),
    key,
  );
  return {...line, texts: hidden.length === 0 ? texts : [...texts, {path: 'masked', text: hidden.join(' ')}]};
}
