// What a stack trace of the bundle is read with: which file of ours, or of a package, each part of the bundle is, and how
// its functions and classes were called before they were shortened. It is in a file of its own, which is only read when
// an internal error is printed: names kept in the bundle would cost each start 2 ms.
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The numbers of one segment of a source map. */
function numbersIn(segment) {
  const numbers = [];
  let [value, shift] = [0, 0];
  for (const digit of segment) {
    const bits = DIGITS.indexOf(digit);
    value |= (bits & 31) << shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

/** The segments of a source map by line: column, number of the source, and number of the name if there is one. */
function segmentsIn(mappings) {
  let [source, name] = [0, 0];
  return mappings.split(';').map((line) => {
    let column = 0;
    return line
      .split(',')
      .filter((segment) => segment !== '')
      .map(numbersIn)
      .map((numbers) => {
        column += numbers[0];
        source += numbers[1] ?? 0;
        name += numbers[4] ?? 0;
        return {column, source, name: numbers.length > 4 ? name : undefined};
      });
  });
}

const isFunction = (before, after) =>
  /(?:\bfunction\*?|\bclass) *$/.test(before) ||
  /^=(?:async\b|function\b|class\b|(?:\([^()]*\)|[\w$]+)=>)/.test(after);

/**
 * @param code what esbuild wrote, before `finish` was applied to it
 * @returns where each file begins: line and column from 1, its path, and the names of its functions by their short ones
 */
export function framesOf({code, map, finish}) {
  const {sources, names, mappings} = JSON.parse(map);
  const lines = code.split('\n');
  const shortened = new Map();
  const starts = [];
  for (const [nth, segments] of segmentsIn(mappings).entries())
    for (const {column, source, name} of segments) {
      const path = sources[source].replace(/^(?:module:|\.\.\/)/, '').replace(/(?<=\.[cm]?[jt]s)\.js$/, '');
      if (starts.at(-1)?.[2] !== path)
        starts.push([nth + 1, finish(lines[nth].slice(0, column)).length + 1, path]);
      if (name === undefined || !path.startsWith('src/') || names[name].startsWith('__')) continue;
      const [short = ''] = /^#?[\w$]+/.exec(lines[nth].slice(column)) ?? [];
      const after = lines[nth].slice(column + short.length);
      const isPrivate = short.startsWith('#') && after.startsWith('(');
      const before = column === 0 ? (lines[nth - 1] ?? '') : lines[nth].slice(0, column);
      if (!isPrivate && !isFunction(before, after)) continue;
      const own = shortened.get(path) ?? shortened.set(path, new Map()).get(path);
      const full = names[name].replace(/^_(?=[A-Z])/, ''); // a class within itself
      const isOther = own.has(short) && own.get(short) !== full;
      own.set(short, isOther ? undefined : full); // a name of two functions says nothing
    }
  const namesOf = (path) =>
    Object.fromEntries([...(shortened.get(path) ?? [])].filter(([, name]) => name !== undefined));
  return starts.map(([line, column, path]) => [line, column, path, namesOf(path)]);
}
