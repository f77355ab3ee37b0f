/** HTML that was made here and is safe as it is. */
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

/** Joins markup with values. Every value is escaped unless it is Markup itself; nothing, null and false leave nothing. */
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

/** C0, DEL, C1, separators of lines and paragraphs, marks that turn direction or cannot be seen, lone surrogates. */
const UNPRINTABLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Text as it may stand in an element or in a quoted attribute; a reader sees what is there, and nothing acts on it. */
export const escapeText = (text: string): string =>
  text
    .replace(/[\t\n\r]+/g, ' ')
    .replace(UNPRINTABLE, '')
    .replace(/[&<>"'`]/g, (found) => `&#${found.charCodeAt(0)};`);
