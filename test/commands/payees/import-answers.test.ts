import assert from 'node:assert/strict';
import type {Fault, FakeRecord} from '../../parties/fake-parties.ts';
import {ImportDesk, isAdd, isCreate, NUMBERS} from './import-desk.ts';

/** An import whose requests are answered with records of others. */
describe('payees import of a service that mixes up records', () => {
  let desk: ImportDesk;
  beforeEach(() => (desk = new ImportDesk()));

  const states = (problems: readonly {reference: string; state: string}[]) =>
    problems.map(({reference, state}) => `${reference} ${state}`);

  /** Answers the create of S-3 once with another record. */
  const answerWith = (record: (records: readonly FakeRecord[]) => unknown) => {
    let answered = false;
    desk.parties.fault = (request): Fault => {
      if (answered || !isCreate(request) || !request.body.includes('S-3')) return undefined;
      answered = true;
      return {record: record(desk.parties.records)};
    };
  };

  for (const topic of ['payees', 'payers'])
    it(`takes no record of another row for one of ${topic}, and finds its own in the next run`, async () => {
      desk.topic = topic;
      answerWith(([first]) => first);
      const {created, problems, exit, next} = await desk.go();
      assert.deepEqual([created, states(problems), exit], [7, ['S-3 other_record'], 8]);
      assert.match(
        problems[0]?.message ?? '',
        /another record, 0a000000-\S+: its name and reference differ\. It was not used/,
      );
      assert.equal(next, `remit ${topic} import ${desk.file} --json`);
      assert.ok(!desk.results.some((line) => line.startsWith('S-3,')));
      assert.equal(desk.parties.named('S-0')[0]?.methods.length, 1);
      const again = await desk.go();
      assert.deepEqual([again.created, again.problems, again.exit], [1, [], 0]);
      desk.existOnce();
    });

  const others: [string, (own: Record<string, unknown>) => unknown][] = [
    ['another name', (own) => ({...own, name: 'Elm Press', metadata: {}})],
    ['another reference', (own) => ({...own, metadata: {remit_reference: 'S-9'}})],
    ['another email', (own) => ({...own, email: 'elm@example.com'})],
  ];
  for (const [what, change] of others)
    it(`refuses an answer with ${what}`, async () => {
      const own = {id: '0b000000-0000-4000-8000-000000000001', name: 'Supplier 3', email: null};
      answerWith(() => change({...own, metadata: {remit_reference: 'S-3'}}));
      const {problems, exit} = await desk.go();
      assert.deepEqual([states(problems), exit], [['S-3 other_record'], 8]);
    });

  it('reads the record of an answer that only has an id', async () => {
    answerWith(([first]) => ({id: first?.id}));
    const {problems, exit} = await desk.go();
    assert.deepEqual([states(problems), exit], [['S-3 other_record'], 8]);
  });

  for (const metadata of [{}, undefined])
    it(`refuses an older record with the same name and ${metadata === undefined ? 'no' : 'other'} metadata`, async () => {
      const old = {id: '0b000000-0000-4000-8000-000000000001', name: 'Supplier 3', email: null};
      desk.parties.keeps = metadata !== undefined;
      desk.parties.records.push({...old, metadata: {}, created_at: '', methods: []});
      answerWith(() => ({...old, metadata}));
      const {problems, exit} = await desk.go();
      assert.deepEqual([states(problems), exit], [['S-3 other_record'], 8]);
      assert.match(problems[0]?.message ?? '', /it was there before, or belongs to another row/);
      assert.deepEqual(desk.parties.records[0]?.methods, []);
    });

  it('accepts a name in other letters, which a service may have changed', async () => {
    const made = () => desk.parties.named('S-3')[0];
    desk.parties.fault = (request): Fault => {
      if (!isCreate(request) || !request.body.includes('S-3')) return undefined;
      queueMicrotask(() => Object.assign(made() ?? {}, {name: 'SUPPLIER 3'}));
      return {record: {id: desk.parties.nextId, name: 'SUPPLIER 3', email: ''}};
    };
    const {problems, exit} = await desk.go();
    assert.deepEqual([problems, exit], [[], 0]);
    desk.existOnce();
  });

  it('finds a lost record again, although a new row has the same name and nothing has metadata', async () => {
    desk.parties.keeps = false;
    const row = (reference: string) => [reference, 'The same name', '987654321', '021000021'];
    desk.write([row('S-0')]);
    desk.parties.fault = (request, nth) => {
      if (isCreate(request)) return 'lost-after';
      if (nth > 2) throw new Error('killed');
      return undefined;
    };
    await desk.run();
    desk.parties.fault = () => undefined;
    desk.write([row('S-0'), row('S-1')]);
    assert.equal((await desk.go()).exit, 0);
    assert.deepEqual(
      desk.parties.records.map(({metadata, methods}) => [metadata['remit_reference'], methods.length]),
      [
        ['S-0', 1],
        ['S-1', 1],
      ],
    );
  });

  describe('for bank accounts', () => {
    /** Answers the add for S-3 once with another bank account; the own one is added. */
    const answerAdd = (change: (own: Record<string, unknown>) => unknown, does = true) => {
      let answered = false;
      desk.parties.fault = (request): Fault => {
        if (answered || !isAdd(request) || !request.body.includes(NUMBERS[3]!)) return undefined;
        answered = true;
        const own = {id: '0b000000-0000-4000-8000-000000000001', payee_id: request.path.split('/')[3]};
        const record = change({...own, type: 'bank_account', country_code: 'US', last4: '3231', ...VERIFIED});
        return does ? {record} : {record, does};
      };
    };
    const VERIFIED = {verification_status: 'verified', is_default: true};

    const foreign: [string, Record<string, unknown>, string][] = [
      ['owner', {payee_id: '0b000000-0000-4000-8000-000000000002'}, 'owner differs'],
      ['type', {type: 'card'}, 'type differs'],
      ['country', {country_code: 'GB'}, 'country differs'],
      ['account', {last4: '0000'}, 'last4 differs'],
    ];
    for (const [what, other, words] of foreign)
      it(`does not take one of another ${what}, and finds its own in the next run`, async () => {
        answerAdd((own) => ({...own, ...other}));
        const {created, problems, exit} = await desk.go();
        assert.deepEqual([created, states(problems), exit], [7, ['S-3 other_record'], 8]);
        assert.ok(problems[0]?.message.includes(`its ${words}. It was not used`), problems[0]?.message);
        assert.match(desk.results[4] ?? '', /^S-3,[^,]+,,$/);
        const again = await desk.go();
        assert.deepEqual([again.problems, again.exit], [[], 0]);
        desk.existOnce();
      });

    it('does not take that of another row', async () => {
      const own = () => desk.parties.named('S-0')[0]?.methods[0];
      answerAdd(({payee_id: owner}) => ({...own(), payee_id: owner, last4: '3231'}));
      desk.write(NUMBERS.slice(0, 1).map((number) => ['S-0', 'Supplier 0', number, '021000021']));
      await desk.go();
      desk.writeAll();
      assert.deepEqual(states((await desk.go()).problems), ['S-3 other_record']);
    });

    it('reads one that the answer shows only in part before it counts as the default', async () => {
      answerAdd(({id}) => ({id, ...VERIFIED}), false);
      const {problems, exit} = await desk.go();
      assert.deepEqual([states(problems), exit], [['S-3 gone'], 8]);
    });

    it('does not make another one the default', async () => {
      desk.parties.verification = 'pending';
      await desk.go();
      for (const {methods} of desk.parties.records)
        for (const method of methods) Object.assign(method, {verification_status: 'verified'});
      const [other] = desk.parties.named('S-0')[0]?.methods ?? [];
      const own = desk.parties.named('S-3')[0]?.id ?? '';
      desk.parties.fault = ({path}) =>
        path.includes(own) && path.endsWith('/set-default') ? {record: other, does: false} : undefined;
      const {problems, exit} = await desk.go('--wait');
      assert.deepEqual([states(problems), exit], [['S-3 not_default'], 8]);
    });

    it('names one that was replaced by another account', async () => {
      desk.parties.verification = 'pending';
      await desk.go();
      Object.assign(desk.parties.named('S-3')[0]?.methods[0] ?? {}, {last4: '0000'});
      const {problems, exit} = await desk.go();
      assert.deepEqual([states(problems), exit], [['S-3 other_record'], 8]);
    });
  });
});

