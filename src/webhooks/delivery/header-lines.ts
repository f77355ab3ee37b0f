import {RemitError} from '../../errors.ts';
import {isList, isObject, type JsonValue, parseJson} from '../../narrow.ts';

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Parses `Name: value`. @throws {RemitError} USAGE */
export function parseHeaderLine(line: string): [string, string] {
  const colon = line.indexOf(':');
  const [name, value] = [
    line.slice(0, colon),
    line.slice(colon + 1).replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, ''),
  ];
  if (colon < 1 || !NAME.test(name) || /[\r\n\0]/.test(value))
    throw new RemitError('USAGE', `${JSON.stringify(line)} is not a header`, {
      hint: 'write it like "Name: value"',
    });
  return [name, value];
}

/**
 * The headers in a file: HTTP header lines, also as `curl -v` prints them (a request line and other lines of curl are
 * ignored), or JSON as an object or a list of pairs.
 */
export function parseHeaderText(text: string): [string, string][] {
  if (/^\s*[[{]/.test(text)) return fromJson(text);
  const lines = text.split(/\r?\n/);
  const sent = lines.filter((line) => line.startsWith('> '));
  const own = sent.length > 0 ? sent.map((line) => line.slice(2)) : lines;
  return own
    .filter((line) => line.trim() !== '' && !/^[A-Z]+ \S+ HTTP\/[\d.]+$|^HTTP\/[\d.]+ \d{3}/.test(line))
    .map(parseHeaderLine);
}

function fromJson(text: string): [string, string][] {
  const refuse = (cause?: unknown) =>
    new RemitError('USAGE', 'the headers are neither lines of "Name: value" nor JSON of names and values', {
      cause,
    });
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    throw refuse(error);
  }
  const pairs = isList(value) ? value : Object.entries(isObject(value) ? value : {});
  return pairs.flatMap((pair): [string, string][] => {
    const [name, values] = isList(pair) ? pair : [];
    const all = isList(values) ? values : [values];
    if (typeof name !== 'string' || !all.every((one) => typeof one === 'string')) throw refuse();
    return all.map((one) => [name, one]);
  });
}
