import {addDays} from '../../src/sandbox/time/schedule.ts';
import type {LineState, PaymentState, Rule} from '../../src/reconcile/model/finding.ts';
import type {BankLine} from '../../src/reconcile/model/line.ts';
import type {FeeRule, MatchOptions} from '../../src/reconcile/model/options.ts';
import type {ExpectedPayment} from '../../src/reconcile/model/payment.ts';

/**
 * The rules once more, on arrays and by trying everything: what the SQL is compared with. It reads only texts of plain
 * words, and neither decisions nor second sources.
 */
interface Hit {
  line: BankLine;
  payment: ExpectedPayment;
  rule: Rule;
  same: boolean;
  equal: boolean;
}
interface Group {
  members: ExpectedPayment[];
}
/** An amount that a line may have. */
interface Offer {
  payment?: ExpectedPayment;
  group?: Group;
  members: ExpectedPayment[];
  amount: bigint;
}

export interface Answer {
  payments: Record<string, PaymentState>;
  lines: Record<string, LineState>;
  /** `rule state lines payments`, sorted. */
  matches: string[];
}

const bare = (word: string) => word.toLowerCase();
const ownerOf = ({recordId, key}: ExpectedPayment) => recordId ?? key;
const hasFailed = ({status}: ExpectedPayment) => status === 'failed' || status === 'canceled';
const isLive = (payment: ExpectedPayment) => !hasFailed(payment) && payment.status !== 'created';
const sumOf = (all: readonly ExpectedPayment[]) => all.reduce((sum, {amount}) => sum + amount, 0n);

export function bruteForce(
  payments: readonly ExpectedPayment[],
  lines: readonly BankLine[],
  options: MatchOptions,
): Answer {
  return new BruteForce(payments, lines, options).answer();
}

class BruteForce {
  readonly #all: readonly ExpectedPayment[];
  readonly #lines: readonly BankLine[];
  readonly #options: MatchOptions;
  readonly #payments = new Map<ExpectedPayment, PaymentState>();
  readonly #found = new Map<BankLine, LineState>();
  readonly #lineOf = new Map<ExpectedPayment, BankLine>();
  readonly #matches: {rule: Rule; state: PaymentState; lines: BankLine[]; payments: ExpectedPayment[]}[] = [];
  #hits: Hit[] = [];
  #groups: Group[] = [];

  constructor(all: readonly ExpectedPayment[], lines: readonly BankLine[], options: MatchOptions) {
    this.#all = all;
    this.#lines = lines;
    this.#options = options;
  }

