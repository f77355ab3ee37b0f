import {posixWord} from '../../shell-word.ts';
import type {Delivery} from '../delivery/delivery.ts';
import {passedOn} from '../delivery/post.ts';
import {utf8} from './body-text.ts';

/** Headers that curl would add by itself. */
const ADDED_BY_CURL = ['Accept', 'User-Agent', 'Content-Type', 'Expect'];

/** Systems limit the length of one argument; Linux at 128 KiB. */
const MOST_IN_AN_ARGUMENT = 100_000;

/** A command for a POSIX shell that sends the same bytes and headers. */
export function replayCurlCommand(
  {headers, body}: Pick<Delivery, 'headers' | 'body'>,
  target: string,
): string {
  const sent = passedOn(headers);
  const has = (name: string) => sent.some(([given]) => given.toLowerCase() === name.toLowerCase());
  const lines = [
    `curl -X POST ${posixWord(target)}`,
    ...sent.map(
      ([name, value]) => `-H ${posixWord(value === '' ? `${name};` : `${name}: ${asBytes(value)}`)}`,
    ),
    ...ADDED_BY_CURL.filter((name) => !has(name)).map((name) => `-H ${posixWord(`${name}:`)}`),
  ];
  const text = utf8(body);
  if (text !== undefined && body.length <= MOST_IN_AN_ARGUMENT && !/^@|\0/.test(text))
    return [...lines, `--data-binary ${quoted(text)}`].join(' \\\n  ');
  const encoded = Buffer.from(body).toString('base64');
  return `printf %s ${quoted(encoded)} | base64 -d | \\\n${[...lines, '--data-binary @-'].join(' \\\n  ')}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Node reads header bytes as Latin-1, and a terminal writes UTF-8, so this converts back to the bytes received, if
 * they are UTF-8.
 */
const asBytes = (value: string): string => utf8(Buffer.from(value, 'latin1')) ?? value;
