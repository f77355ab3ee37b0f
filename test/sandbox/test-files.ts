import {filesUnder} from '../repo/tree.ts';

/** Property and crash tests of the sandbox that `npm run long:sandbox` runs at their full length. */
export const LONG = ['crash', 'ledger', 'money-model', 'any-request'];

/** Tests that ask most of a store: `npm run test:postgres -- --short`. */
export const SHORT = [
  'authentication',
  'checkpoints',
  'control',
  'idempotency',
  'ledger',
  'pagination',
  'payouts',
  'timers',
];

/**
 * Path of a test of the sandbox by its name; `webhooks/crash` and `crash` are two.
 * @throws unless there is exactly one: mocha would run the others and say nothing
 */
export function testFile(name: string): string {
  const all = filesUnder('test/sandbox');
  const endings = ['.test.ts', '.sweep.test.ts'];
  const direct = endings.map((ending) => `test/sandbox/${name}${ending}`).find((path) => all.includes(path));
  if (direct !== undefined) return direct;
  const found = all.filter((path) => endings.some((ending) => path.endsWith(`/${name}${ending}`)));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw new Error(`${found.length} files of test/sandbox are ${name}.test.ts: ${found.join(', ')}`);
}
