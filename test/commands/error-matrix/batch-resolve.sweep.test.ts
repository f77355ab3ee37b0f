import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {FoundRow} from '../../../src/batch/overview/rows.ts';
import type {Summary} from '../../../src/batch/standing/summary.ts';
import {EXIT} from '../../../src/errors.ts';
import type {CliResult} from '../../cli/run-cli.ts';
import {BatchBench, type FaultyRequest, FaultyRequests} from './batch-bench.ts';
import {isLong, tryCases} from './cases.ts';

/** What an operator states about rows in doubt. A-2 was released, A-3 was not. */
interface Statement {
  name: string;
  /** Reference -> verdict. */
  says: Readonly<Record<string, 'paid' | 'not-paid'>>;
  isFile?: boolean;
}

const STATEMENTS: readonly Statement[] = [
  {name: 'paid, as it was', says: {'A-2': 'paid'}},
  {name: 'not paid, as it was not', says: {'A-3': 'not-paid'}},
  {name: 'paid, as it was not', says: {'A-3': 'paid'}},
  {name: 'not paid, as it was', says: {'A-2': 'not-paid'}},
  {name: 'a file that is right', says: {'A-2': 'paid', 'A-3': 'not-paid'}, isFile: true},
  {name: 'a file with a wrong line', says: {'A-2': 'paid', 'A-3': 'paid'}, isFile: true},
];

/** The three rows are staged, and A-1 is released. Then the service is lost: A-2 was released as well, and A-3 was not. */
async function open(topic: 'payouts' | 'payins'): Promise<BatchBench> {
  const bench = await BatchBench.open(topic);
  await bench.batch('run ./p.csv --batch-id b --yes --stage-only -p work');
  let posts = 0;
  bench.desk.service.fault = ({method, body}) => {
    if (method === 'GET') return '503-before';
    const isRelease = body.includes('"auto_approve":true');
    if (!isRelease || body.includes('"A-1"')) return undefined;
    posts++;
    return body.includes('"A-2"') ? 'lost-after' : 'lost-before';
  };
  await bench.batch('release b --yes -p work');
  bench.desk.service.fault = () => undefined;
  assert.ok(posts >= 2);
  assert.deepEqual(bench.payments(), [1, 1, 0]);
  for (const reference of ['A-2', 'A-3']) assert.equal((await rowOf(bench, reference)).state, 'in_doubt');
  bench.arm(undefined);
  return bench;
}

const rowOf = async (bench: BatchBench, reference: string): Promise<FoundRow> =>
  (await bench.batch(`status b --row ${reference} --json -p work`)).json() as FoundRow;

function lineOf(bench: BatchBench, {says, isFile = false}: Statement): string {
  const idOf = (reference: string) => bench.recordsOf(reference)[0]!.id;
  if (!isFile) {
    const [[reference, verdict]] = Object.entries(says) as [[string, string]];
    return `resolve b ${reference} --${verdict}${verdict === 'paid' ? ` ${idOf(reference)}` : ''} -p work`;
  }
  const lines = Object.entries(says).map(
    ([reference, verdict]) => `${reference},${verdict},${verdict === 'paid' ? idOf(reference) : ''}`,
  );
  writeFileSync(join(bench.desk.folder, 'v.csv'), `reference,verdict,id\n${lines.join('\n')}\n`);
  return 'resolve b --from ./v.csv -p work';
}

interface Result {
  state?: string;
  unseen?: string | {reference: string; why: string}[];
  next: string | null;
}

const unseenIn = ({unseen}: Result): boolean =>
  Array.isArray(unseen) ? unseen.length > 0 : unseen !== undefined;

const isTrue = ({says}: Statement): boolean =>
  Object.entries(says).every(([reference, verdict]) => (verdict === 'paid') === (reference === 'A-2'));