  answer(): Answer {
    this.#hits = this.#findHits();
    this.#proofs();
    this.#returns();
    this.#groups = this.#freeGroups();
    this.#matchGroups();
    this.#returns();
    this.#otherHits();
    this.#suggest('amount_and_day', [undefined]);
    this.#subsets();
    this.#suggest('less_fee', this.#options.fees ?? []);
    this.#pending();
    this.#otherMoney();
    this.#rest();
    const keys = (each: readonly {key: string}[]) =>
      each
        .map(({key}) => key)
        .sort()
        .join(',');
    return {
      payments: Object.fromEntries([...this.#payments].map(([{key}, state]) => [key, state])),
      lines: Object.fromEntries([...this.#found].map(([{key}, state]) => [key, state])),
      matches: this.#matches
        .map(({rule, state, lines, payments}) => `${rule} ${state} ${keys(lines)} ${keys(payments)}`)
        .sort(),
    };
  }

  #tokensOf({recordId, traces}: ExpectedPayment): string[] {
    return [recordId ?? '', ...traces].map(bare).filter((token) => token.replaceAll('-', '').length >= 8);
  }

  #findHits(): Hit[] {
    const hits: Hit[] = [];
    for (const line of this.#lines)
      for (const payment of this.#all) {
        const tokens = this.#tokensOf(payment).filter((token) => this.#isProof(token, line, payment));
        if (tokens.length === 0 || line.currency !== payment.currency || line.amount === 0n) continue;
        if (payment.account !== undefined && payment.account !== line.account) continue;
        const same = line.amount < 0n === payment.amount < 0n;
        const equal = line.amount === (same ? payment.amount : -payment.amount);
        const rule = tokens.includes(bare(payment.recordId ?? '')) ? 'id' : 'trace';
        hits.push({line, payment, rule, same, equal});
      }
    return hits.filter(
      (hit) =>
        hit.same ||
        !hits.some((o) => o.same && o.line === hit.line && ownerOf(o.payment) === ownerOf(hit.payment)),
    );
  }

  #isProof(token: string, line: BankLine, payment: ExpectedPayment): boolean {
    const others = this.#all.filter((other) => ownerOf(other) !== ownerOf(payment));
    if (others.some((other) => this.#tokensOf(other).includes(token))) return false;
    const isLonger = others.some((other) =>
      this.#tokensOf(other).some((each) => each.startsWith(token) && each !== token),
    );
    const isId = token === bare(payment.recordId ?? '');
    if (!isId && line.bookingDay < addDays(payment.day, -1)) return false;
    return line.texts.some(({text}) => {
      const words = text.split(' ').map(bare);
      return isLonger ? words.slice(0, -1).includes(token) : words.includes(token);
    });
  }

  #isClear = (line: BankLine) => this.#hits.filter((hit) => hit.line === line).length === 1;
  #isFree = (payment: ExpectedPayment) => !this.#payments.has(payment);
  #posted(payment: ExpectedPayment, {same, equal}: {same: boolean; equal: boolean}): Hit[] {
    return this.#hits.filter(
      (hit) =>
        hit.payment === payment && hit.same === same && hit.equal === equal && hit.line.state === 'posted',
    );
  }

  #take(
    rule: Rule,
    state: PaymentState,
    lines: BankLine[],
    payments: ExpectedPayment[],
    line?: LineState,
  ): void {
    this.#matches.push({rule, state, lines, payments});
    for (const each of lines) this.#found.set(each, line ?? (state as LineState));
    for (const each of payments) {
      this.#payments.set(each, state);
      this.#lineOf.set(each, lines[0]!);
    }
  }

  #proofs(): void {
    const rule = (hits: readonly Hit[]): Rule => (hits.some((hit) => hit.rule === 'id') ? 'id' : 'trace');
    for (const payment of this.#all) {
      const equal = this.#posted(payment, {same: true, equal: true});
      const its = equal.map(({line}) => line);
      if (!its.every(this.#isClear) || its.length === 0) continue;
      this.#take(rule(equal), its.length === 1 ? 'matched' : 'duplicate', its, [payment]);
    }
    for (const line of this.#lines)
      if (line.state === 'posted' && this.#hits.filter((hit) => hit.line === line).length > 1)
        this.#found.set(line, 'ambiguous');
    for (const payment of this.#all.filter(this.#isFree)) {
      const equal = this.#posted(payment, {same: true, equal: true});
      const unequal = this.#posted(payment, {same: true, equal: false});
      const clear = unequal.filter(({line}) => this.#isClear(line));
      if (equal.length > 0) {
        this.#payments.set(payment, 'ambiguous');
        for (const {line} of equal) this.#found.set(line, 'ambiguous');
      } else if (clear.length > 0)
        this.#take(
          rule(clear),
          'amount_differs',
          clear.map(({line}) => line),
          [payment],
        );
      else if (unequal.length > 0) this.#payments.set(payment, 'ambiguous');
    }
  }

  #returns(): void {
    for (const payment of this.#all) {
      const paid = this.#lineOf.get(payment);
      if (this.#payments.get(payment) !== 'matched' || paid === undefined) continue;
      const back = this.#posted(payment, {same: false, equal: true})
        .map(({line}) => line)
        .filter(
          (line) => line.bookingDay >= paid.bookingDay && this.#isClear(line) && !this.#found.has(line),
        );
      if (back.length === 0) continue;
      this.#payments.set(payment, back.length === 1 ? 'returned' : 'duplicate');
      for (const line of back) this.#found.set(line, back.length === 1 ? 'returned' : 'duplicate');
      if (back.length === 1)
        this.#matches.push({rule: 'return', state: 'returned', lines: back, payments: [payment]});
    }
  }

  #window({day, rail}: ExpectedPayment): [string, string] {
    const {windows, otherWindow, bankingDay} = this.#options;
    const [first, last] = windows[rail ?? ''] ?? otherWindow;
    return [first === 0 ? day : bankingDay(day, first), bankingDay(day, last)];
  }

  #freeLines(): BankLine[] {
    return this.#lines.filter(
      (line) =>
        line.state === 'posted' &&
        line.amount !== 0n &&
        !this.#found.has(line) &&
        !this.#hits.some((hit) => hit.line === line),
    );
  }

  #freeGroups(): Group[] {
    const names = new Map<string, ExpectedPayment[]>();
    for (const payment of this.#all)
      for (const group of payment.groups) {
        const name = JSON.stringify([group, payment.currency, payment.account, payment.amount < 0n]);
        names.set(name, [...(names.get(name) ?? []), payment]);
      }
    const sets = [...names.values()].flatMap((all) => [all, all.filter(isLive)]);
    const seen = new Set<string>();
    return sets
      .filter((members) => members.length > 1 && members.every(this.#isFree))
      .map((members) => ({members}))
      .filter(({members}) => {
        const name = members
          .map(({key}) => key)
          .sort()
          .join();
        return !seen.has(name) && seen.add(name);
      });
  }

  #offers(rule?: FeeRule): Offer[] {
    const singles = this.#all
      .filter((payment) => this.#isFree(payment) && isLive(payment))
      .map((payment): Offer => ({payment, members: [payment], amount: payment.amount}));
    const groups = this.#groups.map((group): Offer => ({...group, group, amount: sumOf(group.members)}));
    const all = [...singles, ...groups];
    if (rule === undefined) return all;
    return all.flatMap((offer) => {
      const {members, amount} = offer;
      const taken = feeOf(rule, members[0]!.currency, amount);
      const hasRail = rule.rail === undefined || members.every(({rail}) => rail === rule.rail);
      return taken > 0n && hasRail && (amount < 0n || amount > taken)
        ? [{...offer, amount: amount - taken}]
        : [];
    });
  }

  #fits({members, amount}: Offer, line: BankLine): boolean {
    return members.every((payment) => {
      const [first, last] = this.#window(payment);
      return (
        payment.currency === line.currency &&
        (payment.account === undefined || payment.account === line.account) &&
        line.bookingDay >= first &&
        line.bookingDay <= last &&
        line.amount === amount
      );
    });
  }

  #choices(offers: readonly Offer[]): {offer: Offer; line: BankLine}[] {
    const lines = this.#freeLines();
    return offers.flatMap((offer) =>
      lines.filter((line) => this.#fits(offer, line)).map((line) => ({offer, line})),
    );
  }

  #unique(choices: readonly {offer: Offer; line: BankLine}[]): {offer: Offer; line: BankLine}[] {
    return choices.filter(
      ({offer, line}) => choices.filter((each) => each.offer === offer || each.line === line).length === 1,
    );
  }

  /** Without those whose payments are in several of them. */
  #disjoint(choices: readonly {offer: Offer; line: BankLine}[]): {offer: Offer; line: BankLine}[] {
    return choices.filter(
      (choice) =>
        !choices.some(
          (each) =>
            each !== choice && each.offer.members.some((member) => choice.offer.members.includes(member)),
        ),
    );
  }

