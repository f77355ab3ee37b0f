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
  let text = parts[0]!;
  values.forEach((value, i) => {
    text += render(value) + parts[i + 1]!;
  });
  return new Markup(text);
}

function render(value: Value): string {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return (value as readonly Value[]).map(render).join('');
  if (value === null || value === undefined || value === false) return '';
  return escapeText(String(value));
}

/** Escapes text for an element or a quoted attribute. Invisible characters are removed. */
export const escapeText = (text: string): string =>
  strippedLine(text).replace(/[&<>"'`]/g, (found) => `&#${found.charCodeAt(0)};`);
