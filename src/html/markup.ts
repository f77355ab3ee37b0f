import {strippedLine} from '../sanitize/harmful.ts';

/** HTML that was made here and is safe. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

type Value = Markup | string | number | null | undefined | false | readonly Value[];

/**
 * Joins markup with values. Every value is escaped unless it is Markup itself; undefined, null and false produce
 * nothing.
 */
export function markup(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(parts.map((part, i) => part + render(values[i])).join(''));
}

function render(value: Value): string {
  if (value instanceof Markup) return value.text;
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value));
  return value.map(render).join('');
}

/** Escapes text for an element or a quoted attribute. Invisible characters are removed. */
export const escapeText = (text: string): string =>
  strippedLine(text).replace(/[&<>"'`]/g, (found) => `&#${found.charCodeAt(0)};`);
