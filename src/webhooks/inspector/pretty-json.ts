import {markup, Markup} from '../../html/markup.ts';

/** Deeper levels are not indented further. */
const MOST_LEVELS = 40;
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

export interface PrettyJson {
  text: Markup;
  /** What `JSON.parse` would lose: numbers that it rounds, and names that occur twice in one object. */
  losses: string[];
}

/** JSON with one value a line. The tokens stay as they are in the text: nothing is parsed and printed again. */
export function prettyJson(json: string): PrettyJson {
  const tokens = json.match(TOKEN) ?? [];
  const losses = new Set<string>();
  const names: (Set<string> | null)[] = [];
  const parts: Markup[] = [];
  const line = () => parts.push(new Markup(`\n${'  '.repeat(Math.min(names.length, MOST_LEVELS))}`));
  tokens.forEach((token, at) => {
    const next = tokens[at + 1];
    if (token === '{' || token === '[') {
      parts.push(markup`${token}`);
      const isEmpty = next === '}' || next === ']';
      names.push(token === '{' ? new Set() : null);
      if (!isEmpty) line();
    } else if (token === '}' || token === ']') {
      names.pop();
      const before = tokens[at - 1];
      if (before !== '{' && before !== '[') line();
      parts.push(markup`${token}`);
    } else if (token === ',') {
      parts.push(markup`,`);
      line();
    } else if (token === ':') parts.push(markup`: `);
    else if (next === ':') {
      const seen = names.at(-1);
      if (seen?.has(token)) losses.add(`The name ${token} occurs twice; JSON.parse keeps the last value.`);
      seen?.add(token);
      parts.push(markup`<span class="key">${token}</span>`);
    } else {
      if (losesDigits(token))
        losses.add(`${token} is beyond the integers that JavaScript holds exactly; JSON.parse rounds it.`);
      parts.push(markup`${token}`);
    }
  });
  return {text: markup`${parts}`, losses: [...losses]};
}

const losesDigits = (token: string): boolean => /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
