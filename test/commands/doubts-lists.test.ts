import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import type {Context} from '../../src/cli/core/context.ts';
import {answeredRecord} from '../../src/client/answers/record.ts';
import type {Json} from '../../src/narrow.ts';
import {candidatesFor, listCommand} from '../../src/cli/doubts/candidates.ts';
import type {Payment} from '../../src/cli/doubts/payment.ts';
import {Stop} from '../../src/cli/runtime/stop.ts';
import {RemitError} from '../../src/errors.ts';
import type {TransportAnswer, TransportRequest} from '../../src/client/transport/transport.ts';
import {BASE_URL, runCli, scratch, TEST_KEY} from '../cli/run-cli.ts';
import {RecordingClock} from '../client/recording-clock.ts';
import {answer} from '../client/transport/fake-transport.ts';
import {DoubtsWorld} from './doubts-world.ts';
import {METHOD_ID, page, PAYEE_ID, PAYER_ID, payout, PAYOUT_ID} from './fixtures.ts';

const HOUR_MS = 3_600_000;
/** How far the clocks of the service and of this machine may differ. */
const TOLERANCE_MS = 24 * HOUR_MS;
const idOf = (nth: number) => `0192a000-0000-7000-8000-${String(nth).padStart(12, '0')}`;
const at = (ms: number) => new Date(ms).toISOString();

