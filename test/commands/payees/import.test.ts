import assert from 'node:assert/strict';
import {readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {BASE_URL, LIVE_KEY, runCli, TEST_KEY, type CliOptions} from '../../cli/run-cli.ts';
import type {Fault} from '../../parties/fake-parties.ts';
import {ImportDesk, type Imported, isAdd, isCreate, NUMBERS} from './import-desk.ts';

describe('payees import', () => {
  let desk: ImportDesk;
  beforeEach(() => (desk = new ImportDesk()));

  it('creates each payee with its account, and writes the ids', async () => {
    const {created, problems, exit} = await desk.go();
    assert.deepEqual([created, problems, exit], [8, [], 0]);
    desk.existOnce();
    const [header, first] = desk.results;
    assert.equal(header, 'reference,payee_id,payment_method_id,verification');
    const [record] = desk.parties.named('S-0');
    assert.equal(first, `S-0,${record?.id},${record?.methods[0]?.id},verified`);
  });

  it('knows short account numbers, of which the service shows fewer digits', async () => {
    const rows = ['6789', '56789'].map((number, n) => [`S-${n}`, `Supplier ${n}`, number, '021000021']);
    desk.write(rows);
    desk.parties.digits = 2;
    let lost = 0;
    desk.parties.fault = (request) => (isAdd(request) && ++lost === 2 ? 'lost-after' : undefined);
    const {created, problems, exit} = await desk.go();
    assert.deepEqual([created, problems, exit], [2, [], 0]);
    for (const reference of ['S-0', 'S-1']) assert.equal(desk.parties.named(reference)[0]?.methods.length, 1);
    desk.parties.digits = 1;
    desk.write([...rows, ['S-2', 'Supplier 2', '987654321', '021000021']]);
    const other = await desk.go();
    assert.deepEqual([other.exit, other.problems.map(({state}) => state)], [8, ['other_record']]);
  });

  it('sends nothing for rows that exist, and continues with new ones', async () => {
    await desk.go();
    desk.write(
      [...NUMBERS, '5551234567'].map((number, n) => [`S-${n}`, `Supplier ${n}`, number, '021000021']),
    );
    const posts = desk.parties.sent.filter(isCreate).length;
    const {created, already, exit} = await desk.go();
    assert.deepEqual([created, already, exit], [1, 8, 0]);
    assert.equal(desk.parties.sent.filter(isCreate).length, posts + 1);
  });

  const lostBy: [string, (request: {method: string; path: string}) => boolean][] = [
    ['creates', isCreate],
    ['accounts', isAdd],
  ];
  for (const [what, matches] of lostBy)
    for (const fault of ['lost-before', 'lost-after'] as const)
      for (const keeps of [true, false])
        it(`looks for ${what} that were ${fault}, ${keeps ? 'by reference' : 'without metadata'}`, async () => {
          desk.parties.keeps = keeps;
          let lost = 0;
          desk.parties.fault = (request) => (matches(request) && ++lost <= 5 ? fault : undefined);
          const {problems, exit} = await desk.go();
          assert.deepEqual([problems, exit], [[], 0]);
          desk.existOnce();
        });

  it('names a record that was created after it had been looked for', async () => {
    let lost = 0;
    desk.parties.fault = (request) => (isCreate(request) && ++lost === 3 ? 'late' : undefined);
    const {problems, exit} = await desk.go();
    assert.equal(exit, 8);
    const [{reference, state, others}] = problems as [Imported['problems'][0]];
    const ids = desk.parties.named(reference).map(({id}) => id);
    assert.deepEqual([state, others.length, ids.length], ['duplicate', 1, 2]);
    assert.ok(ids.includes(others[0]!));
    const again = await desk.go();
    assert.deepEqual([again.exit, again.problems[0]?.others], [8, others], 'until one is removed');
  });

  it('is in doubt about what no list shows, and never sends it more often than five times', async () => {
    desk.parties.fault = (request) =>
      isCreate(request) && request.body.includes('S-3') ? 'lost-before' : undefined;
    const {problems, exit, next} = await desk.go();
    assert.deepEqual(
      [exit, problems.map(({reference, state}) => `${reference} ${state}`), next],
      [12, ['S-3 in_doubt'], `remit payees import ${desk.file} --json`],
    );
    desk.parties.fault = () => undefined;
    assert.equal((await desk.go()).exit, 0);
    desk.existOnce();
  });

  it('sends nothing again while the list cannot be read', async () => {
    let lost = 0;
    desk.parties.fault = (request): Fault => {
      if (request.method === 'GET' && lost > 0) return {status: 403, code: 'AUTHORIZATION_ERROR'};
      return isCreate(request) && ++lost === 1 ? 'lost-after' : undefined;
    };
    const ran = await desk.run('--json');
    assert.equal(ran.exitCode, 3);
    assert.match(ran.error().message, /imported so far: 7 of 8 payees, with their ids in /);
    assert.equal(
      ran.error().hint,
      `to continue, with the same file: remit payees import ${desk.file} --json`,
    );
    desk.parties.fault = () => undefined;
    assert.equal((await desk.go()).exit, 0);
    desk.existOnce();
  });

  for (const at of [1, 2, 5, 9, 14, 16])
    it(`creates each once after a kill at request ${at}`, async () => {
      desk.parties.fault = (_, nth) => {
        if (nth >= at) throw new Error('killed');
        return undefined;
      };
      assert.notEqual((await desk.run()).exitCode, 0);
      desk.parties.fault = () => undefined;
      assert.equal((await desk.go()).exit, 0);
      desk.existOnce();
    });

  for (const [status, code] of [
    [400, 'VALIDATION_ERROR'],
    [401, 'AUTHENTICATION_ERROR'],
    [403, 'AUTHORIZATION_ERROR'],
    [404, 'NOT_FOUND'],
    [409, 'CONFLICT'],
    [422, 'INVALID_PAYMENT_DETAILS'],
    [429, 'RATE_LIMITED'],
    [500, 'INTERNAL'],
    [503, 'SERVICE_UNAVAILABLE'],
  ] as const)
    for (const [what, matches] of lostBy)
      it(`creates each once after ${status} to its ${what}`, async () => {
        let n = 0;
        desk.parties.fault = (request) => (matches(request) && ++n > 3 ? {status, code} : undefined);
        const failed = await desk.run('--json');
        assert.notEqual(failed.exitCode, 0);
        assert.notEqual(failed.exitCode, 1, failed.stderr);
        desk.parties.fault = () => undefined;
        assert.equal((await desk.go()).exit, 0);
        desk.existOnce();
      });

  it('reports rows that are refused, and sends their correction', async () => {
    desk.parties.fault = (request) =>
      isAdd(request) && request.body.includes(NUMBERS[4]!)
        ? {status: 422, code: 'INVALID_PAYMENT_DETAILS'}
        : undefined;
    const ran = await desk.run();
    assert.equal(ran.exitCode, 8);
    assert.match(
      ran.stdout,
      /S-4 \(line 6\): refused: its bank account or card was refused: .*INVALID_PAYMENT_DETAILS/,
    );
    desk.parties.fault = () => undefined;
    desk.write(
      NUMBERS.map((number, n) => [`S-${n}`, `Supplier ${n}`, n === 4 ? '11112222' : number, '021000021']),
    );
    assert.equal((await desk.go()).exit, 0);
    desk.existOnce();
    assert.equal(desk.parties.named('S-4')[0]?.methods[0]?.last4, '2222');
  });

  it('refuses a row that differs from what was imported under its reference', async () => {
    await desk.go();
    const posts = () => desk.parties.sent.filter(({method}) => method === 'POST').length;
    const sent = posts();
    desk.write([
      ['S-0', 'Supplier 0', '11112222', '021000021'],
      ['S-1', 'Another Ltd', NUMBERS[1]!, '021000021'],
    ]);
    const ran = await desk.run();
    assert.deepEqual([ran.exitCode, posts()], [5, sent]);
    assert.match(
      ran.stderr,
      /line 2: account_number: reference S-0 was imported with the bank account …3201 \(US 021000021\), and .* …2222/,
    );
    assert.match(
      ran.stderr,
      /line 3: name: reference S-1 was imported with Supplier 1, and the row has Another Ltd/,
    );
  });

  it('makes an account the default once it is verified', async () => {
    desk.parties.verification = 'pending';
    await desk.go();
    for (const {methods} of desk.parties.records)
      for (const method of methods) Object.assign(method, {verification_status: 'verified'});
    assert.equal((await desk.go('--wait')).exit, 0);
    assert.ok(desk.parties.records.every(({methods}) => methods[0]?.is_default));
    assert.match(desk.results[1] ?? '', /,verified$/);
  });

  it('names accounts that the service refuses to verify', async () => {
    desk.parties.verification = 'failed';
    const {exit, problems} = await desk.go('--wait');
    assert.deepEqual([exit, problems.length, problems[0]?.state], [8, 8, 'unverified']);
  });

  it('ends with 10 if accounts are still pending', async () => {
    desk.parties.verification = 'pending';
    const {exit, next} = await desk.go('--wait --timeout 30s');
    assert.deepEqual([exit, next?.includes('--wait')], [10, true]);
  });

  it('never writes an account number', async () => {
    let lost = 0;
    desk.parties.fault = (request) => {
      if (request.method === 'GET' && ++lost === 4) throw new Error('killed');
      return isCreate(request) || isAdd(request) ? (++lost % 3 === 0 ? 'lost-after' : undefined) : undefined;
    };
    const screens = [await desk.run('--debug'), await desk.run('--debug --json')];
    const written = readdirSync(desk.folder, {recursive: true})
      .map((name) => join(desk.folder, String(name)))
      .filter((path) => path !== desk.file && statSync(path).isFile())
      .map((path) => readFileSync(path, 'latin1'));
    assert.ok(written.length >= 2);
    for (const number of NUMBERS)
      for (const text of [...written, ...screens.flatMap(({stdout, stderr}) => [stdout, stderr])])
        assert.ok(!text.includes(number), number);
  });

  it('needs --live with a live key, and asks at a terminal', async () => {
    const env = {HOME: desk.folder, REMIT_API_KEY: LIVE_KEY, REMIT_BASE_URL: 'https://api.example.com'};
    assert.equal((await desk.run('', {env})).exitCode, 11);
    const asked = await desk.run('--live', {env, columns: 100, answers: [false]});
    assert.deepEqual([asked.exitCode, asked.questions], [11, ['Import 8 payees with a live key?']]);
    assert.equal(desk.parties.sent.length, 0);
    const yes = await desk.run('--live', {env, columns: 100, answers: [true]});
    assert.equal(yes.exitCode, 0, yes.stderr);
    desk.existOnce();
  });

  it('asks at a terminal with a test key too, unless --yes or only what exists is left', async () => {
    const no = await desk.run('', {columns: 100, answers: [false]});
    assert.deepEqual([no.exitCode, no.questions], [11, ['Import 8 payees?']]);
    assert.match(no.stderr, /not confirmed; nothing was sent/);
    assert.equal(desk.parties.sent.length, 0);
    const yes = await desk.run('', {columns: 100, answers: [true]});
    assert.deepEqual([yes.exitCode, yes.questions], [0, ['Import 8 payees?']], yes.stderr);
    for (const words of ['', '--wait', '--dry-run']) {
      const again = await desk.run(words, {columns: 100, answers: []});
      assert.deepEqual([again.exitCode, again.questions], [0, []], again.stderr);
    }
    desk.write(
      [...NUMBERS, '5551234567'].map((number, n) => [`S-${n}`, `Supplier ${n}`, number, '021000021']),
    );
    const stated = await desk.run('--yes', {columns: 100, answers: []});
    assert.deepEqual([stated.exitCode, stated.questions], [0, []], stated.stderr);
    desk.write(
      [...NUMBERS, '5551234567', '5551234568'].map((number, n) => [
        `S-${n}`,
        `Supplier ${n}`,
        number,
        '021000021',
      ]),
    );
    const one = await desk.run('', {columns: 100, answers: [true]});
    assert.deepEqual([one.exitCode, one.questions], [0, ['Import 1 payee?']], one.stderr);
  });

  it('names in live mode what is gone, and creates it again in test mode', async () => {
    await desk.go();
    desk.parties.records.splice(2, 1);
    const {created, exit} = await desk.go();
    assert.deepEqual([created, exit], [1, 0]);
    const env = {HOME: desk.folder, REMIT_API_KEY: LIVE_KEY, REMIT_BASE_URL: 'https://api.example.com'};
    await desk.run('--live --yes', {env});
    desk.parties.records.splice(-8, 1);
    const ran = await desk.run('--live --yes --json', {env});
    const {problems} = ran.json() as Imported;
    assert.deepEqual([ran.exitCode, problems.length, problems[0]?.state], [8, 1, 'gone']);
    assert.equal(desk.results.length, 8, 'without the ids of what is gone');
    desk.parties.records.length = 0;
    const other = await desk.run('--live --yes --json', {env});
    assert.equal(other.exitCode, 11);
    assert.match(other.error().message, /the key is probably that of another company/);
  });

  it('lists every wrong cell without its number, and sends nothing', async () => {
    desk.write([
      ['S-1', 'A', '12', '021000021'],
      ['S-1', '', '123456789', '021000020'],
    ]);
    const ran = await desk.run('--json');
    assert.deepEqual([ran.exitCode, desk.parties.sent.length], [5, 0]);
    const {problems} = ran.error().details as {problems: string[]};
    assert.deepEqual(problems, [
      'line 2: account_number must have 4 to 17 digits',
      'line 3: routing_number is not valid; check each digit',
      'line 3: reference S-1 is repeated (line 2)',
      'line 3: name must not be empty',
    ]);
  });

  for (const number of ['00099887766', 'DE89 3704 0044 0532 0130 00'])
    it(`shows no number that is in a wrong column: ${number}`, async () => {
      const header = 'reference,name,type,holder_name,account_type,account_number,routing_number';
      const line = `S-1,${number},${number},${number},${number},987654321,021000021`;
      writeFileSync(desk.file, `${header}\n${line}\n`);
      for (const words of ['--dry-run --json', '--dry-run']) {
        const ran = await desk.run(words);
        assert.equal(ran.exitCode, 5);
        assert.doesNotMatch(ran.stdout + ran.stderr, /9988776|3704/);
        for (const column of ['name is a number', 'holder_name is a number', 'type must be one of'])
          assert.ok((ran.stdout + ran.stderr).replaceAll(/\s+/g, ' ').includes(column), column);
      }
    });

  for (const [what, name, shown] of [
    ['a line break', '"Acme\nLtd"', 'U+000A'],
    ['a control character', 'Acme\u0007Ltd', 'U+0007'],
    ['a mark of direction', 'Acme \u202edtL', 'U+202E'],
    ['a zero-width space', 'Acme\u200bLtd', 'U+200B'],
    ['a variation selector', 'Acme\ufe0fLtd', 'U+FE0F'],
    ['a Hangul filler', 'Acme\u3164Ltd', 'U+3164'],
  ] as const)
    it(`refuses a name with ${what}`, async () => {
      const line = ['S-1', name, '9876543', '021000021'].join(',');
      writeFileSync(desk.file, `reference,name,account_number,routing_number,holder_name\n${line},${name}\n`);
      const ran = await desk.run('--dry-run --json');
      assert.deepEqual([ran.exitCode, desk.parties.sent.length], [5, 0]);
      assert.deepEqual(
        (ran.error().details as {problems: string[]}).problems,
        ['name', 'holder_name'].map(
          (column) => `line 2: ${column} contains the character ${shown}, which cannot be seen`,
        ),
      );
    });

  it('warns about references that differ only in case or spaces', async () => {
    const row = (reference: string) => [reference, 'A', '987654321', '021000021'];
    desk.write(['A1', 'B1', 'a1', 'A 1'].map(row));
    const ran = await desk.run('--dry-run');
    assert.equal(ran.exitCode, 0);
    assert.match(
      ran.stderr,
      /^Warning: 2 references differ from an earlier one only in case or spaces: a1 \(line 4\) from A1 \(line 2\), A 1 \(line 5\) from A1 \(line 2\)$/m,
    );
    desk.write(['A1', 'B1'].map(row));
    assert.ok(!(await desk.run('--dry-run')).stderr.includes('only in case'));
  });

  it('reads accounts of other countries and cards from a pipe', async () => {
    const stdin =
      'Reference,Name,Country,IBAN,Card Number,Exp Month,Exp Year,metadata.team\n' +
      'D-1,Ada,DE,DE89 3704 0044 0532 0130 00,,,,north\nC-1,Bea,,,4242 4242 4242 4242,4,2031,\n';
    const out = join(desk.folder, 'ids.csv');
    const ran = await runCli(['payees', 'import', '-', '--out', out], {
      service: desk.parties.answer,
      stdin,
      env: {HOME: desk.folder, REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL},
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    const [ada] = desk.parties.named('D-1');
    assert.deepEqual(ada?.metadata, {team: 'north', remit_reference: 'D-1'});
    assert.deepEqual([ada?.methods[0]?.last4, ada?.methods[0]?.country_code], ['3000', 'DE']);
    assert.deepEqual(desk.parties.named('C-1')[0]?.methods[0]?.type, 'card');
  });

  it('works for payers, which have no cards', async () => {
    desk.topic = 'payers';
    assert.equal((await desk.go()).exit, 0);
    assert.equal(desk.results[0], 'reference,payer_id,payment_method_id,verification');
    writeFileSync(desk.file, 'reference,name,card_number\nS-9,A,4242424242424242\n');
    const ran = await desk.run();
    assert.equal(ran.exitCode, 5);
    assert.match(ran.stderr, /unknown column "card_number"/);
  });

  describe('where something else happens', () => {
    const live = (): CliOptions => ({
      env: {HOME: desk.folder, REMIT_API_KEY: LIVE_KEY, REMIT_BASE_URL: 'https://api.example.com'},
    });
    const posts = () => desk.parties.sent.filter(({method}) => method === 'POST').length;
    const verifyAll = () => {
      for (const {methods} of desk.parties.records)
        for (const method of methods) Object.assign(method, {verification_status: 'verified'});
    };

    it('sends nothing with a live key that was not confirmed, also for rows that exist', async () => {
      desk.parties.verification = 'pending';
      await desk.run('--live --yes', live());
      verifyAll();
      const sent = posts();
      assert.equal((await desk.run('', live())).exitCode, 0);
      assert.equal((await desk.run('--wait', live())).exitCode, 11);
      assert.equal(posts(), sent);
      assert.equal((await desk.run('--wait --live --yes', live())).exitCode, 0);
      assert.equal(posts(), sent + 8);
    });

    it('says which command makes accounts the default, and leaves a default that a person has chosen', async () => {
      desk.parties.verification = 'pending';
      const ran = await desk.run();
      assert.match(ran.stderr, /8 accounts are not the default yet, which payouts need/);
      assert.match(ran.stderr, /^Hint: remit payees import \S+ --wait$/m);
      verifyAll();
      const [record] = desk.parties.named('S-0');
      record?.methods.push({...record.methods[0]!, id: 'other', is_default: true});
      const sent = posts();
      assert.equal((await desk.go('--wait')).exit, 0);
      assert.equal(posts(), sent + 7);
    });

    it('does not take an older record with the same name', async () => {
      desk.parties.keeps = false;
      await desk.parties.answer(
        {method: 'POST', path: '/api/payees', body: '{"name":"Supplier 3"}'} as never,
        0,
      );
      let lost = 0;
      desk.parties.fault = (request) =>
        isCreate(request) && request.body.includes('S-3') && ++lost === 1 ? 'lost-before' : undefined;
      assert.equal((await desk.go()).exit, 0);
      assert.deepEqual(desk.parties.records[0]?.methods, [], 'it got an account');
      desk.existOnce();
    });

    it('finds records without metadata and dates, and two of one name', async () => {
      Object.assign(desk.parties, {keeps: false, dates: false});
      desk.write(NUMBERS.map((number, n) => [`S-${n}`, 'The same name', number, '021000021']));
      let lost = 0;
      desk.parties.fault = (request) => (isCreate(request) && ++lost <= 6 ? 'lost-after' : undefined);
      const {exit, problems} = await desk.go();
      assert.deepEqual([exit, problems, desk.parties.records.length], [0, [], 8]);
      assert.ok(desk.parties.records.every(({methods}) => methods.length === 1));
    });

    it('stays in doubt if a repeat is refused, and the list does not show the first', async () => {
      let n = 0;
      desk.parties.fault = (request): Fault => {
        if (!isCreate(request) || !request.body.includes('S-5')) return undefined;
        return ++n === 1 ? 'lost-before' : {status: 429, code: 'RATE_LIMITED'};
      };
      assert.equal((await desk.go()).exit, 12);
      desk.parties.fault = () => undefined;
      assert.equal((await desk.go()).exit, 0);
      desk.existOnce();
    });

    it('does not create again what only the list does not show', async () => {
      await desk.go();
      desk.parties.hidden.add(desk.parties.named('S-2')[0]!.id);
      assert.equal((await desk.go()).exit, 0);
      desk.existOnce();
    });

    it('takes a name that was changed at the service too', async () => {
      await desk.go();
      Object.assign(desk.parties.named('S-1')[0]!, {name: 'Renamed Ltd'});
      desk.write([['S-1', 'Renamed Ltd', NUMBERS[1]!, '021000021']]);
      assert.equal((await desk.go()).exit, 0);
    });

    it('sends a corrected account once the first could not be verified', async () => {
      desk.parties.verification = 'failed';
      assert.equal((await desk.go()).exit, 8);
      desk.parties.verification = 'verified';
      desk.write([['S-1', 'Supplier 1', '55556666', '021000021']]);
      const {exit, problems} = await desk.go('--wait');
      assert.deepEqual([exit, problems], [0, []]);
      assert.deepEqual(
        desk.parties.named('S-1')[0]?.methods.map(({last4}) => last4),
        ['3211', '6666'],
      );
    });

    it('names an account that could not be made the default', async () => {
      desk.parties.verification = 'pending';
      await desk.go();
      verifyAll();
      desk.parties.fault = ({path}) =>
        path.endsWith('/set-default') ? {status: 422, code: 'INVALID_PAYMENT_DETAILS'} : undefined;
      const {exit, problems} = await desk.go('--wait');
      assert.deepEqual([exit, problems[0]?.state], [8, 'not_default']);
    });

    it('sends nothing if the ids cannot be written, and replaces no other file', async () => {
      for (const out of [join(desk.folder, 'none', 'ids.csv'), desk.folder, desk.file]) {
        const ran = await desk.run(`--out ${out}`);
        assert.notEqual(ran.exitCode, 0, out);
      }
      writeFileSync(join(desk.folder, 'notes.txt'), 'keep me');
      assert.equal((await desk.run(`--out ${join(desk.folder, 'notes.txt')}`)).exitCode, 2);
      assert.equal(readFileSync(join(desk.folder, 'notes.txt'), 'utf8'), 'keep me');
      assert.equal(posts(), 0);
    });

    for (const [what, text, why] of [
      ['too many cells', 'S-1,A,987654321,021000021,Acme, Ltd\n', /has 6 cells, but the header has 5/],
      ['a reserved key', undefined, /remit_reference is reserved/],
      ['a metadata column twice', undefined, /two columns mean metadata.team/],
    ] as const)
      it(`refuses ${what}`, async () => {
        const columns = {
          'too many cells': 'holder_name',
          'a reserved key': 'metadata.remit_reference',
          'a metadata column twice': 'metadata.team,metadata.team',
        };
        const header = `reference,name,account_number,routing_number,${columns[what]}\n`;
        writeFileSync(desk.file, header + (text ?? 'S-1,A,987654321,021000021,x\n'));
        const ran = await desk.run();
        assert.equal(ran.exitCode, 5);
        assert.match(ran.stderr, why);
      });

    it('refuses input from a pipe that may have been cut', async () => {
      const ran = await runCli(['payees', 'import', '-', '--out', join(desk.folder, 'ids.csv')], {
        service: desk.parties.answer,
        stdin: 'reference,name,account_number,routing_number\nS-1,A,9876,021000021',
        env: {HOME: desk.folder, REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL},
      });
      assert.equal(ran.exitCode, 5);
      assert.match(ran.stderr, /standard input was refused.*\n.*the input may have been cut/);
    });
  });
});
