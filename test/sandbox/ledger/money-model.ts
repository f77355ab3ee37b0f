import assert from 'node:assert/strict';
import fc from 'fast-check';
import {LIFECYCLES, canReach} from '../../../src/contract/lifecycle.ts';
import {SCENARIOS} from '../../../src/sandbox/outcomes/scenarios.ts';
import {Accounts} from '../accounts.ts';
import {UNKNOWN_ID, type Answer, type TestSandbox} from '../harness.ts';

const LISTS = {
  payout: '/api/payouts',
  payin: '/api/payins',
  move: '/api/subaccounts/move',
  accountTransfer: '/api/treasury/account-transfers',
} as const;
type Kind = keyof typeof LISTS;
const KINDS = Object.keys(LISTS) as Kind[]; // own keys
type Mode = 'test' | 'live';

/** What callers, operators and time do. Numbers pick among whatever is there by then. */
export type Call = {mode: Mode} & (
  | {
      do: 'transfer';
      kind: 'payout' | 'payin';
      amount: number;
      auto: boolean;
      sub: number | null;
      scenario: string | null;
    }
  | {do: 'move'; from: number; to: number; amount: number; hitch: boolean}
  | {do: 'account transfer'; back: boolean; amount: number; auto: boolean; rail: string; scenario: string}
  | {do: 'approve' | 'cancel'; kind: Kind; pick: number}
  | {do: 'trespass'; kind: Kind; pick: number}
  | {do: 'credit'; other: boolean; amount: number}
  | {do: 'credit subaccount'; pick: number; amount: number}
);
export type Step =
  | {do: 'calls'; calls: Call[]}
  | {do: 'fault'; mode: Mode; when: 'before' | 'after'}
  | {do: 'pass'; ms: number}
  | {do: 'restart'};

const mode = fc.constantFrom<Mode[]>('test', 'test', 'test', 'live');
const amount = fc.oneof(
  {weight: 8, arbitrary: fc.integer({min: 1, max: 40_000})},
  {weight: 1, arbitrary: fc.constantFrom(5501, 1, 120_000_000)},
);
// A late return moves money without a status that says so; bank.test.ts looks at it.
const scenario = fc.option(
  fc.constantFrom(...Object.keys(SCENARIOS).filter((name) => name !== 'late_return')),
  {freq: 2},
);
const call = (what: fc.Arbitrary<object>): fc.Arbitrary<Call> =>
  fc.tuple(mode, what).map(([at, rest]) => ({mode: at, ...rest}) as Call); // the records below, each with its mode

const anyCall: fc.Arbitrary<Call> = fc.oneof(
  call(
    fc.record({
      do: fc.constant('transfer'),
      kind: fc.constantFrom('payout', 'payin'),
      amount,
      auto: fc.nat(3).map((n) => n > 0),
      sub: fc.option(fc.nat(2), {freq: 2}),
      scenario,
    }),
  ),
  call(
    fc.record({
      do: fc.constant('move'),
      from: fc.nat(2),
      to: fc.nat(2),
      amount,
      hitch: fc.nat(4).map((n) => n === 0),
    }),
  ),
  call(
    fc.record({
      do: fc.constant('account transfer'),
      back: fc.boolean(),
      amount,
      auto: fc.nat(3).map((n) => n > 0),
      rail: fc.constantFrom('book', 'wire', 'same_day_ach', 'standard_ach', 'instant_bank'),
      scenario: fc.constantFrom(
        '',
        '',
        'async_202',
        'stuck_initiated',
        'fails_after_initiated',
        'settle_slow',
      ),
    }),
  ),
  {
    weight: 4,
    arbitrary: call(
      fc.record({
        do: fc.constantFrom('approve', 'approve', 'cancel'),
        kind: fc.constantFrom(...KINDS),
        pick: fc.nat(3),
      }),
    ),
  },
  call(fc.record({do: fc.constant('trespass'), kind: fc.constantFrom(...KINDS), pick: fc.nat(3)})),
  call(fc.record({do: fc.constant('credit'), other: fc.boolean(), amount})),
  call(fc.record({do: fc.constant('credit subaccount'), pick: fc.nat(2), amount})),
);

/** Steps of a run: groups of calls at once, faults, time, restarts. */
export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('calls' as const),
        calls: fc.array(anyCall, {minLength: 3, maxLength: 8, size: 'max'}),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('fault' as const),
        mode,
        when: fc.constantFrom('before', 'after'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('pass' as const),
        ms: fc.oneof(fc.integer({min: 500, max: 2000}), fc.integer({min: 1, max: 70_000})),
      }),
    },
    {weight: 1, arbitrary: fc.constant({do: 'restart' as const})},
  ),
  {minLength: 4, maxLength: 16, size: 'max'},
);

interface Shown {
  id: string;
  status: string;
  amount_in_minor_units: number;
  subaccount_id?: string | null;
  source_subaccount_id?: string;
  destination_subaccount_id?: string;
  source_account_id?: string;
}
type Records = Record<Kind, Shown[]>;

