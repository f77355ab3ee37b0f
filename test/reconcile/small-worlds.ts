import type {BankLine} from '../../src/reconcile/model/line.ts';
import type {ExpectedPayment} from '../../src/reconcile/model/payment.ts';
import {Dice} from '../sim/random.ts';
import {ACCOUNT, line, payment} from './harness.ts';

export interface SmallWorld {
  payments: ExpectedPayment[];
  lines: BankLine[];
}

const OTHER_ACCOUNT = ACCOUNT.replace(/1$/, '2');
const RAILS = ['wire', 'standard_ach', undefined];
const STATUSES = ['settled', 'settled', 'debited', 'failed', 'canceled', 'created', undefined];
const MANY = [101n, 203n, 407n, 811n, 1621n, 3251n, 6521n, 13_001n];
const DAYS = ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-06', '2026-03-24'];

/**
 * Up to 8 payments and 8 lines over so few amounts, days and tokens that everything collides. Each world has its own
 * currency and its own tokens, so that many of them can be matched at once.
 */
export function smallWorld(seed: number): SmallWorld {
  const dice = new Dice(seed, 'small world');
  const pick = <T>(of: readonly T[]): T => of[dice.below(of.length)]!;
  const currency = `W${seed}`;
  const own = String(seed).padStart(6, '0');
  const ids = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `id${own}-${n}`);
  const traces = ['x1', 'x2', 'x12', 'y1', 'y2'].map((name) => `tr${own}${name}`);
  const words = [...ids, ...traces, 'payout', 'unrelated'];
  const amounts = pick([[100n, 200n, 300n, 325n], [100n, 250n, 475n, 725n, 1000n, 1025n], MANY]);
  const sign = dice.chance(0.7) ? 0 : 0.3;
  const amount = (positive: number) => (dice.chance(positive) ? 1n : -1n) * pick(amounts);
  const account = () => (dice.chance(0.95) ? ACCOUNT : OTHER_ACCOUNT);
  const text = () => Array.from({length: 1 + dice.below(3)}, () => pick(words)).join(' ');
  const proof = dice.chance(0.4) ? 0 : dice.next();
  const [days, rails] = dice.chance(0.5) ? [DAYS.slice(0, 1), RAILS.slice(1, 2)] : [DAYS.slice(0, 3), RAILS];
  const payments = ids.slice(0, dice.below(9)).map((id, index): ExpectedPayment => {
    // Sometimes both sides of a transfer.
    const recordId = dice.chance(0.08) ? ids[0]! : id;
    return payment(0, {
      ...{key: `${id}/${index}`, recordId, currency, amount: amount(sign), day: pick(days)},
      ...{rail: pick(rails), status: pick(STATUSES)},
      account: dice.chance(0.1) ? undefined : account(),
      kind: dice.chance(0.1) ? 'transfer' : 'payout',
      traces: dice.chance(0.5) ? [pick(traces)] : [],
      groups: ['file', 'batch'].filter(() => dice.chance(0.4)),
    });
  });
  const sum = (all: readonly ExpectedPayment[]) => all.reduce((total, {amount}) => total + amount, 0n);
  const lineAmount = (of: ExpectedPayment): bigint => {
    const roll = dice.next();
    if (roll < 0.4) return of.amount;
    if (roll < 0.55) return -of.amount;
    if (roll < 0.7) return of.amount - 25n;
    const alike = payments.filter(({amount}) => amount < 0n === of.amount < 0n);
    if (roll < 0.85) return sum(alike.filter(({groups}) => groups.includes(pick(['file', 'batch']))));
    return sum(alike.filter(() => dice.chance(0.4)));
  };
  const lines = Array.from({length: dice.below(9)}, (_, index): BankLine => {
    const of = payments.length > 0 && dice.chance(0.85) ? pick(payments) : undefined;
    const named = of !== undefined && dice.chance(proof) ? [pick([of.recordId!, ...of.traces])] : [];
    const count = new Dice(seed, `count ${index}`).chance(0.5) ? `${1 + (seed % 4)} entries` : 'credit';
    return line(`${own}/${index}`, {
      ...{id: undefined, currency, account: account(), bookingDay: pick(DAYS)},
      amount: of === undefined ? amount(0.2) * pick([1n, 1n, 2n, 3n]) : lineAmount(of),
      state: dice.chance(0.1) ? 'pending' : 'posted',
      texts: [...(dice.chance(0.7) ? [named] : [named, [text()]]), [count]]
        .filter((each) => each.length > 0)
        .map((each, n) => ({path: `text${n}`, text: each.join(' ')})),
    });
  });
  return {payments, lines};
}