describe('candidatesFor', () => {
  const SINCE_MS = 1_700_000_000_000;
  const PAYMENT: Payment = {
    ...{kind: 'payout', party: PAYEE_ID, source: null, amountMinor: 12_500n, currency: 'USD'},
    ...{body: {}, parties: `payee ${PAYEE_ID}`, accepts: [], typed: [] as never}, // not used by a search
  };
  const ends = {payer_id: PAYER_ID, destination_account_id: PAYEE_ID, destination_subaccount_id: PAYEE_ID};
  const record = (changes: Record<string, unknown> = {}) => ({
    ...payout({created_at: at(SINCE_MS), ...ends}),
    ...changes,
  });
  type Query = Readonly<Record<string, unknown>>;
  /** Searches a list with these records. */
  async function search(records: readonly Json[], changes: Partial<Payment> = {}, failure?: Error) {
    const asked: {operation: string; query: Query}[] = [];
    async function* items() {
      for (const one of records) yield answeredRecord(one);
      await Promise.resolve();
      if (failure !== undefined) throw failure;
    }
    const list = (operation: string, query: Query) => {
      asked.push({operation, query});
      return Object.assign(items(), {more: false});
    };
    // what the function uses of a context
    const context = {
      client: {records: list},
      profile: {service: {}},
      stop: new Stop(() => {}),
    } as unknown as Context;
    const {records: found, text} = await candidatesFor(context, {...PAYMENT, ...changes}, SINCE_MS);
    return {found, text, asked};
  }
  const finds = async (one: Json, changes: Partial<Payment> = {}) =>
    (await search([one], changes)).found.length === 1;

  it('shows id, status and time of a record with the same party, amount and currency', async () => {
    const {found, text} = await search([record({id: idOf(1)}), record({id: idOf(2), currency_code: 'EUR'})]);
    assert.deepEqual(found, [{id: idOf(1), status: 'created', created_at: at(SINCE_MS)}]);
    assert.equal(text, `It may be ${idOf(1)} (created, ${at(SINCE_MS)})`);
  });

  it('says if there is none', async () => {
    assert.deepEqual(await search([]), {
      ...{found: [], text: 'No payout in the list matches it'},
      asked: [{operation: 'payouts.list', query: {payee_id: PAYEE_ID, order: 'desc'}}],
    });
  });

  it('names at most ten, and counts the others', async () => {
    for (const [count, more] of [
      [2, ''],
      [10, ''],
      [11, ', and 1 more'],
      [13, ', and 3 more'],
    ] as const) {
      const {found, text} = await search(Array.from({length: count}, (_, nth) => record({id: idOf(nth)})));
      const named = found.slice(0, 10).map(({id}) => `${id} (created, ${at(SINCE_MS)})`);
      assert.equal(found.length, count);
      assert.equal(text, `It may be ${named.join(', ')}${more}`);
    }
  });

  it('says if the list failed, and keeps what was found', async () => {
    const failure = new RemitError('UNAVAILABLE', 'the service is away');
    const rest = 'the list could not be read to its end: the service is away';
    assert.equal((await search([], {}, failure)).text, `No payout in the list matches it; ${rest}`);
    const {found, text} = await search([record({id: idOf(1)})], {}, failure);
    assert.deepEqual([found.length, text], [1, `It may be ${idOf(1)} (created, ${at(SINCE_MS)}); ${rest}`]);
  });

  it('throws what is not an error of the service', async () => {
    await assert.rejects(search([record()], {}, new TypeError('a bug')), TypeError);
  });

  it('leaves out other amounts and currencies, but not those that cannot be read', async () => {
    const amounts = (minor: unknown) => ({amount_in_minor_units: minor, amount_in_cents: minor});
    for (const [changes, isFound] of [
      [amounts(12_501), false],
      [amounts('12500'), true],
      [amounts(null), true],
      [amounts('ten'), true],
      [{amount_in_cents: 1}, true],
      [{currency_code: 'EUR'}, false],
      [{currency_code: undefined}, true],
      [{...amounts(12_501), currency_code: undefined}, false],
    ] as const)
      assert.equal(await finds(record(changes)), isFound, JSON.stringify(changes));
  });

  it('finds any amount or currency for a payment whose own is not known', async () => {
    const other = record({amount_in_minor_units: 7, amount_in_cents: 7});
    assert.equal(await finds(other, {amountMinor: null}), true);
    assert.equal(await finds({...other, currency_code: 'EUR'}, {amountMinor: null}), false);
    assert.equal(await finds(record({currency_code: 'EUR'}), {currency: null}), true);
    assert.equal(await finds(other, {currency: null}), false);
  });

  it('leaves out what is older than the payment by more than the clocks may differ', async () => {
    for (const [created, isFound] of [
      [at(SINCE_MS - TOLERANCE_MS - 1), false],
      [at(SINCE_MS - TOLERANCE_MS), true],
      [at(SINCE_MS + HOUR_MS), true],
      ...(['yesterday', '', undefined, null, 1, {}] as const).map(
        (unreadable) => [unreadable, true] as const,
      ),
    ] as const)
      assert.equal(await finds(record({created_at: created})), isFound, JSON.stringify(created));
  });

  it('names what is older, because the clock of the service may be wrong', async () => {
    const old = at(SINCE_MS - TOLERANCE_MS - 1);
    const older = [1, 2, 3, 4].map((nth) => record({id: idOf(nth), created_at: old}));
    const since = at(SINCE_MS - TOLERANCE_MS);
    const other = record({created_at: old, currency_code: 'EUR'});
    assert.deepEqual((await search([older[0], other])).found, []);
    assert.equal(
      (await search([older[0], other])).text,
      `No payout since ${since} in the list matches it; one like it is older: ${idOf(1)} (created, ${old}). If the clock of the service is wrong, check that one too`,
    );
    assert.equal(
      (await search([record(), ...older])).text,
      `It may be ${PAYOUT_ID} (created, ${at(SINCE_MS)}); 4 like it are older: ${[1, 2, 3].map((nth) => `${idOf(nth)} (created, ${old})`).join(', ')}, and 1 more`,
    );
  });

  it('reads a record in an envelope', async () => {
    assert.equal(await finds({data: record()}), true);
    assert.equal(await finds({data: record({currency_code: 'EUR'})}), false);
  });

  const kinds: Readonly<Record<Payment['kind'], {party?: string; source?: string; list: string}>> = {
    payout: {party: 'payee_id', list: `payouts list --payee ${PAYEE_ID}`},
    payin: {party: 'payer_id', list: `payins list --payer ${PAYEE_ID}`},
    move: {party: 'destination_subaccount_id', source: 'source_subaccount_id', list: 'moves list'},
    'account transfer': {
      ...{party: 'destination_account_id', source: 'source_account_id'},
      list: `transfers list --account ${PAYER_ID}`,
    },
    'bank transaction': {list: `treasury transactions ${PAYEE_ID}`},
  };
  for (const [name, {party, source, list}] of Object.entries(kinds)) {
    const kind = name as Payment['kind'];
    const payment = {kind, source: source === undefined ? null : PAYER_ID};
    const own = {
      ...(party === undefined ? {} : {[party]: PAYEE_ID}),
      ...(source === undefined ? {} : {[source]: PAYER_ID}),
      ...{created_at: undefined, [kind === 'bank transaction' ? 'posted_at' : 'created_at']: at(SINCE_MS)},
    };

    it(`compares the ends and the time of a ${kind}`, async () => {
      const {found, text} = await search([record(own)], payment);
      assert.deepEqual([found.length, found[0]?.created_at], [1, at(SINCE_MS)]);
      assert.match(text, /^It may be/);
      assert.equal((await search([], payment)).text, `No ${kind} in the list matches it`);
      for (const field of [party, source].filter((one) => one !== undefined)) {
        assert.equal(await finds(record({...own, [field]: METHOD_ID}), payment), false, field);
        assert.equal(await finds(record({...own, [field]: null}), payment), true, field);
      }
      const time = kind === 'bank transaction' ? 'posted_at' : 'created_at';
      assert.equal(await finds(record({...own, [time]: at(SINCE_MS - 2 * TOLERANCE_MS)}), payment), false);
    });

    it(`names the command that lists a ${kind}`, () => {
      const commands = {read: (...words: string[]) => words.join(' ')} as unknown as Context['commands'];
      assert.equal(listCommand(commands, {...PAYMENT, ...payment}), list);
    });
  }

  it('asks for the transfers of the source account, or for all if it is not known', async () => {
    const kind = 'account transfer';
    for (const [source, query] of [
      [PAYER_ID, {account_id: PAYER_ID, order: 'desc'}],
      [null, {account_id: undefined, order: 'desc'}],
    ] as const)
      assert.deepEqual((await search([], {kind, source})).asked, [
        {operation: 'accountTransfers.list', query},
      ]);
    assert.equal(await finds(record({...ends, source_account_id: METHOD_ID}), {kind, source: null}), true);
    const commands = {read: (...words: string[]) => words.join(' ')} as unknown as Context['commands'];
    assert.equal(listCommand(commands, {...PAYMENT, kind, source: null}), 'transfers list');
  });

  it('leaves out the debits of an account, but not what has no direction', async () => {
    const kind = 'bank transaction';
    for (const [direction, isFound] of [
      ['credit', true],
      ['debit', false],
      [undefined, true],
      [null, true],
    ] as const)
      assert.equal(await finds(record({direction}), {kind}), isFound, String(direction));
  });
});