/** An import whose requests take effect, although their answers are errors. */
describe('payees import of a service that creates and answers with an error', () => {
  let desk: ImportDesk;
  beforeEach(() => (desk = new ImportDesk()));

  const kinds = [
    ['creates', isCreate],
    ['accounts', isAdd],
  ] as const;

  for (const status of [402, 408, 409, 413, 425, 499, 500])
    for (const [what, matches] of kinds)
      it(`looks for ${what} after ${status} before it sends them again`, async () => {
        let n = 0;
        desk.parties.fault = (request): Fault =>
          matches(request) && ++n <= 2 ? {status, code: 'CONFLICT', does: true} : undefined;
        const {problems, exit} = await desk.go();
        assert.deepEqual([problems, exit], [[], 0]);
        desk.existOnce();
      });

  for (const [what, matches] of kinds)
    it(`names both ${what} after 429, and in later runs too`, async () => {
      let n = 0;
      desk.parties.fault = (request): Fault =>
        matches(request) && ++n === 3 ? {status: 429, code: 'RATE_LIMITED', does: true} : undefined;
      const {problems, exit} = await desk.go();
      assert.deepEqual(
        [exit, problems.map(({state, others}) => [state, others.length])],
        [8, [['duplicate', 1]]],
      );
      assert.deepEqual((await desk.go()).problems, problems);
    });

  for (const status of [400, 404, 422, 401, 403])
    it(`looks for creates after ${status} without a body of the service`, async () => {
      let n = 0;
      desk.parties.fault = (request): Fault =>
        isCreate(request) && ++n === 1 ? {status, code: '', text: '<html>no</html>', does: true} : undefined;
      const {exitCode} = await desk.run();
      assert.equal(exitCode, status === 401 || status === 403 ? 3 : 0);
      assert.equal((await desk.go()).exit, 0);
      desk.existOnce();
    });

  it('shows why a row is in doubt', async () => {
    desk.parties.fault = (request) =>
      isCreate(request) && request.body.includes('S-3') ? {status: 409, code: 'CONFLICT'} : undefined;
    const {problems, exit} = await desk.go();
    assert.deepEqual([exit, problems.length, problems[0]?.state], [12, 1, 'in_doubt']);
    assert.match(
      problems[0]?.message ?? '',
      /^it may exist, although the service does not show it: .*the service answered 409 CONFLICT: no \(POST \S+\)$/,
    );
  });

  it('takes another name or account for a row that was refused before', async () => {
    desk.parties.fault = (request) => {
      if (isCreate(request) && request.body.includes('S-3')) return {status: 422, code: 'INVALID'};
      return isAdd(request) && request.body.includes(NUMBERS[4]!)
        ? {status: 422, code: 'INVALID'}
        : undefined;
    };
    assert.equal((await desk.go()).exit, 8);
    desk.parties.fault = () => undefined;
    desk.write([
      ['S-3', 'Renamed Ltd', NUMBERS[3]!, '021000021'],
      ['S-4', 'Supplier 4', '55556666', '021000021'],
    ]);
    assert.deepEqual((await desk.go()).problems, []);
    desk.existOnce();
  });
});
