import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {parse} from 'yaml';
import {RemitError} from '../../src/errors.ts';
import {batchView} from '../../src/cli/batch/overview/list-view.ts';
import {rowView} from '../../src/cli/batch/overview/row-view.ts';
import type {Output} from '../../src/output/output.ts';
import {ExactNumber, type Json} from '../../src/narrow.ts';
import {text} from '../../src/output/records/view.ts';
import {profileCard} from '../../src/output/views/profiles.ts';
import {checkpointView} from '../../src/output/views/sandbox.ts';
import {eventTypeView} from '../../src/output/views/webhooks.ts';
import {payoutView} from '../../src/output/views/transfers.ts';
import {payout} from '../commands/fixtures.ts';
import {makeOutput} from './make-output.ts';

const two = [
  payout(),
  payout({id: '0192a000-0000-7000-8000-000000000002', status: 'settled', amount_in_minor_units: 5}),
];
const PLAIN = /\u001b|[┌│─]/;

describe('a list', () => {
  it('is tab-separated in a pipe, every column, exact times', async () => {
    const {out, stdout} = makeOutput();
    await out.list(two, payoutView);
    const [head, first, second] = stdout.text.split('\n').map((line) => line.split('\t'));
    assert.deepEqual(head, ['ID', 'Status', 'Amount', 'Payee', 'Last four', 'Failure', 'Created', 'Rail']);
    assert.deepEqual(first, [
      ...[two[0]!.id, 'created', '125.00 USD', two[0]!.payee_id, '6789', '-'],
      ...['2023-11-14T22:10:00.000Z', 'standard_ach'],
    ]);
    assert.equal(second![2], '0.05 USD');
    assert.doesNotMatch(stdout.text, PLAIN);
  });

  for (const [columns, shown, hidden] of [
    [75, ['ID', 'Status', 'Amount', 'Created'], 'Payee, Last four, Rail'],
    [0, ['ID', 'Status', 'Amount', 'Created'], 'Payee, Last four, Rail'],
    [80, ['ID', 'Status', 'Amount', 'Created'], 'Payee, Last four, Rail'],
    [120, ['ID', 'Status', 'Amount', 'Payee', 'Last', 'four', 'Created', 'Rail'], undefined],
  ] as const)
    it(`has whole ids on a terminal of ${columns} columns, and says what is hidden`, async () => {
      const {out, stdout, stderr} = makeOutput({colour: 'never'}, {columns});
      await out.list(two, payoutView);
      const lines = stdout.text.trimEnd().split('\n');
      assert.equal(lines.length, 3);
      for (const line of lines) assert.ok(line.length <= (columns || 80), line);
      assert.deepEqual(lines[0]!.trim().split(/\s+/), shown);
      assert.ok(lines[1]!.startsWith(`${two[0]!.id} `));
      const [, note] =
        /hidden to fit the terminal: (.*)\. Show them/.exec(stderr.text.replaceAll(/\s+/g, ' ')) ?? [];
      assert.equal(note, hidden);
    });

  it('shows whole ids and every column that --fields names, on any terminal', async () => {
    const fields = ['id', 'payee_id', 'rail'];
    const {out, stdout} = makeOutput({colour: 'never', fields}, {columns: 70});
    await out.list(two, payoutView);
    assert.match(stdout.text, new RegExp(`${two[0]!.id}  ${two[0]!.payee_id}  standard_ach`));
  });

  it('says why records failed, only if one did, where the dates leave room for it', async () => {
    const failure = {code: 'R03', message: 'No account, or unable to locate account'};
    const failed = payout({status: 'failed', transfer_details: {failure}});
    for (const columns of [80, 120, undefined]) {
      const {out, stdout, stderr} = makeOutput({colour: 'never'}, columns === undefined ? {} : {columns});
      await out.list([two[0]!, failed], payoutView);
      const words = stdout.text.split(/\s+/);
      for (const word of columns === 80 ? ['Created'] : ['Created', 'Failure', 'R03', 'account,', 'locate'])
        assert.ok(words.includes(word), word);
      const isNamed = /hidden.* Failure.*--fields\s+id,\S*transfer_details\.failure/s.test(stderr.text);
      assert.equal(isNamed, columns === 80, stderr.text);
      for (const line of stdout.text.split('\n')) assert.ok(line.length <= (columns ?? Infinity), line);
    }
    const none = makeOutput({colour: 'never'}, {columns: 120});
    await none.out.list(two, payoutView);
    assert.doesNotMatch(none.stdout.text, /Reason/);
  });

  it('keeps room for a reason that a later page may have', async () => {
    const failed = payout({
      status: 'failed',
      transfer_details: {failure: {code: 'R03', message: 'no account'}},
    });
    const {out, stdout} = makeOutput({colour: 'never'}, {columns: 120});
    await out.list([...Array.from({length: 200}, () => payout()), failed], payoutView);
    assert.match(stdout.text, /^ID .*Failure/);
    assert.match(stdout.text.replaceAll(/\s+/g, ' '), /R03 .*account/);
  });

  it('takes no width for colour', async () => {
    const plain = makeOutput({colour: 'never'}, {columns: 100});
    const coloured = makeOutput({}, {columns: 100});
    await plain.out.list(two, payoutView);
    await coloured.out.list(two, payoutView);
    assert.match(coloured.stdout.text, /\u001b\[33mcreated\u001b\[39m/);
    assert.equal(coloured.stdout.text.replaceAll(/\u001b\[\d+m/g, ''), plain.stdout.text);
  });

  it('keeps its columns over many pieces', async () => {
    const many = Array.from({length: 450}, (_, index) => payout({amount_in_minor_units: index + 1}));
    const {out, stdout} = makeOutput({colour: 'never'}, {columns: 100});
    assert.equal(await out.list(many, payoutView), 450);
    const lines = stdout.text.trimEnd().split('\n');
    assert.equal(lines.length, 451);
    assert.equal(new Set(lines.map((line) => line.search(/(created|Status)/))).size, 1);
  });

  it('is one JSON document, indented by two spaces', async () => {
    const {out, stdout} = makeOutput({format: 'json'});
    await out.list(two, payoutView);
    assert.equal(stdout.text, `${JSON.stringify(two, undefined, 2)}\n`);
  });

  it('is one YAML document', async () => {
    const {out, stdout} = makeOutput({format: 'yaml', fields: ['id', 'status']});
    await out.list(two, payoutView);
    assert.equal(
      stdout.text,
      `- id: ${two[0]!.id}\n  status: created\n- id: ${two[1]!.id}\n  status: settled\n`,
    );
  });

  it('is an empty JSON array when there is nothing', async () => {
    const {out, stdout} = makeOutput({format: 'json'});
    await out.list([], payoutView);
    assert.equal(stdout.text, '[]\n');
  });

  for (const count of [1, 199, 200, 201, 400, 450])
    it(`is the same document in JSON and YAML however long it is: ${count} records`, async () => {
      const all = Array.from({length: count}, (_, n) => ({
        id: n,
        note: 'a\nb \ud800',
        list: [n, {}],
        none: null,
      }));
      for (const query of [undefined, '@']) {
        const json = makeOutput({format: 'json', query});
        assert.equal(await json.out.list(all), count);
        assert.equal(json.stdout.text, `${JSON.stringify(all, undefined, 2)}\n`);
        const yaml = makeOutput({format: 'yaml', query});
        await yaml.out.list(all.map((record) => ({...record, note: 'a\nb'})));
        assert.deepEqual(
          parse(yaml.stdout.text),
          all.map((record) => ({...record, note: 'a\nb'})),
        );
      }
    });

  it('is written in parts as JSON and YAML, once all of it has arrived: a string has a maximum length', async () => {
    for (const format of ['json', 'yaml'] as const)
      for (const fails of [false, true]) {
        const {out, stdout} = makeOutput({format});
        const writes: string[] = [];
        stdout._write = (chunk: string | Buffer, _encoding, done) => {
          writes.push(chunk.toString());
          done();
        };
        let arrived = 0;
        async function* arriving() {
          for (; arrived < 450; arrived++) {
            assert.deepEqual(writes, []);
            yield {id: arrived};
          }
          if (fails) throw new Error('the next page failed');
        }
        if (fails) await assert.rejects(out.list(arriving()), /the next page failed/);
        else await out.list(arriving());
        assert.equal(writes.length, fails ? 0 : 3);
      }
  });

  it('hides in all records what a later one shows to be an account number', async () => {
    const all = [
      {id: 1, note: 'paid to 000123456789'},
      ...Array.from({length: 400}, (_, n) => ({id: n})),
      {id: 2, account_number: '000123456789'},
    ];
    for (const format of ['json', 'yaml'] as const) {
      const {out, stdout} = makeOutput({format});
      await out.list(all);
      assert.doesNotMatch(stdout.text, /000123456789/);
    }
  });

  it('reports an empty list on a terminal', async () => {
    const {out, stdout} = makeOutput({}, {columns: 80});
    await out.list([], payoutView);
    assert.equal(stdout.text, 'No payouts.\n');
  });

  it('is written a page at a time as NDJSON and ids, and by 200 otherwise, whatever the pages are', async () => {
    const sizes = [3, 0, 450, 1];
    const list = {
      pages: async function* () {
        for (const size of sizes) yield {items: Array.from({length: size}, (_, id) => ({id}))};
        throw new Error('the next page failed');
      },
      [Symbol.asyncIterator]: () => assert.fail('read record by record'),
    };
    const written = async (format: 'ndjson' | 'id' | 'csv' | 'table') => {
      const {out, stdout} = makeOutput({format});
      const writes: number[] = [];
      const write = stdout._write.bind(stdout);
      stdout._write = (chunk: string | Buffer, encoding, done) => {
        writes.push(chunk.toString().split('\n').length - 1);
        write(chunk, encoding, done);
      };
      await assert.rejects(out.list(list), /the next page failed/);
      return writes;
    };
    assert.deepEqual(await written('ndjson'), [3, 200, 200, 50, 1]);
    assert.deepEqual(await written('id'), [3, 200, 200, 50, 1]);
    assert.deepEqual(await written('csv'), [201, 200, 54]); // with a header
    assert.deepEqual(await written('table'), [201, 200, 54]);
  });

  it('lets the request for the next page leave before a page is written', async () => {
    for (const format of ['ndjson', 'csv'] as const) {
      const events: string[] = [];
      const {out, stdout} = makeOutput({format});
      const write = stdout._write.bind(stdout);
      stdout._write = (chunk, encoding, done) => {
        events.push('written');
        write(chunk, encoding, done);
      };
      const pages = async function* () {
        for (const size of [200, 200]) {
          process.nextTick(() => events.push('requested')); // when node:http writes to its socket
          yield {items: Array.from({length: size}, (_, id) => ({id}))};
        }
      };
      const list = {pages, [Symbol.asyncIterator]: () => assert.fail('read record by record')};
      await out.list(list);
      assert.deepEqual(events, ['requested', 'written', 'requested', 'written']);
    }
  });

  it('is written line by line as NDJSON, as it arrives', async () => {
    const {out, stdout} = makeOutput({format: 'ndjson'});
    const seen: number[] = [];
    async function* arriving() {
      for (const one of two) {
        yield one;
        seen.push(stdout.text.split('\n').length - 1);
      }
    }
    await out.list(arriving(), payoutView);
    assert.deepEqual(seen, [1, 2]);
    assert.deepEqual(
      stdout.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
      two,
    );
  });

  it('is ids under -o id', async () => {
    const {out, stdout} = makeOutput({format: 'id'});
    await out.list(two, payoutView);
    assert.equal(stdout.text, `${two[0]!.id}\n${two[1]!.id}\n`);
  });

  for (const [view, record, shown] of [
    [batchView, {batch_id: 'november', state: 'released'}, 'november'],
    [profileCard, {name: 'prod', mode: 'live'}, 'prod'],
    [eventTypeView, {type: 'payout.settled', description: 'paid'}, 'payout.settled'],
    [checkpointView, {name: 'before', saved_at: '2026-01-01T00:00:00.000Z'}, 'before'],
  ] as const)
    it(`is the name of the record under -o id: ${view.noun}`, async () => {
      const {out, stdout} = makeOutput({format: 'id'});
      await out.list([record], view);
      assert.equal(stdout.text, `${shown}\n`);
    });

  it('is one batch under -o id, but nothing for a row of it that has no record', async () => {
    const {out, stdout} = makeOutput({format: 'id'});
    await out.result({batch_id: 'november', state: 'released'});
    assert.equal(stdout.text, 'november\n');
    const rows = makeOutput({format: 'id'});
    await rows.out.list(
      [
        {batch_id: 'november', id: null},
        {batch_id: 'november', id: 'p1'},
      ],
      rowView,
    );
    assert.equal(rows.stdout.text, 'p1\n');
  });

  it('has a header and one line a record as CSV', async () => {
    const {out, stdout} = makeOutput({format: 'csv', fields: ['id', 'payout_metadata.payee.name']});
    await out.list(two, payoutView);
    assert.equal(
      stdout.text,
      `id,payout_metadata.payee.name\n${two[0]!.id},Acme Ltd\n${two[1]!.id},Acme Ltd\n`,
    );
  });

  it('shows only the fields asked for, in their order', async () => {
    const {out, stdout} = makeOutput({fields: ['status', 'id', 'nothing.here']});
    await out.list(two, payoutView);
    assert.equal(stdout.text.split('\n')[0], 'Status\tID\tnothing.here');
    assert.equal(stdout.text.split('\n')[1], `created\t${two[0]!.id}\t-`);
  });

  it('keeps the wire names of fields in JSON', async () => {
    const {out, stdout} = makeOutput({format: 'json', fields: ['id', 'payout_metadata.payee.name']});
    await out.list(two.slice(0, 1), payoutView);
    assert.deepEqual(JSON.parse(stdout.text), [
      {id: two[0]!.id, payout_metadata: {payee: {name: 'Acme Ltd'}}},
    ]);
  });

  it('is queried as a whole', async () => {
    for (const [format, text] of [
      ['json', '[\n  12500,\n  5\n]\n'],
      ['table', '12500\n5\n'],
      ['ndjson', '12500\n5\n'],
    ] as const) {
      const {out, stdout} = makeOutput({format, query: '[].amount_in_minor_units'});
      await out.list(two, payoutView);
      assert.equal(stdout.text, text, format);
    }
  });

  it('shows the lists of a query as lines of cells', async () => {
    const {out, stdout} = makeOutput({format: 'table', query: '[].[id, amount_in_minor_units]'});
    await out.list(two, payoutView);
    assert.match(stdout.text, /^\S+\t12500\n\S+\t5\n$/);
  });

  it('warns of a number that a query has to round', async () => {
    for (const [digits, shown] of [
      [30, '9'.repeat(30)],
      [41, `${'9'.repeat(40)}…`],
    ] as const) {
      const {out, stdout, stderr} = makeOutput({format: 'json', query: '[?n > `1`].id'});
      await out.list([{id: 'a', n: new ExactNumber('9'.repeat(digits))}]);
      assert.deepEqual(JSON.parse(stdout.text), ['a']);
      assert.match(stderr.text, new RegExp(`^Warning: --query .* rounded numbers: ${shown} has more digits`));
    }
  });

  it('refuses an invalid query as a usage error', async () => {
    const {out} = makeOutput({query: '[].('});
    await assert.rejects(out.list(two, payoutView), (error: RemitError) => error.code === 'USAGE');
  });

  it('stops when the reader goes away', async () => {
    const {out, stdout} = makeOutput({format: 'ndjson'});
    let produced = 0;
    async function* endless() {
      for (;;) {
        produced += 1;
        if (produced === 3) stdout.emit('error', Object.assign(new Error('gone'), {code: 'EPIPE'}));
        yield payout();
      }
    }
    await out.list(endless(), payoutView);
    assert.ok(produced < 6);
    assert.equal(await out.flush(), undefined);
  });
});

describe('one record', () => {
  it('is a card for people, and the return value for machines', async () => {
    const people = makeOutput();
    people.out.record(payout(), payoutView);
    await people.out.result(payout());
    assert.match(people.stdout.text, /^Amount\t125\.00 USD$/m);
    assert.match(people.stdout.text, /^Payment method\tbank_account …6789 Test Bank$/m);
    assert.equal(people.stdout.text.match(/^ID\t/gm)?.length, 1);

    const machines = makeOutput({format: 'json'});
    machines.out.record(payout(), payoutView);
    assert.equal(machines.stdout.text, '');
    await machines.out.result(payout());
    assert.deepEqual(JSON.parse(machines.stdout.text), payout());
  });

  it('shows unknown fields', () => {
    const {out, stdout} = makeOutput();
    out.record(payout({priority: 7, extra: {a: 1, deep: {b: 2}}}), payoutView);
    assert.match(stdout.text, /^priority\t7$/m);
    assert.match(stdout.text, /^extra\.a\t1$/m);
    assert.match(stdout.text, /^extra\.deep\t\{"b":2\}$/m);
  });

  it('shows how a payout went, and why it failed', () => {
    const {out, stdout} = makeOutput();
    const details = {trace_number: '7', failure: {code: 'R01', message: 'account closed'}, novelty: 1};
    out.record(payout({status: 'failed', transfer_details: details}), payoutView);
    assert.match(stdout.text, /^Trace\t7$/m);
    assert.match(stdout.text, /^Failure\tR01 account closed$/m);
    assert.match(stdout.text, /^transfer_details\.novelty\t1$/m);
    const early = makeOutput();
    early.out.record(payout(), payoutView);
    assert.doesNotMatch(early.stdout.text, /Trace|Failure|transfer_details/);
  });

  it('aligns on a terminal and shows both the distance and the moment', () => {
    const {out, stdout} = makeOutput({colour: 'never'}, {columns: 80});
    out.record(payout(), payoutView);
    assert.match(stdout.text, /^Created +3 minutes ago \(2023-11-14T22:10:00\.000Z\)$/m);
  });

  it('keeps long values and those of several lines in their column on a terminal, and on one line in a pipe', () => {
    const view = {
      noun: 'thing',
      plural: 'things',
      card: [text('Requests', 'many'), {...text('Tries', 'tries'), show: () => 'one\ntwo'}],
      columns: [],
    };
    const record = {many: 'word '.repeat(30).trim(), tries: 2};
    const terminal = makeOutput({colour: 'never'}, {columns: 40});
    terminal.out.record(record, view);
    const lines = terminal.stdout.text.trimEnd().split('\n');
    assert.ok(
      lines.every((line) => line.length <= 40),
      terminal.stdout.text,
    );
    assert.deepEqual(lines.slice(1, 2), [`${' '.repeat(10)}word word word word word word`]);
    assert.deepEqual(lines.slice(-2), ['Tries     one', `${' '.repeat(10)}two`]);
    const pipe = makeOutput();
    pipe.out.record(record, view);
    assert.equal(pipe.stdout.text, `Requests\t${record.many}\nTries\tone; two\n`);
  });

  it('shows an amount of an unknown currency in minor units, and says so', () => {
    const {out, stdout} = makeOutput();
    out.record(payout({currency_code: 'ZZZ'}), payoutView);
    assert.match(stdout.text, /^Amount\t12500 minor units ZZZ$/m);
  });

  it('shows an amount that cannot be one in minor units, as it came', () => {
    for (const [amount_in_minor_units, shown] of [
      [2 ** 53, '9007199254740992'],
      [1.5, '1.5'],
      [new ExactNumber('12500.0000000000000001'), '12500.0000000000000001'],
      ['12500.00', '12500.00'],
    ] as const) {
      const {out, stdout, stderr} = makeOutput();
      out.record(payout({amount_in_minor_units}), payoutView);
      assert.match(stdout.text, new RegExp(`^Amount\t${shown} minor units USD$`, 'm'));
      const warning = /^Warning: amount_in_minor_units of .* is .*, not a whole number of minor units$/m;
      assert.match(stderr.text, warning);
    }
    const bare = makeOutput();
    bare.out.record(payout({currency_code: null}), payoutView);
    assert.match(bare.stdout.text, /^Amount\t12500 minor units -$/m);
  });

  it('shows no unit and gives no warning where there is no amount', () => {
    const {out, stdout, stderr} = makeOutput();
    out.record(payout({amount_in_minor_units: null}), payoutView);
    assert.match(stdout.text, /^Amount\t-$/m);
    assert.equal(stderr.text, '');
  });

  it('shows whole numbers in any form of JSON in major units', () => {
    for (const [text, shown] of [
      ['1e20', '1,000,000,000,000,000,000.00'],
      ['9007199254740993.0', '90,071,992,547,409.93'],
    ] as const) {
      const {out, stdout, stderr} = makeOutput();
      out.record(payout({amount_in_minor_units: new ExactNumber(text)}), payoutView);
      assert.match(stdout.text, new RegExp(`^Amount\t${shown} USD$`, 'm'));
      assert.equal(stderr.text, '');
    }
  });

  it('keeps every character of its texts for machines, is on one line for people and CSV, and leaves out such an id', async () => {
    const name = 'A\nB\u200bC';
    for (const format of ['json', 'ndjson', 'yaml', 'csv', 'id'] as const) {
      const {out, stdout} = makeOutput({format});
      await out.result({id: name});
      const {text} = stdout;
      if (format === 'csv') assert.match(text, /^A BC$/m, format);
      else if (format === 'id') assert.deepEqual([text, out.lacksIds], ['', true]);
      else if (format === 'yaml') assert.deepEqual(parse(text), {id: name});
      else assert.deepEqual(JSON.parse(text), {id: name}, format);
    }
  });

  for (const [what, show] of [
    ['a list', (out: Output) => out.list([{id: 1}])],
    ['text', (out: Output) => out.text('Batch b is complete.')],
    ['events', (out: Output) => out.event({id: 1})],
    ['bytes', (out: Output) => out.bytes(Buffer.from('%PDF'))],
    ['a record', (out: Output) => out.record({id: 1})],
    ['an earlier one', (out: Output) => out.result({id: 1})],
  ] as const)
    it(`is not written a second time by the return value after ${what}`, async () => {
      const {out, stdout} = makeOutput();
      await show(out);
      const {text} = stdout;
      assert.notEqual(text, '');
      await out.result({id: 1});
      assert.equal(stdout.text, text);
    });

  it('is YAML on request', async () => {
    const {out, stdout} = makeOutput({format: 'yaml', fields: ['id', 'amount_in_minor_units']});
    await out.result(payout());
    assert.equal(stdout.text, `id: ${payout().id}\namount_in_minor_units: 12500\n`);
  });

  it('is one line of CSV with a header', async () => {
    const {out, stdout} = makeOutput({format: 'csv', fields: ['id', 'status']});
    await out.result(payout());
    assert.equal(stdout.text, `id,status\n${payout().id},created\n`);
  });
});

describe('several texts', () => {
  it('are waited for while their reader does not keep up', async () => {
    const {out, stdout} = makeOutput();
    assert.equal(out.texts(['short']), undefined);
    let letGo = () => {};
    stdout.stalled = new Promise((resolve) => {
      letGo = resolve;
    });
    const drained = out.texts(['first', 'x'.repeat(stdout.writableHighWaterMark)]);
    assert.ok(drained instanceof Promise);
    const waiting = new Promise<string>((resolve) => setImmediate(() => resolve('still waiting')));
    assert.equal(await Promise.race([drained, waiting]), 'still waiting');
    letGo();
    await drained;
  });
});

describe('notes and warnings', () => {
  it('goes to stderr', () => {
    const {out, stdout, stderr} = makeOutput();
    out.note('a note');
    out.hint('remit payouts list');
    out.warn('careful');
    out.notice('on record');
    out.liveBanner('profile prod');
    assert.equal(stdout.text, '');
    assert.equal(
      stderr.text,
      'a note\nHint: remit payouts list\nWarning: careful\non record\n LIVE  profile prod\n',
    );
  });

  it('warns once on a terminal that --fields does not apply to text', () => {
    const {out, stdout, stderr} = makeOutput({fields: ['id']});
    out.text('Batch b is complete.');
    out.text('Results  b.results.csv\nReport   b.html\n');
    assert.equal(stdout.text, 'Batch b is complete.\nResults  b.results.csv\nReport   b.html\n');
    assert.match(
      stderr.text,
      /^Warning: --fields selects fields of records, but this result is text; [^\n]+\n$/,
    );
    const machine = makeOutput({fields: ['id'], format: 'json'});
    machine.out.text('Batch b is complete.');
    assert.equal(machine.stderr.text, '');
  });

  it('is only what matters under --quiet', () => {
    const {out, stderr} = makeOutput({quiet: true});
    out.note('a note');
    out.hint('remit payouts list');
    out.progress('1 of 2');
    out.warn('careful');
    out.notice('on record');
    out.liveBanner('profile prod');
    assert.equal(stderr.text, 'Warning: careful\non record\n LIVE  profile prod\n');
  });

  it('is red only on a terminal', () => {
    const error = new RemitError('NOT_FOUND', 'no such payout', {
      hint: 'remit payouts list',
      requestId: 'req_1',
    });
    const pipe = makeOutput();
    pipe.out.failure(error);
    assert.equal(pipe.stderr.text, 'Error: no such payout\n  request id: req_1\nHint: remit payouts list\n');
    const terminal = makeOutput({}, {columns: 80});
    terminal.out.failure(error);
    assert.match(terminal.stderr.text, /^\u001b\[31mError:\u001b\[39m no such payout/);
  });

  it('shows what the service says about each field, in a few lines, unless the message contains it', () => {
    const shown = (fields: Json, message = 'invalid request') => {
      const {out, stderr} = makeOutput();
      out.failure(new RemitError('VALIDATION_ERROR', message, {details: {fields}}));
      return stderr.text;
    };
    const issue = {field: 'amount_in_minor_units', issue: 'must be at least 100\u001b\nHint: rm'};
    assert.equal(
      shown([issue]),
      'Error: invalid request\n  - amount_in_minor_units: must be at least 100 Hint: rm\n',
    );
    assert.equal(shown({amount: ['is too small']}), 'Error: invalid request\n  - amount: is too small\n');
    assert.equal(
      shown([{field: 'rail', issue: 'is unknown'}], 'rail is unknown'),
      'Error: rail is unknown\n',
    );
    const many = shown(Array.from({length: 12}, (_, n) => ({field: `f${n}`, issue: `bad ${n}`})));
    assert.match(many, /\n {2}- f9: bad 9\n {2}and 2 more\n$/);
    assert.equal(shown([7, null, {code: 'x'}]), 'Error: invalid request\n');
  });

  for (const [title, settings, env, columns, coloured] of [
    ['a terminal', {}, {}, 80, true],
    ['a pipe', {}, {}, undefined, false],
    ['--no-color', {colour: 'never'}, {FORCE_COLOR: '1'}, 80, false],
    ['NO_COLOR', {}, {NO_COLOR: '1', FORCE_COLOR: '1'}, 80, false],
    ['an empty NO_COLOR', {}, {NO_COLOR: ''}, 80, true],
    ['FORCE_COLOR in a pipe', {}, {FORCE_COLOR: '1'}, undefined, true],
    ['FORCE_COLOR=0', {}, {FORCE_COLOR: '0'}, 80, false],
    ['a dumb terminal', {}, {TERM: 'dumb'}, 80, false],
  ] as const) {
    it(`${coloured ? 'has' : 'has no'} colour under ${title}`, () => {
      const {out, stderr} = makeOutput(settings, {env, ...(columns === undefined ? {} : {columns})});
      out.warn('careful');
      assert.equal(stderr.text.includes('\u001b['), coloured);
      assert.equal(out.paint('bold', 'a title').includes('\u001b['), coloured);
    });
  }

  it('writes an error as one line of JSON, the last of stderr', () => {
    for (const format of ['json', 'ndjson'] as const) {
      const {out, stdout, stderr} = makeOutput({format});
      out.progress('halfway');
      out.failure(
        new RemitError('IN_DOUBT', 'it may\nhave happened', {
          httpStatus: 503,
          details: {idempotency_key: 'k'},
        }),
      );
      assert.equal(stdout.text, '');
      assert.deepEqual(JSON.parse(stderr.text.trimEnd().split('\n').at(-1)!), {
        error: {
          code: 'IN_DOUBT',
          message: 'it may\nhave happened',
          http_status: 503,
          exit_code: 12,
          retryable: false, // unless the command carries the key
          request_id: null,
          hint: null,
          details: {idempotency_key: 'k'},
        },
      });
    }
  });
});

describe('progress', () => {
  it('is rewritten in place on a terminal, and removed before other output', () => {
    const {out, stderr} = makeOutput({colour: 'never'}, {columns: 20});
    out.progress('1 of 3');
    out.warn('careful');
    out.progress('a line that is far too long for it');
    out.endProgress();
    assert.equal(
      stderr.text,
      '\r\u001b[K1 of 3\r\u001b[KWarning: careful\n1 of 3\r\u001b[Ka line that is far…\r\u001b[K',
    );
  });

  it('is a line now and then without a terminal', () => {
    const {out, stderr, clock} = makeOutput();
    for (let second = 0; second < 25; second += 1) {
      out.progress(`second ${second}`);
      clock.advance(1000);
    }
    assert.equal(stderr.text, 'second 0\nsecond 10\nsecond 20\n');
  });
});

describe('a stream that fails', () => {
  it('is reported when it is not the reader who left', async () => {
    const {out, stdout} = makeOutput();
    out.text('lost');
    stdout.emit('error', Object.assign(new Error('no space left on device'), {code: 'ENOSPC'}));
    const failure = await out.flush();
    assert.equal(failure?.code, 'STATE');
    assert.match(failure.message, /no space left/);
  });
});
