/**
 * A command in lines of at most `width`, as `widthOf` measures them. It continues after a backslash, so that it can be
 * copied unchanged. A flag stays on one line with its value, if both fit.
 */
export function commandLines(
  label: string,
  command: string,
  width: number,
  widthOf: (text: string) => number,
): string[] {
  const words = command.match(/(?:[^\s'"\\]|\\.|'[^']*'|"[^"]*")+/g) ?? [command];
  const further = `${/^ */.exec(label)?.[0] ?? ''}  `;
  const [first = '', ...rest] = inPairs(words, (pair) => widthOf(`${further}${pair} \\`) <= width);
  const lines: string[] = [];
  let current = label + first;
  for (const word of rest) {
    if (widthOf(`${current} ${word} \\`) > width) {
      lines.push(`${current} \\`);
      current = further + word;
    } else current += ` ${word}`;
  }
  return [...lines, current];
}

function inPairs(words: readonly string[], fits: (pair: string) => boolean): string[] {
  const pairs: string[] = [];
  for (const word of words) {
    const last = pairs.at(-1);
    const isValue = last !== undefined && /^--?[a-z][a-z-]*$/.test(last) && !word.startsWith('-');
    const pair = `${last} ${word}`;
    if (isValue && fits(pair)) pairs[pairs.length - 1] = pair;
    else pairs.push(word);
  }
  return pairs;
}