describe('every error of batch resolve', function () {
  this.timeout(isLong ? 3_600_000 : 60_000);
  const cases = new FaultyRequests();

  for (const [at, statement] of STATEMENTS.entries())
    it(`records what was seen or stated, or nothing, and says which: ${statement.name}`, async () => {
      const bench = await open(at % 2 === 0 ? 'payouts' : 'payins');
      try {
        bench.save();
        const ran = await bench.batch(lineOf(bench, statement));
        const {sent} = bench;
        assert.equal(ran.exitCode === 0, isTrue(statement), ran.stderr);
        assert.ok(sent.length > 0 && sent.every((request) => request.startsWith('GET')), sent.join());
        await tryCases(cases.of(statement.name, sent), (one) => check(statement, bench, one));
      } finally {
        bench.close();
      }
    });

  async function check(
    statement: Statement,
    bench: BatchBench,
    {fault, nth, reach, where}: FaultyRequest,
  ): Promise<void> {
    const type = (form: string): Promise<CliResult> => {
      bench.restore();
      const line = lineOf(bench, statement);
      bench.arm(fault, nth, reach);
      return bench.batch(line + form);
    };
    const text = await type('');
    const ran = await type(' --json');
    bench.arm(undefined);
    const all = `${where}\n${text.stdout}${text.stderr}${ran.stdout}${ran.stderr}`;
    assert.equal(text.exitCode, ran.exitCode, all);
    assert.doesNotMatch(all, /undefined|\[object|^\s+at /m, where);
    if (ran.exitCode === 0) await checkRecorded(bench, statement, {ran, text, where: all});
    else await checkUnchanged(bench, statement, {ran, text, where: all});
    await finish(bench, all);
  }

  interface Ran {
    ran: CliResult;
    text: CliResult;
    where: string;
  }

  async function checkRecorded(bench: BatchBench, {says}: Statement, {ran, text, where}: Ran): Promise<void> {
    const result = ran.json() as Result;
    for (const [reference, verdict] of Object.entries(says)) {
      const {state} = await rowOf(bench, reference);
      assert.equal(state, verdict === 'paid' ? 'accepted' : 'staged', where);
      const isPaid = bench.recordsOf(reference)[0]!.approvals === 1;
      if (verdict === 'paid') assert.ok(isPaid, where);
      else assert.ok(!isPaid || unseenIn(result), where);
    }
    if (unseenIn(result)) assert.match(text.stderr, /not read \(.+\); it is recorded as you stated/, where);
    if (result.next !== null) assert.ok(text.stderr.includes(result.next), where);
  }

  async function checkUnchanged(
    bench: BatchBench,
    statement: Statement,
    {ran, text, where}: Ran,
  ): Promise<void> {
    assert.deepEqual([ran.stdout, text.stdout], ['', ''], where);
    for (const reference of Object.keys(statement.says))
      assert.equal((await rowOf(bench, reference)).state, 'in_doubt', where);
    const {message, hint, exit_code: exit} = ran.error();
    assert.equal(exit, ran.exitCode, where);
    assert.match(message, /; nothing was changed$/, where);
    assert.ok(text.stderr.includes(message), where);
    // A refused connection names the command that starts the sandbox first.
    const command = /remit (?!sandbox start )[^;]*/.exec(hint ?? '')?.[0];
    assert.ok(command?.includes(' -p work') ?? false, `${where}\nno command: ${hint}`);
    if (!isTrue(statement) && command!.includes('--unseen')) return; // it would record what is wrong, as stated
    const typed = await bench.typeLine(command!, command!.includes(' run ') ? ['--yes'] : []);
    const expected = command!.includes(' list ') ? EXIT.NOT_FOUND : EXIT.OK; // this service has no lists
    assert.equal(typed.exitCode, expected, `${where}\n${command}\n${typed.stdout}${typed.stderr}`);
  }

  /** The next command, and each after it, until each row is paid; rows still in doubt are resolved as they are. */
  async function finish(bench: BatchBench, where: string): Promise<void> {
    for (let typed = 0; typed < 4; typed++) {
      const {next} = (await bench.batch('status b --json -p work')).json() as Summary;
      if (next === null) break;
      const ran = await bench.typeLine(next, ['--yes']);
      assert.equal(ran.exitCode, 0, `${where}\n${next}\n${ran.stderr}`);
    }
    const {state} = (await bench.batch('status b --json -p work')).json() as Summary;
    assert.deepEqual([state, bench.payments()], ['complete', [1, 1, 1]], where);
  }
});
