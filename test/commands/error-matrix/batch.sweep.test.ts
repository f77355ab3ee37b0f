import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Summary} from '../../../src/batch/standing/summary.ts';
import {EXIT} from '../../../src/errors.ts';
import type {CliResult} from '../../cli/run-cli.ts';
import {BatchBench, type FaultyRequest, FaultyRequests, REFERENCES} from './batch-bench.ts';
import {statusFault} from './batch-faults.ts';
import {isLong, tryCases} from './cases.ts';

/** A verb that sends requests, and what has to be there before it. Each is typed in a fresh state folder. */
interface Scene {
  name: string;
  line: string;
  /** Lines typed before; `prepare` comes first, `meanwhile` between them and the verb. */
  before?: readonly string[];
  prepare?: (bench: BatchBench) => void;
  meanwhile?: (bench: BatchBench) => void;
  refresh?: string;
  /** What the batch is for: `paid` all three rows, `staged` or `canceled` none of them. */
  aim?: 'staged' | 'canceled';
}

const RUN = 'run ./p.csv --batch-id b --yes';
const STAGE = `${RUN} --stage-only`;

const SCENES: readonly Scene[] = [
  {name: 'run', line: RUN},
  {name: 'run --direct', line: `${RUN} --direct`},
  {name: 'run --stage-only', line: STAGE, aim: 'staged'},
  {name: 'release', line: 'release b --yes', before: [STAGE]},
  {name: 'release --until', line: 'release b --yes --until approved', before: [STAGE]},
  {
    name: 'resume',
    line: 'resume b --yes',
    before: [RUN],
    prepare: (bench) => bench.arm(statusFault(401), 1, 'from then on'),
  },
  {
    name: 'retry, rejected',
    line: 'retry b --yes',
    before: [RUN],
    prepare: (bench) => bench.arm(statusFault(422), 1),
  },
  {
    name: 'retry, failed',
    line: 'retry b --yes',
    before: [RUN],
    meanwhile: (bench) =>
      bench.recordsOf('A-2').forEach((record) => Object.assign(record, {status: 'failed', approvals: 0})),
    refresh: 'status b --refresh',
  },
  {
    name: 'retry, not approved',
    line: 'retry b --yes',
    before: [RUN],
    prepare: (bench) => (bench.desk.service.approvalFails = (body) => body['amount_in_minor_units'] === 2000),
    meanwhile: (bench) => (bench.desk.service.approvalFails = () => false),
  },
  {name: 'cancel', line: 'cancel b --yes', before: [STAGE], aim: 'canceled'},
];

const HOME = '-p work';

async function open(scene: Scene, topic: 'payouts' | 'payins'): Promise<BatchBench> {
  const bench = await BatchBench.open(topic);
  scene.prepare?.(bench);
  for (const line of scene.before ?? []) await bench.batch(`${line} ${HOME}`);
  scene.meanwhile?.(bench);
  if (scene.refresh !== undefined) await bench.batch(`${scene.refresh} ${HOME}`);
  bench.arm(undefined);
  return bench;
}

/** design.md, section 4 and batch-rules.md, "Summary", restated. */
function exitOf(summary: Summary, {aim}: Scene): readonly number[] {
  const {
    stopped_because: stop,
    in_doubt,
    not_sent,
    staged,
    held,
    rejected,
    unapproved,
    conflict,
    failed,
    differs,
  } = summary;
  if (in_doubt > 0) return [EXIT.IN_DOUBT];
  switch (stop?.reason) {
    case undefined:
      break;
    case 'credentials':
      return [EXIT.CREDENTIALS];
    case 'collision':
    case 'key-forgotten':
      return [EXIT.CONFLICT];
    default:
      return [EXIT.UNAVAILABLE];
  }
  if (aim === 'canceled') return summary.accepted + staged > 0 ? [EXIT.PARTIAL] : [EXIT.OK];
  if (not_sent > 0 || (aim === undefined && staged > held && summary.state !== 'held'))
    return [EXIT.UNAVAILABLE];
  if (rejected + unapproved + conflict + held + failed + differs > 0) return [EXIT.PARTIAL];
  return [EXIT.OK];
}