describe('the list of a payout in doubt', () => {
  let world: DoubtsWorld;
  beforeEach(async () => {
    world = await DoubtsWorld.open();
  });
  afterEach(() => world.close());

  /** Loses a payout, and types it again when its key may be forgotten; the list is answered like this. */
  async function typedAgain(list: (path: string) => TransportAnswer, stop?: Stop) {
    const payee = (await world.service.sandbox.ready('payee')).id;
    const line = `payouts create --payee ${payee} --amount 125.00 --currency USD --json`;
    await world.lose(line);
    world.clock.advance(24 * HOUR_MS + 1);
    const {send} = world.transport;
    const paths: string[] = [];
    world.transport.send = (request: TransportRequest) => {
      if (!request.path.startsWith('/api/payouts?')) return send(request);
      paths.push(request.path);
      return Promise.resolve(list(request.path));
    };
    const ran = await world.run(line, stop === undefined ? {} : {stop});
    return {ran, paths, payee};
  }
  const ofPayee = (path: string) => /payee_id=([^&]*)/.exec(path)![1];

  it('is read to 200 records, 100 at a time, and the error says that there may be more', async () => {
    let pages = 0;
    const {ran, paths} = await typedAgain((path) => {
      pages += 1;
      const old = {created_at: '2020-01-01T00:00:00Z', payee_id: ofPayee(path)};
      const records = Array.from({length: 100}, (_, nth) => payout({id: idOf(100 * pages + nth), ...old}));
      return page(records, `cursor-${pages}`);
    });
    assert.deepEqual([ran.exitCode, ran.error().code], [11, 'GUARD_DUPLICATES'], ran.stderr);
    assert.match(
      ran.error().message,
      /\. No payout since \S+ in the list matches it; 200 like it are older: .*, and 197 more\. If the clock of the service is wrong, check those too; only the first 200 records were searched\./,
    );
    assert.deepEqual(
      paths.map((path) => /limit=(\d+)/.exec(path)?.[1]),
      ['100', '100'],
    );
    assert.deepEqual(ran.error().details?.['candidates'], []);
  });

  it('shows a record whose time is before that of the request, if a clock was set back or is slow', async () => {
    const payee = (await world.service.sandbox.ready('payee')).id;
    const {body} = await world.service.sandbox.get('/api/treasury/accounts');
    const [from, to] = (body.data as {id: string; type: string}[])
      .filter(({type}) => type === 'SIM')
      .map(({id}) => id);
    const payout = `payouts create --payee ${payee} --amount 125.00 --currency USD --json`;
    const transfer = `transfers create --source ${from} --destination ${to} --amount 1.00 --currency USD --rail book --json`;
    for (const [line, aheadMs, laterMs] of [
      [payout, 72 * HOUR_MS, 0],
      [transfer, HOUR_MS, HOUR_MS],
    ] as const) {
      const fast = new RecordingClock(world.clock.now() + aheadMs);
      assert.equal((await world.lose(line, {clock: fast})).exitCode, 12);
      const ran = await world.run(line, {clock: new RecordingClock(world.clock.now() + laterMs)});
      assert.equal(ran.exitCode, 11, ran.stderr);
      assert.match(ran.error().message, /\. It may be \S+ \(created, /);
    }
  });

  it('is asked for once if it fails, and the payout is refused all the same', async () => {
    const {ran, paths} = await typedAgain(() => answer(503, {message: 'away'}));
    assert.deepEqual([ran.exitCode, ran.error().code, paths.length], [11, 'GUARD_DUPLICATES', 1], ran.stderr);
    assert.match(ran.error().message, /No payout in the list matches it; the list could not be read to its/);
  });

  it('ends with the command at Ctrl-C', async () => {
    const stop = new Stop(() => {});
    const {ran} = await typedAgain(() => {
      stop.receive('SIGINT');
      return answer(503);
    }, stop);
    assert.deepEqual([ran.exitCode, ran.error().code], [130, 'INTERRUPTED'], ran.stderr);
  });
});

describe('the list after a 409 to the first request', () => {
  const NOW_MS = 1_700_000_000_000;
  const line = `payouts create --payee ${PAYEE_ID} --amount 125.00 --currency USD --idempotency-key k-1 --json`;
  const find = async (agesMs: readonly number[], env: Record<string, string> = {}) => {
    const records = agesMs.map((ageMs, nth) => payout({id: idOf(nth), created_at: at(NOW_MS - ageMs)}));
    const service = [answer(409, {message: 'busy'}), page(records)];
    const all = {HOME: scratch(), REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL, ...env};
    const ran = await runCli(line.split(' '), {service, env: all});
    assert.equal(ran.exitCode, 12, ran.stderr);
    return {
      message: ran.error().message,
      found: (ran.error().details?.['candidates'] as {id: string}[]).map(({id}) => id),
    };
  };

  it('is searched as far back as the service remembers a key', async () => {
    const {message, found} = await find([24 * HOUR_MS + TOLERANCE_MS - 1000, 49 * HOUR_MS]);
    assert.deepEqual(found, [idOf(0)]);
    assert.match(
      message,
      new RegExp(`check before you use another key\\. It may be ${idOf(0)} \\(created, `),
    );
  });

  it('is searched as far back as the service file states', async () => {
    const file = join(scratch(), 'service.json');
    writeFileSync(file, JSON.stringify({keys: {horizon: '12h'}}));
    const {found} = await find([12 * HOUR_MS + TOLERANCE_MS, 13 * HOUR_MS + TOLERANCE_MS], {
      REMIT_SERVICE_FILE: file,
    });
    assert.deepEqual(found, [idOf(0)]);
  });
});
