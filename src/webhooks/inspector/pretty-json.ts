import {markup, Markup} from '../../html/markup.ts';
import {rawText} from './body-text.ts';

/** Deeper levels are not indented further. */
const MOST_LEVELS = 40;
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * JSON with one value per line. The tokens are unchanged: nothing is parsed and printed again. Invisible characters
 * are marked as in the raw view.
 */
export function prettyJson(json: string): Markup {
  const tokens = json.match(TOKEN) ?? [];
  const parts: Markup[] = [];
  let level = 0;
  const newLine = () => parts.push(new Markup(`\n${'  '.repeat(Math.min(level, MOST_LEVELS))}`));
  tokens.forEach((token, at) => {
    const [before, next] = [tokens[at - 1], tokens[at + 1]];
    const closes = token === '}' || token === ']';
    if (closes) level -= 1;
    if (closes && before !== '{' && before !== '[') newLine();
    parts.push(next === ':' ? markup`<span class="key">${rawText(token)}</span>` : rawText(token));
    if (token === ':') parts.push(new Markup(' '));
    const opens = token === '{' || token === '[';
    if (opens) level += 1;
    if (token === ',' || (opens && next !== '}' && next !== ']')) newLine();
  });
  return markup`${parts}`;
}