describe('every error of every batch command', function () {
  this.timeout(isLong ? 3_600_000 : 60_000);
  const cases = new FaultyRequests();

  for (const [at, scene] of SCENES.entries())
    it(`leaves each row paid once and says what is known: ${scene.name}`, async () => {
      const topic = at % 2 === 0 ? 'payouts' : 'payins';
      const bench = await open(scene, topic);
      try {
        bench.save();
        await bench.batch(`${scene.line} ${HOME}`);
        assert.ok(bench.sent.length > 0);
        await tryCases(cases.of(scene.name, bench.sent), (one) => check(scene, bench, one));
      } finally {
        bench.close();
      }
    });

  async function check(
    scene: Scene,
    bench: BatchBench,
    {fault, nth, reach, where}: FaultyRequest,
  ): Promise<void> {
    const run = (form: string): Promise<CliResult> => {
      bench.restore();
      bench.arm(fault, nth, reach);
      return bench.batch(`${scene.line} ${HOME}${form}`);
    };
    const text = isLong || cases.turn % 4 === 0 ? await run('') : undefined;
    const ran = await run(' --json');
    if (text !== undefined)
      assert.equal(text.exitCode, ran.exitCode, `${where}\n${text.stdout}\n${text.stderr}`);
    bench.arm(undefined);
    if (ran.stdout === '') await checkRefused(bench, ran, where);
    else await checkSummary(scene, bench, {ran, text, where});
  }

  /** Nothing was sent that changes anything: the error names the command that does it. */
  async function checkRefused(bench: BatchBench, ran: CliResult, where: string): Promise<void> {
    const {hint} = ran.error();
    assert.match(hint ?? '', /nothing was sent again; .*: remit .* -p work$/, where);
    const again = await bench.typeLine(hint!.slice(hint!.indexOf('remit ')), ['--yes']);
    assert.equal(again.exitCode, 0, `${where}\n${again.stderr}`);
    assert.deepEqual(bench.payments(), [1, 1, 1], where);
  }

  async function checkSummary(
    scene: Scene,
    bench: BatchBench,
    {ran, text, where}: {ran: CliResult; text: CliResult | undefined; where: string},
  ): Promise<void> {
    const summary = ran.json() as Summary;
    assert.ok(exitOf(summary, scene).includes(ran.exitCode), `${where}\nexit ${ran.exitCode}\n${ran.stdout}`);
    const shown = text?.stdout ?? (await bench.batch(`status b ${HOME}`)).stdout;
    assert.doesNotMatch(shown + ran.stderr + (text?.stderr ?? ''), /undefined|\[object|^\s+at /m, where);
    if (summary.next !== null) assert.ok(shown.includes(`Next     ${summary.next}`), `${where}\n${shown}`);
    const {stopped_because: stop} = summary;
    if (stop !== null) {
      assert.ok(shown.includes(stop.message), `${where}\n${shown}`);
      assert.match(stop.message, /^(the|row|\d+ requests|accept)/, where);
    }
    holdToTruth(bench, summary, where);
    const last = await follow(scene, bench, {summary, where});
    const paid = bench.payments();
    assert.ok(
      paid.every((times) => times <= 1),
      `${where}: paid ${paid.join()}`,
    );
    if (scene.aim === 'canceled') assert.equal(last.state, 'canceled', where);
    else if (scene.aim === 'staged' && last.state === 'staged') assert.deepEqual(paid, [0, 0, 0], where);
    else if (last.conflict === 0 && last.state !== 'canceled')
      assert.deepEqual(paid, [1, 1, 1], `${where}\n${JSON.stringify(last)}`);
  }

  /** What the results say of each row against what the service has of it. */
  function holdToTruth(bench: BatchBench, summary: Summary, where: string): void {
    for (const [reference, {state, line}] of bench.rows(summary)) {
      const records = bench.recordsOf(reference);
      const paid = records.reduce((sum, {approvals}) => sum + approvals, 0);
      const isFailed = records.some(({status}) => status === 'failed');
      const words = `${where}: ${line}, in truth ${records.map(({status}) => status).join() || 'nothing'}`;
      if (state === 'accepted') assert.ok(paid === 1 || isFailed, words);
      if (state === 'staged' || state === 'unapproved')
        assert.deepEqual([records.length > 0, paid], [true, 0], words);
      if (state === 'rejected')
        assert.ok(
          records.every(({status}) => status === 'failed'),
          words,
        );
      if (state === 'not_sent') assert.equal(paid, 0, words);
    }
  }

  /** A record that differs from its row is read again. */
  async function reread(bench: BatchBench): Promise<Summary> {
    return (await bench.batch(`status b --refresh --json ${HOME}`)).json() as Summary;
  }

  /** Types each next command, until there is none or it only reads. */
  async function follow(
    {aim}: Scene,
    bench: BatchBench,
    {summary, where}: {summary: Summary; where: string},
  ): Promise<Summary> {
    let last = summary.next === null && summary.differs > 0 ? await reread(bench) : summary;
    for (let typed = 0; last.next !== null; typed++) {
      assert.ok(typed < 6, `${where}: ${last.next} again`);
      assert.match(last.next, / -p work\b/, where);
      if (aim === 'staged' && last.state === 'staged') return last;
      if (/ (get|list|report) /.test(last.next)) {
        assert.ok(last.conflict > 0, `${where}: ${last.next}`);
        return last;
      }
      const ran = await bench.typeLine(
        withVerdicts(bench, last),
        last.next.includes(' resolve ') ? [] : ['--yes', '--json'],
      );
      assert.notEqual(ran.exitCode, EXIT.USAGE, `${where}: ${last.next}\n${ran.stderr}`);
      if (last.next.includes(' resolve ')) {
        // An operator who is told that the record was never approved declares it not paid, as the hint says.
        const hint = /^Hint: .*(remit .* --not-paid .*)$/m.exec(ran.stderr)?.[1];
        if (ran.exitCode === EXIT.CONFLICT) assert.equal((await bench.typeLine(hint!)).exitCode, 0, where);
        else assert.equal(ran.exitCode, 0, `${where}\n${ran.stderr}`);
        last = (await bench.batch(`status b --json ${HOME}`)).json() as Summary;
      } else last = ran.json() as Summary;
      holdToTruth(bench, last, `${where}, then`);
    }
    return last;
  }

  /** The operator looks up each row in doubt, and writes what was found. */
  function withVerdicts(bench: BatchBench, summary: Summary): string {
    if (!summary.next!.includes('--from FILE')) return summary.next!;
    const doubtful = [...bench.rows(summary)].filter(([, {state}]) => state === 'in_doubt');
    const lines = doubtful.map(([reference]) => {
      const [record] = bench.recordsOf(reference);
      return record === undefined ? `${reference},not-paid,` : `${reference},paid,${record.id}`;
    });
    writeFileSync(join(bench.desk.folder, 'v.csv'), `reference,verdict,id\n${lines.join('\n')}\n`);
    return summary.next!.replace('FILE', './v.csv');
  }

  it('starts from three rows', () => assert.equal(REFERENCES.length, 3));
});