/** One entity as its callers see it, and what they must find there. */
class Side {
  readonly mode: Mode;
  readonly at: TestSandbox;
  readonly accounts: Accounts;
  readonly treasury: [string, string];
  readonly subaccounts: string[] = [];
  readonly parties: {payout: string; payin: string};
  readonly opening: {main: number; other: number};
  /** Credits of subaccounts by hand, which no list shows. */
  readonly credited = new Map<string, number>();
  #seen = new Map<string, string>();

  private constructor(
    at: TestSandbox,
    mode: Mode,
    made: {accounts: Accounts; treasury: [string, string]; parties: {payout: string; payin: string}},
    opening: {main: number; other: number},
  ) {
    this.at = at;
    this.mode = mode;
    this.accounts = made.accounts;
    this.treasury = made.treasury;
    this.parties = made.parties;
    this.opening = opening;
  }

  get key(): string {
    return this.mode === 'test' ? this.at.sandbox.testKey : this.at.sandbox.liveKey;
  }

  static async open(at: TestSandbox, mode: Mode): Promise<Side> {
    const accounts = new Accounts(at, mode === 'test' ? at.sandbox.testKey : at.sandbox.liveKey);
    const treasury = await accounts.treasury();
    const {payees, payers} = await at.sandbox.seed({payees: 1, payers: 1, mode});
    const parties = {payout: payees[0]!.id, payin: payers[0]!.id};
    const [main, other] = [await accounts.reported(treasury[0]), await accounts.reported(treasury[1])];
    const opening = {main: main.current, other: other.current};
    const side = new Side(at, mode, {accounts, treasury, parties}, opening);
    for (let n = 0; n < 3; n += 1) {
      const id = await accounts.subaccount();
      side.subaccounts.push(id);
      await side.creditSubaccount(id, 30_000);
    }
    return side;
  }

  async creditSubaccount(id: string, amount: number): Promise<Answer> {
    const credit = {kind: 'subaccount', id, outcome: 'credit', amount_in_minor_units: amount};
    const answer = await this.at.control('POST', '/sandbox/simulate', credit);
    assert.equal(answer.status, 200);
    this.credited.set(id, (this.credited.get(id) ?? 0) + amount);
    return answer;
  }

  async records(): Promise<Records> {
    const found: Partial<Records> = {};
    for (const kind of KINDS) {
      const {status, body} = await this.at.get(`${LISTS[kind]}?limit=100&order=asc`, {key: this.key});
      assert.deepEqual([status, body.next_cursor], [200, null]);
      found[kind] = body.data as Shown[];
    }
    return found as Records; // every kind
  }

  /** No record went backwards or vanished; terminal states are never left. */
  checkLifecycles(records: Records): void {
    const now = new Map(KINDS.flatMap((kind) => records[kind].map(({id, status}) => [id, status] as const)));
    for (const [id, before] of this.#seen) assert.ok(now.has(id), `${id} was ${before} and is gone`);
    for (const kind of KINDS)
      for (const {id, status} of records[kind]) {
        const before = this.#seen.get(id) ?? LIFECYCLES[kind].initial;
        assert.ok(canReach(LIFECYCLES[kind], before, status), `${kind} ${id}: ${before} -> ${status}`);
      }
    this.#seen = now;
  }

  /** What the accounts hold follows from the statuses of the records and from the credits alone. */
  async checkMoney(records: Records): Promise<void> {
    const {balances} = (await this.at.sandbox.audit()).entities.find((entity) => entity.mode === this.mode)!;
    const [main, other] = this.treasury;
    const credits = async (id: string) =>
      (await this.accounts.lines(id))
        .filter(({description}) => description === 'by hand')
        .reduce((sum, line) => sum + line.amount, 0);
    const spent = transferred(records, null);
    const moved = this.#accountTransfers(records);
    assert.equal(
      balances.main,
      String(this.opening.main + (await credits(main)) + spent - moved.left + moved.came),
    );
    const reserved = moved.backReserved; // what is reserved lies beside the account, and counts as its own
    assert.equal(
      balances.treasury,
      String(
        this.opening.other + (await credits(other)) + moved.left - moved.under + reserved - moved.backLeft,
      ),
    );
    for (const id of this.subaccounts) {
      const held = await this.accounts.held(id);
      assert.equal(held, (this.credited.get(id) ?? 0) + transferred(records, id) + throughMoves(records, id));
      assert.ok(held >= 0);
    }
    assert.equal(
      Object.values(balances).reduce((sum, held) => sum + BigInt(held), 0n),
      0n,
    );
  }

  /** Minor units that left main, are still under way to the other account, came back, and the same from the other. */
  #accountTransfers(records: Records) {
    const sum = (back: boolean, ...statuses: string[]) =>
      records.accountTransfer
        .filter(
          (one) => (one.source_account_id === this.treasury[1]) === back && statuses.includes(one.status),
        )
        .reduce((total, one) => total + one.amount_in_minor_units, 0);
    return {
      left: sum(false, 'approved', 'initiated', 'settled'),
      under: sum(false, 'approved', 'initiated'),
      came: sum(true, 'settled'),
      backLeft: sum(true, 'approved', 'initiated', 'settled'),
      backReserved: sum(true, 'approved'),
    };
  }
}

