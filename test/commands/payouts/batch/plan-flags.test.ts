import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {payeeId} from '../../../batch/harness.ts';
import {Desk} from './desk.ts';

interface Planned {
  namespace: string;
  totals: Record<string, string>;
}

describe('how a file is to be read, as typed', () => {
  let desk: Desk;
  beforeEach(() => {
    desk = new Desk();
    desk.file('p.csv', [
      ['A-1', 1, '10'],
      ['A-2', 2, '20'],
    ]);
  });
  afterEach(() => desk.close());

  const refused = async (line: string, exitCode: number, code: string) => {
    const ran = await desk.batch(line);
    assert.deepEqual([ran.exitCode, ran.error().code, ran.stdout], [exitCode, code, ''], line);
    assert.deepEqual((await desk.batch('list --json')).json(), [], 'nothing is planned');
    return ran.error();
  };
  const planned = async (flags: string) => {
    const ran = await desk.batch(`plan ./p.csv --json ${flags}`);
    assert.equal(ran.exitCode, 0, ran.stderr);
    return ran.json() as Planned;
  };

  it('needs --amount-unit if no amount has a decimal point', async () => {
    const {details} = await refused('plan ./p.csv --json', 5, 'CSV_INVALID');
    const [issue, ...others] = details!['errors'] as {code: string; message: string}[];
    assert.deepEqual([issue!.code, others], ['amount-unit', []]);
    assert.match(issue!.message, /--amount-unit major or --amount-unit minor/);
    await refused('plan ./p.csv --json --amount-unit cents', 2, 'USAGE');
    const {message, hint} = await refused('plan ./p.csv --json --valid-only', 5, 'CSV_INVALID');
    assert.equal(
      message,
      'p.csv needs --amount-unit: the unit of its amounts cannot be told; nothing was sent',
    );
    assert.match(hint!, /--amount-unit major reads 1500 as 1500\.00/);
  });

  for (const [unit, total] of [
    ['major', '30.00'],
    ['minor', '0.30'],
  ] as const)
    it(`reads amounts as ${unit} units with --amount-unit ${unit}`, async () =>
      assert.deepEqual((await planned(`--amount-unit ${unit}`)).totals, {USD: total}));

  for (const [what, namespace] of [
    ['with a capital', 'Nov'],
    ['with an underscore', 'nov_1'],
    ['with a dot', 'nov.1'],
    ['beyond ASCII', 'año'],
    ['of nothing', ''],
    ['of 65 characters', 'n'.repeat(65)],
  ] as const)
    it(`refuses a --namespace ${what}, before anything is planned`, async () => {
      for (const line of ['plan ./p.csv --json', 'run ./p.csv --json --yes']) {
        const typed = `${line} --amount-unit major --namespace ${namespace}`;
        const {message, hint} = await refused(typed, 2, 'USAGE');
        assert.equal(message, `--namespace "${namespace}" is not a valid namespace`);
        assert.equal(hint, 'use up to 64 of a-z, 0-9 and -');
      }
      assert.equal(desk.service.posts, 0);
    });

  it('accepts a --namespace of up to 64 lower-case letters, digits and dashes', async () => {
    for (const namespace of ['n', 'nov-2026', 'n'.repeat(64)])
      assert.equal((await planned(`--amount-unit major --namespace ${namespace}`)).namespace, namespace);
  });

  it('sends a mapped metadata key in the case in which it was typed', async () => {
    const path = join(desk.folder, 'p.csv');
    writeFileSync(path, `Invoice,payee_id,amount,currency_code,Centre\nA-1,${payeeId(1)},1.00,USD,x\n`);
    const ran = await desk.batch(
      'run ./p.csv --batch-id b --yes --map Reference=invoice --map Metadata.CostCentre=CENTRE',
    );
    assert.equal(ran.exitCode, 0, ran.stderr);
    const [record] = [...desk.service.byId.values()];
    assert.deepEqual(record!.body['metadata'], {CostCentre: 'x', remit_reference: 'A-1'});
  });
});
