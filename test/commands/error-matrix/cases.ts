import {appendFileSync} from 'node:fs';

/** Set by `npm run long:errors`; a test run tries a few cases of each table. */
export const isLong = process.env['REMIT_MATRIX'] === 'long';

/** `0/4`: every fourth case, from the first. */
const [SLICE = 0, SLICES = 1] = (process.env['REMIT_MATRIX_SLICE'] ?? '0/1').split('/').map(Number);
/** Only cases whose name contains this. */
const ONLY = process.env['REMIT_MATRIX_ONLY'] ?? '';
export interface Tried {
  tried: number;
  /** Names of cases. */
  failed: string[];
}
/** A file that gets a line of JSON for each table that was tried. */
const COUNTS = process.env['REMIT_MATRIX_COUNTS'];

/** A long run goes on after a failure, and reports this many of them in full. */
const SHOWN = 20;

/** @throws the first failure; in a long run, all of them when the last case was tried. */
export async function tryCases<Case extends {where: string}>(
  cases: Iterable<Case>,
  check: (one: Case) => Promise<void>,
): Promise<void> {
  const failures: {where: string; error: unknown}[] = [];
  let [seen, tried] = [0, 0];
  for (const one of cases) {
    if (seen++ % SLICES !== SLICE || !one.where.includes(ONLY)) continue;
    tried++;
    try {
      await check(one);
    } catch (error) {
      if (!isLong) throw error;
      failures.push({where: one.where, error});
    }
  }
  const counts: Tried = {tried, failed: failures.map(({where}) => where)};
  if (COUNTS !== undefined) appendFileSync(COUNTS, `${JSON.stringify(counts)}\n`);
  if (failures.length === 0) return;
  const shown = failures.slice(0, SHOWN).map(({where, error}) => `--- ${where}\n${textOf(error)}`);
  throw new Error(`${failures.length} of ${tried} cases failed\n${shown.join('\n')}`);
}

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