/** What payouts took from, and payins brought to, a subaccount or (null) the main account. */
function transferred(records: Records, subaccount: string | null): number {
  const of = (kind: 'payout' | 'payin', ...statuses: string[]) =>
    records[kind]
      .filter((one) => one.subaccount_id === subaccount && statuses.includes(one.status))
      .reduce((sum, one) => sum + one.amount_in_minor_units, 0);
  return of('payin', 'settled') - of('payout', 'approved', 'initiated', 'debited', 'settled');
}

function throughMoves(records: Records, subaccount: string): number {
  return records.move
    .filter(({status}) => status === 'SETTLED')
    .reduce((sum, move) => {
      if (move.source_subaccount_id === subaccount) return sum - move.amount_in_minor_units;
      return move.destination_subaccount_id === subaccount ? sum + move.amount_in_minor_units : sum;
    }, 0);
}

/** Runs steps on a sandbox and holds it, after each, to what its records say. */
export class MoneyRun {
  readonly #at: TestSandbox;
  readonly #sides: Record<Mode, Side>;

  private constructor(at: TestSandbox, sides: Record<Mode, Side>) {
    this.#at = at;
    this.#sides = sides;
  }

  static async open(at: TestSandbox): Promise<MoneyRun> {
    return new MoneyRun(at, {test: await Side.open(at, 'test'), live: await Side.open(at, 'live')});
  }

  async take(step: Step): Promise<void> {
    if (step.do === 'pass') this.#at.clock.pass(step.ms);
    else if (step.do === 'restart') await this.#at.reopen();
    else if (step.do === 'fault')
      this.#at.sandbox.faults.add({
        match: {method: 'POST', mode: step.mode},
        times: 1,
        effect: {kind: 'status', status: 500, when: step.when},
      });
    else {
      const before = {test: await this.#sides.test.records(), live: await this.#sides.live.records()};
      await Promise.all(step.calls.map((one) => this.#call(one, before)));
    }
    await this.check();
  }

  async check(): Promise<void> {
    for (const side of Object.values(this.#sides)) {
      const records = await side.records();
      side.checkLifecycles(records);
      await side.checkMoney(records);
    }
    assert.deepEqual((await this.#at.sandbox.audit()).problems, []);
  }

  async #call(one: Call, before: Record<Mode, Records>): Promise<void> {
    const side = this.#sides[one.mode];
    const other = one.mode === 'test' ? this.#at.sandbox.liveKey : this.#at.sandbox.testKey;
    const picked = (kind: Kind, pick: number) => before[one.mode][kind].at(-1 - pick)?.id ?? UNKNOWN_ID;
    const answer = await this.#ask(one, side, {other, picked});
    if (one.do === 'trespass' && answer.status !== 500) assert.equal(answer.status, 404);
    const injected = answer.body?.error_code === 'INJECTED' || answer.status === 500;
    assert.ok(injected || answer.status < 500 || answer.status === 503, JSON.stringify(answer.body));
  }

  async #ask(
    one: Call,
    side: Side,
    at: {other: string; picked: (kind: Kind, pick: number) => string},
  ): Promise<Answer> {
    const post = (path: string, body: object = {}, key = side.key) => this.#at.post(path, body, {key});
    const {subaccounts, treasury, parties} = side;
    switch (one.do) {
      case 'transfer':
        return post(LISTS[one.kind], {
          [one.kind === 'payout' ? 'payee_id' : 'payer_id']: parties[one.kind],
          amount_in_minor_units: one.amount,
          auto_approve: one.auto,
          ...(one.sub === null ? {} : {subaccount_id: subaccounts[one.sub]}),
          ...(one.scenario === null ? {} : {metadata: {'sandbox.scenario': one.scenario}}),
        });
      case 'move':
        return post(LISTS.move, {
          source_subaccount_id: subaccounts[one.from],
          destination_subaccount_id: subaccounts[one.to],
          amount_in_minor_units: one.amount,
          ...(one.hitch ? {description: 'move_207'} : {}),
        });
      case 'account transfer':
        return post(LISTS.accountTransfer, {
          source_account_id: treasury[one.back ? 1 : 0],
          destination_account_id: treasury[one.back ? 0 : 1],
          amount_in_minor_units: one.amount,
          currency_code: 'USD',
          rail: one.rail,
          auto_approve: one.auto,
          description: one.scenario,
        });
      case 'approve':
      case 'cancel':
        return post(`${LISTS[one.kind]}/${at.picked(one.kind, one.pick)}/${one.do}`);
      case 'trespass':
        return post(`${LISTS[one.kind]}/${at.picked(one.kind, one.pick)}/approve`, {}, at.other);
      case 'credit':
        return post(`/api/treasury/accounts/${treasury[one.other ? 1 : 0]}/simulate-inbound-credit`, {
          amount_in_minor_units: one.amount,
          description: 'by hand',
        });
      case 'credit subaccount':
        return side.creditSubaccount(subaccounts[one.pick]!, one.amount);
    }
  }
}
