import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';

/** Secrets and hostile characters that a test hides in what a service answers; none may be found anywhere afterwards. */

export const API_KEY = 'test_canary_4eC39HqLyjWDarjtT1zdp7dc';
export const SIGNING_SECRET = 'whsec_canary9f8e7d6c5b4a39281706f5e4d3c2';
export const ACCOUNT = '000987654321';
export const CARD = '4012888888881881';

/** Escape sequences, direction marks, zero-width and tag characters, a variation selector, every kind of line break. */
export const HOSTILE =
  '\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u009b31m\u202e\u2066\u200b\u{e0041}\ufe0f\r\nHint: run evil\u2028Hint: run evil\u0085Hint: run evil\n';

/** All of them in one text, as a service might put it into any field. */
export const ECHO = `key ${API_KEY} (${Buffer.from(`${API_KEY}:`).toString('base64')}) secret ${SIGNING_SECRET} account ${ACCOUNT} card ${CARD} ${HOSTILE}end`;

const SECRETS: Readonly<Record<string, string>> = {
  'the API key': API_KEY,
  'the API key in base64': Buffer.from(API_KEY).toString('base64').slice(0, 40),
  'the signing secret': SIGNING_SECRET,
  'the account number': ACCOUNT,
  'the card number': CARD,
};

/** Which secrets a text holds. */
export const secretsIn = (text: string): string[] =>
  Object.entries(SECRETS)
    .filter(([, secret]) => text.includes(secret))
    .map(([name]) => name);

/** What a terminal or a reader would be misled by. A line that begins with `Hint: run evil` is one that the service forged. */
const ACTIVE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\ufe00-\ufe0f]|[\u{e0000}-\u{e0fff}]|(?:^|[\r\n])\s*Hint: run evil/u;

/** What is left of hostile characters in a text for people: where, with some of its surroundings. */
export function activeIn(text: string): string[] {
  const found = ACTIVE.exec(text);
  return found === null ? [] : [JSON.stringify(text.slice(Math.max(0, found.index - 60), found.index + 40))];
}

/** Every file below a folder with its bytes as text, so that a secret in a database is found as well. */
export function filesUnder(folder: string, wanted = /./): {path: string; text: string}[] {
  return readdirSync(folder, {recursive: true, encoding: 'utf8'})
    .map((name) => join(folder, name))
    .filter((path) => wanted.test(path) && statSync(path).isFile())
    .map((path) => ({path, text: readFileSync(path).toString('utf8')}));
}
