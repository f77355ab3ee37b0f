// `npm run long:statements -- --folder DIR`: reads every file below a folder, such as the test data of public libraries
// (moov-io/bai2, moov-io/iso20022, genkgo/camt, wolph/mt940, csingley/ofxtools, jseutter/ofxparse), into a book of its
// own. Each is read or refused with its line or element: anything else fails, and so does a file that takes a minute.
import {readdirSync, statSync} from 'node:fs';
import {join, relative} from 'node:path';
import {parseArgs} from 'node:util';
import {RemitError} from '../../src/errors.ts';
import {readStatement} from '../../src/reconcile/statement/read-statement.ts';
import {ACCOUNT, OPTIONS, UNMASKED, withBook} from './harness.ts';

const {values} = parseArgs({options: {folder: {type: 'string'}, currency: {type: 'string', default: 'EUR'}}});
if (values.folder === undefined) throw new Error('name a folder: --folder DIR');
const {folder, currency} = values;
const MOST_MS = 60_000;

/** @param number of the account, in a file with several: the first one */
async function outcomeOf(path: string, number?: string): Promise<{text: string; isFine: boolean}> {
  try {
    return await withBook(async (book) => {
      const options = {account: ACCOUNT, currencyDefault: currency, number};
      const added = {
        account: ACCOUNT,
        isNumberNamed: true,
        mask: UNMASKED,
        name: path,
        by: 'test',
        at: '2026-01-01T00:00:00.000Z',
      };
      const {format, lines, balances} = await book.addStatement(added, ({take}) =>
        readStatement(path, options, take),
      );
      const {why} = book.match(OPTIONS);
      const adds = why.length === 0 ? '' : `; ${why.join('; ')}`;
      return {
        text: `read as ${format}: ${lines} lines, ${balances.length} balances${number === undefined ? '' : ` of …${number}`}${adds}`,
        isFine: true,
      };
    });
  } catch (error) {
    const [, other] = /has statements of \d+ accounts: …([^,]+)/.exec((error as Error).message) ?? [];
    if (number === undefined && other !== undefined) return outcomeOf(path, other);
    const isFine =
      error instanceof RemitError && error.code === 'STATEMENT_INVALID' && error.message.startsWith(path);
    return {text: `refused${(error as Error).message.slice(path.length)}`, isFine};
  }
}

let [count, read, failed] = [0, 0, 0];
for (const entry of readdirSync(folder, {recursive: true, encoding: 'utf8'}).sort()) {
  const path = join(folder, entry);
  if (!statSync(path).isFile()) continue;
  const began = performance.now();
  const {text, isFine} = await outcomeOf(path);
  const isQuick = performance.now() - began < MOST_MS;
  count += 1;
  if (text.startsWith('read')) read += 1;
  if (!isFine || !isQuick) failed += 1;
  process.stdout.write(`${isFine && isQuick ? '' : 'FAILED '}${relative(folder, path)}: ${text}\n`);
}
process.stdout.write(`${count} files: ${read} read, ${count - read - failed} refused, ${failed} failed\n`);
if (failed > 0) process.exitCode = 1;
