import type {Bai2Record} from './bai2-records.ts';
import type {Refuse} from '../file/refusal.ts';
import {wholeMinor} from '../file/values.ts';

/** What a trailer states about the records since its header. */
interface Level {
  sum: bigint;
  /** Accounts of a group, groups of a file. */
  parts: number;
  /** Lines of the file. */
  records: number;
}

const NAMES = ['file', 'group', 'account'] as const;
const TRAILERS: Readonly<Record<string, number>> = {'99': 0, '98': 1, '49': 2};
const HEADERS: Readonly<Record<string, number>> = {'01': 0, '02': 1, '03': 2};

/** Checks that each header has its trailer, and the control totals and counts of the trailers. */
export class Bai2Totals {
  /** Of file, group and account, as far as they are open. */
  readonly #open: Level[] = [];
  readonly #refuse: Refuse;
  #isComplete = false;

  constructor(refuse: Refuse) {
    this.#refuse = refuse;
  }

  /** An amount of an account, as written: a debit is positive. */
  amount(amount: bigint): void {
    const account = this.#open[2];
    if (account !== undefined) account.sum += amount;
  }

  record(record: Bai2Record): void {
    const {code, line, physical} = record;
    if (this.#isComplete) throw this.#refuse({line}, 'the file continues after its trailer (99)');
    const header = HEADERS[code];
    if (header !== undefined) {
      if (header !== this.#open.length) throw this.#refuse({line}, `a record ${code} in the wrong place`);
      this.#open.push({sum: 0n, parts: 0, records: 0});
    } else if (this.#open.length === 0)
      throw this.#refuse({line}, 'the file does not begin with a record 01');
    for (const level of this.#open) level.records += physical;
    const trailer = TRAILERS[code];
    if (trailer !== undefined) this.#close(trailer, record);
  }

  end(): void {
    const name = NAMES[this.#open.length - 1];
    if (!this.#isComplete)
      throw this.#refuse(
        undefined,
        `is truncated: ${name === undefined ? 'it is empty' : `the trailer of the ${name} is missing`}`,
      );
  }

  #close(depth: number, {line, fields}: Bai2Record): void {
    const level = this.#open.pop();
    const name = NAMES[depth];
    if (level === undefined || name === undefined || this.#open.length !== depth)
      throw this.#refuse({line}, `a trailer of a ${name ?? 'part'} in the wrong place`);
    const at = {refuse: this.#refuse, place: {line}};
    const [, total = '', ...counts] = fields;
    const [records, parts] = depth === 2 ? [counts[0], undefined] : [counts[1], counts[0]];
    this.#compare(line, `control total of the ${name}`, wholeMinor(total, at), level.sum);
    this.#compare(
      line,
      `number of records of the ${name}`,
      wholeMinor(records ?? '', at),
      BigInt(level.records),
    );
    if (parts !== undefined)
      this.#compare(
        line,
        `number of ${depth === 1 ? 'accounts' : 'groups'}`,
        wholeMinor(parts, at),
        BigInt(level.parts),
      );
    const outer = this.#open.at(-1);
    if (outer === undefined) this.#isComplete = true;
    else {
      outer.sum += level.sum;
      outer.parts++;
    }
  }

  #compare(line: number, what: string, stated: bigint, counted: bigint): void {
    if (stated !== counted)
      throw this.#refuse({line}, `the ${what} is ${stated} in the file, but ${counted} by its records`);
  }
}