  #matchGroups(): void {
    const choices = this.#choices(this.#offers());
    const groups = this.#unique(choices).filter(
      ({offer: {group, members}}) =>
        group !== undefined && !members.some((member) => choices.some(({offer}) => offer.payment === member)),
    );
    for (const {offer, line} of this.#disjoint(groups)) {
      const states = line.texts.some(({text}) => text === `${offer.members.length} entries`);
      this.#take('group', states ? 'matched' : 'suggested', [line], offer.members);
    }
    this.#dropGroups();
  }

  #dropGroups(): void {
    this.#groups = this.#groups.filter(({members}) => members.every(this.#isFree));
  }

  #otherHits(): void {
    for (const line of this.#lines.filter((each) => !this.#found.has(each))) {
      const hits = this.#hits.filter((hit) => hit.line === line);
      const [hit] = hits;
      if (hit === undefined) continue;
      const isPaid = line.state === 'pending' && hit.same && hit.equal;
      const own = hit.equal ? (hit.same ? 'duplicate' : 'unexplained') : 'amount_differs';
      this.#found.set(line, hits.length > 1 ? 'ambiguous' : isPaid ? 'matched' : own);
    }
  }

  #suggest(rule: Rule, fees: readonly (FeeRule | undefined)[]): void {
    const offers = fees.flatMap((fee) => this.#offers(fee));
    const choices = this.#choices(
      offers.filter(
        ({payment, group, amount}, at) =>
          at ===
          offers.findIndex(
            (each) => each.payment === payment && each.group === group && each.amount === amount,
          ),
      ),
    );
    const unique = this.#unique(choices).filter(
      ({offer}) => offer.payment !== undefined || rule === 'less_fee',
    );
    for (const {offer, line} of this.#disjoint(unique)) this.#take(rule, 'suggested', [line], offer.members);
    for (const {offer, line} of choices) {
      if (!this.#found.has(line)) this.#found.set(line, 'ambiguous');
      for (const member of offer.members) if (this.#isFree(member)) this.#payments.set(member, 'ambiguous');
    }
    this.#dropGroups();
  }

  #subsets(): void {
    const pools = new Map<string, ExpectedPayment[]>();
    for (const payment of this.#all.filter((each) => this.#isFree(each) && isLive(each))) {
      const {currency, rail, day, account, amount} = payment;
      const name = JSON.stringify([currency, rail, day, account, amount < 0n]);
      pools.set(name, [...(pools.get(name) ?? []), payment]);
    }
    const solutions: {line: BankLine; members: ExpectedPayment[]}[] = [];
    for (const line of this.#freeLines())
      for (const pool of pools.values())
        for (let mask = 1; pool.length <= 12 && mask < 1 << pool.length; mask += 1) {
          const members = pool.filter((_, index) => (mask & (1 << index)) !== 0);
          if (members.length > 1 && this.#fits({members, amount: sumOf(members)}, line))
            solutions.push({line, members});
        }
    const unique = solutions.filter(
      (solution) =>
        !solutions.some(
          (other) =>
            other !== solution &&
            (other.line === solution.line || other.members.some((each) => solution.members.includes(each))),
        ),
    );
    for (const {line, members} of unique) this.#take('subset', 'suggested', [line], members);
    for (const {line, members} of solutions.filter((each) => !unique.includes(each))) {
      this.#found.set(line, 'ambiguous');
      for (const each of members) this.#payments.set(each, 'ambiguous');
    }
  }

  #pending(): void {
    for (const payment of this.#all.filter(this.#isFree)) {
      const hits = this.#hits.filter(
        (hit) =>
          hit.payment === payment &&
          hit.same &&
          hit.equal &&
          hit.line.state === 'pending' &&
          this.#isClear(hit.line),
      );
      const rule = hits.some((hit) => hit.rule === 'id') ? 'id' : 'trace';
      if (hits.length > 0)
        this.#take(
          rule,
          'tentative',
          hits.map(({line}) => line),
          [payment],
          'matched',
        );
    }
  }

  #otherMoney(): void {
    for (const line of this.#lines.filter((each) => !this.#found.has(each)))
      for (const payment of this.#all) {
        const isOther = line.currency !== payment.currency || line.amount === 0n;
        if (!isOther || payment.kind === 'transfer') continue;
        if (payment.account !== undefined && payment.account !== line.account) continue;
        if (this.#tokensOf(payment).some((token) => this.#isProof(token, line, payment)))
          this.#found.set(line, 'amount_differs');
      }
  }

  #rest(): void {
    for (const payment of this.#all) {
      const state = this.#payments.get(payment);
      const isLate = this.#options.bankingDay(this.#window(payment)[1], 1) <= this.#options.today;
      if (state === 'matched' && hasFailed(payment)) this.#payments.set(payment, 'contradicted');
      if (state !== undefined) continue;
      const late = payment.status === 'settled' ? 'contradicted' : 'overdue';
      this.#payments.set(payment, isLate && isLive(payment) ? late : 'expected');
    }
    for (const line of this.#lines) if (!this.#found.has(line)) this.#found.set(line, 'unexplained');
    for (const {state, lines, payments} of this.#matches)
      if (state !== 'suggested' && payments.some(({kind}) => kind === 'transfer'))
        for (const line of lines) if (this.#found.get(line) === 'matched') this.#found.set(line, 'internal');
  }
}

function feeOf({fee}: FeeRule, currency: string, amount: bigint): bigint {
  if ('amount' in fee) return fee.currency === currency ? fee.amount : 0n;
  const magnitude = amount < 0n ? -amount : amount;
  return BigInt(Math.round(Number(magnitude * fee.basisPoints) / 10_000)); // amounts of small worlds are small
}
