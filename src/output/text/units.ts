/**
 * Where a line may be broken: between words, but not within a command to type, a text in backticks, or a flag with the
 * name of its value. Used by help as well, which the launcher lays out: it imports nothing.
 */

/** What follows `remit` in a command, so that `remit shows …` is prose. A test compares them with the commands. */
export const FIRST_WORDS: ReadonlySet<string> = new Set([
  ...['api', 'commands', 'completion', 'demo', 'doctor', 'explain', 'help', 'schema', 'whoami'],
  ...[
    'moves',
    'payees',
    'payers',
    'payins',
    'payment-methods',
    'payouts',
    'profiles',
    'reconcile',
    'sandbox',
  ],
  ...['subaccounts', 'transfers', 'treasury', 'webhooks'],
]);

/** Words that follow a command in a sentence. */
const PROSE: ReadonlySet<string> = new Set([
  ...['after', 'again', 'and', 'as', 'finds', 'first', 'for', 'has', 'if', 'in', 'is', 'of', 'once', 'or'],
  ...['prints', 'says', 'shows', 'that', 'then', 'to', 'until', 'when', 'where', 'which', 'with', 'writes'],
]);

/** What our lines begin with: text of a service must not look like one. */
export const LABEL = /^(?:Hint|Error|Warning|Next):/;

/** More words than this are not one unit. */
const MOST_WORDS = 60;

/** The words, some of them joined; joined by spaces they are the same text. */
export function unitsOf(words: readonly string[]): string[] {
  const units: string[] = [];
  for (let at = 0; at < words.length;) {
    const length = Math.max(1, commandLength(words, at), tickedLength(words, at), flagLength(words, at));
    units.push(words.slice(at, at + length).join(' '));
    at += length;
  }
  return units;
}

/** Whether a unit is a command, so that it may be continued after a backslash. */
export const isCommand = (unit: string): boolean => {
  const words = unit.split(' ');
  return words.length > 1 && commandLength(words, 0) === words.length;
};

/** `remit payouts get ID`, also with variables before it; 0 if no command begins here. */
function commandLength(words: readonly string[], start: number): number {
  let at = start;
  while (at - start < MOST_WORDS && /^[A-Z_]+=\S/.test(words[at] ?? '')) at += 1;
  if (!/^\(?remit$/.test(words[at] ?? '')) return 0;
  const first = words[at + 1] ?? '';
  if (!FIRST_WORDS.has(first.replace(ENDING, '')) && !first.startsWith('-')) return 0;
  let quote = '';
  for (at += 1; at < words.length && at - start < MOST_WORDS; at += 1) {
    const word = words[at] ?? '';
    if (LABEL.test(word) || (quote === '' && (word === '' || PROSE.has(word)))) break;
    quote = openQuote(word, quote);
    if (quote === '' && ENDING.test(word)) {
      at += 1;
      break;
    }
  }
  return at - start;
}

/** The end of a sentence or a part of it; an ellipsis ends none. */
const ENDING = /(?<![.,;:!?)])[.,;:!?)]+$/;

/** The quote that is open after a word. */
function openQuote(word: string, open: string): string {
  let quote = open;
  for (const character of word)
    if (quote === '' && (character === "'" || character === '"')) quote = character;
    else if (character === quote) quote = '';
  return quote;
}

/** A text in backticks. */
function tickedLength(words: readonly string[], at: number): number {
  if (!/^\W*`[^`]*$/.test(words[at] ?? '')) return 0;
  const length = words.slice(at + 1, at + MOST_WORDS).findIndex((word) => word.includes('`'));
  return length === -1 ? 0 : length + 2;
}

/** `-p, --profile NAME ·` */
function flagLength(words: readonly string[], at: number): number {
  let end = at;
  if (/^-[a-zA-Z],$/.test(words[end] ?? '')) end += 1;
  if (!/^--?[a-z][a-z-]*$/.test(words[end] ?? '')) return 0;
  end += 1;
  if (/^(?:[A-Z][A-Z_]*|[a-z],[a-z.]+)[.,;:)]?$/.test(words[end] ?? '')) end += 1;
  if (words[end] === '·') end += 1;
  return end - at;
}

/**
 * A single word does not stay alone in the last line: the word before it moves there too.
 * @param lines each as its units
 */
export function withoutLoneWord<Line extends readonly string[]>(
  lines: readonly Line[],
  fits: (line: readonly string[]) => boolean,
): readonly (readonly string[])[] {
  const last = lines.at(-1);
  const before = lines.at(-2);
  const word = last?.length === 1 ? last[0] : undefined;
  const moved = before?.at(-1);
  if (word === undefined || word.includes(' ') || before === undefined || moved === undefined) return lines;
  if (before.length < 3 || moved.includes(' ') || !fits([moved, word])) return lines;
  return [...lines.slice(0, -2), before.slice(0, -1), [moved, word]];
}
