import {codePointOf, foldReference} from './identity.ts';

/**
 * The reference with compatibility characters (NFKC), dashes, case and spaces made equal: `ＩＮＶ‑17` is `inv-17`. Only for
 * suggestions. Two references that differ in this are two payments, unlike in the fold of `foldReference`.
 */
export const looseReference = (reference: string): string =>
  foldReference(reference.normalize('NFKC').replace(/[\p{Pd}\u2212]/gu, '-'));

/** Two references that look alike: `INV‑17 (it contains U+2011)`. */
export function lookalikeText(found: string, typed: string): string {
  const own = foreignCharacter(found, typed);
  if (own !== undefined) return `${found} (it contains ${own})`;
  const others = foreignCharacter(typed, found);
  return others === undefined ? found : `${found} (${others} was typed)`;
}

/** The first character beyond ASCII that the other text does not contain, as `U+2011`. */
function foreignCharacter(text: string, other: string): string | undefined {
  const found = [...text].find((character) => character > '~' && !other.includes(character));
  return found === undefined ? undefined : codePointOf(found);
}
