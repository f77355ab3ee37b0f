import assert from 'node:assert/strict';
import {afterEach, describe, it} from 'mocha';
import {isObject} from '../../src/narrow.ts';
import {checkService} from '../../src/service/file/parse.ts';
import type {ServiceFile} from '../../src/service/service-file.ts';
import {seeded} from '../batch/harness.ts';
import type {CliResult} from '../cli/run-cli.ts';
import {type Difference, isNamed, keysIn, keysOf} from './matrix/difference.ts';
import {DIFFERENCES} from './matrix/differences.ts';
import {Differing} from './matrix/differing.ts';
import {type AskedCommand, commandsOf, compare} from './matrix/questions.ts';

/** Names of the differences by result; REMIT_PRINT_COUNTS=1 prints how many they are. */
const results = {
  /** Every command without a service file printed what the service has, or failed. */
  honest: new Set<string>(),
  /** Every command works without a service file. */
  worked: new Set<string>(),
  /** Not every command works, and a message names the key to set. */
  named: new Set<string>(),
  /** A message names a key that is not part of the way out. */
  misled: new Set<string>(),
  /** Every command works with the service file, and the batch is complete. */
  repaired: new Set<string>(),
};
const counts = {together: 0, rows: 0, paidTwice: 0};

const REFERENCES = ['R-1', 'R-2', 'R-3'];
const AMOUNTS = [150, 250, 350];

describe('a service that differs', function () {
  let at: Differing | undefined;
  afterEach(async () => {
    await at?.close();
    at = undefined;
  });

  const asked = ({in: topics = ['payouts']}: Difference, service: Differing, round: 0 | 1): AskedCommand[] =>
    topics.flatMap((topic) => commandsOf(topic, service.known, round));

  /** Runs every command with the service file, which must make it work, and finishes the batch. */
  async function works(
    difference: Difference,
    service: Differing,
    batch: readonly string[] | undefined,
  ): Promise<void> {
    const done = async (line: string) => {
      const ran = await service.remit(line, true);
      assert.equal(ran.exitCode, 0, `${line}\n${ran.stdout}\n${ran.stderr}`);
      return ran;
    };
    for (const command of asked(difference, service, 1)) {
      if (command.shows === undefined) {
        assert.equal((await service.remit(command.line, true)).exitCode, 4, command.line);
        continue;
      }
      const {mayRefuse} = command;
      if (mayRefuse !== undefined) {
        assert.match((await service.remit(command.line, true)).stderr, mayRefuse, command.line);
        continue;
      }
      const ran = await done(`${command.line} --json`);
      assert.equal(compare(command, ran.json()), 'whole', `${command.line}\n${ran.stdout}`);
    }
    if (batch === undefined) return;
    for (const line of batch) await done(line);
    await done('payouts batch status b --refresh');
    const paid = await service.paid();
    for (const [n, reference] of REFERENCES.entries()) {
      counts.rows++;
      if ((paid.get(reference) ?? []).length > 1) counts.paidTwice++;
      assert.deepEqual(paid.get(reference), [AMOUNTS[n]], `${reference} is paid once`);
    }
  }

  /** Runs a batch without the service file. What it paid must be what the file says. */
  async function triedBatch(service: Differing): Promise<CliResult> {
    const file = service.rows('rows.csv', REFERENCES);
    const ran = await service.remit(`payouts batch run ${file} --batch-id b --yes`, false);
    const paid = await service.paid();
    for (const [n, reference] of REFERENCES.entries()) {
      const amounts = paid.get(reference) ?? [];
      if (ran.exitCode === 0 || amounts.length > 0) assert.deepEqual(amounts, [AMOUNTS[n]], reference);
    }
    return ran;
  }

  for (const difference of DIFFERENCES) {
    const {name, service, needsNone = false, says, way, repair} = difference;
    it(`by ${name}: reports the truth without a service file, works with it`, async () => {
      at = await Differing.open(difference);
      let isWorking = true;
      const texts: string[] = [];
      for (const command of asked(difference, at, 0)) {
        const ran = await at.remit(`${command.line} --json`, false);
        const text = ran.exitCode === 0 ? ran.stderr : ran.stdout + ran.stderr;
        texts.push(`> ${command.line}: ${ran.exitCode}\n${text}`);
        const shown = ran.exitCode === 0 ? compare(command, ran.json()) : undefined;
        assert.notEqual(shown, 'untrue', texts.at(-1));
        const isRefused = command.shows === undefined ? ran.exitCode === 4 : command.mayRefuse?.test(text);
        isWorking &&= shown === 'whole' || isRefused === true;
        if (keysIn(text).length > 0 && !needsNone) assert.match(text, /remit doctor/, texts.at(-1));
      }
      const hasBatch = concernsBatches(difference);
      const batch = hasBatch ? await triedBatch(at) : undefined;
      if (batch !== undefined) texts.push(batch.stdout + batch.stderr);
      results.honest.add(name);
      const text = texts.join('\n');
      const keys = [...keysOf(service), ...(difference.names ?? [])];
      const isNamedHere = keys.some((key) => isNamed(text, key)) || way?.test(text) === true;
      if (isWorking && (batch === undefined || batch.exitCode === 0)) results.worked.add(name);
      else if (isNamedHere) results.named.add(name);
      else assert.ok(needsNone, `nothing names the way out of ${name}:\n${text}`);
      if (says !== undefined) assert.match(text, says);
      if (keysIn(text).some((key) => !keys.includes(key))) results.misled.add(name);
      const isStarted =
        batch?.exitCode === 0 || batch?.stdout.includes('held: their record differs') === true;
      const again = `payouts batch ${isStarted ? 'resume b' : `run ${at.folder}/rows.csv --batch-id b`} --yes`;
      await works(difference, at, hasBatch ? (repair ?? [again]) : undefined);
      results.repaired.add(name);
    });
  }

  for (const seed of [1, 2, 3])
    it(`by twelve of these at once, chosen with seed ${seed}: works with one service file`, async () => {
      const difference: Difference = {name: `seed ${seed}`, service: together(seed)};
      at = await Differing.open(difference);
      const before = await triedBatch(at);
      assert.notEqual(before.exitCode, 0);
      assert.match(before.stdout + before.stderr, /in the service file/);
      assert.equal((await at.paid()).size, 0);
      await works(difference, at, [`payouts batch run ${at.folder}/rows.csv --batch-id b --yes`]);
      counts.together++;
    });

  it('in at least 70 ways: all are honest and repaired, nine of ten are named, nothing is paid twice', () => {
    const all = DIFFERENCES.map(({name}) => name);
    const open = all.filter((name) => !results.worked.has(name));
    if (process.env['REMIT_PRINT_COUNTS'])
      process.stderr.write(
        `    service matrix: ${JSON.stringify({
          ...{lines: all.length, honest: results.honest.size, repaired: results.repaired.size},
          misled: [...results.misled],
          ...{worked: results.worked.size, named: `${results.named.size} of ${open.length}`, ...counts},
        })}\n`,
      );
    assert.ok(new Set(all).size >= 70, `${all.length} differences`);
    assert.deepEqual(
      all.filter((name) => !results.honest.has(name)),
      [],
      'not honest',
    );
    assert.deepEqual(
      all.filter((name) => !results.repaired.has(name)),
      [],
      'not repaired',
    );
    assert.ok(results.named.size >= 0.9 * open.length, `named in ${results.named.size} of ${open.length}`);
    assert.equal(counts.paidTwice, 0);
  });
});

/** What a batch neither sends nor reads, unless an answer is lost. A batch for every line would take too long. */
const BESIDE_BATCHES =
  /^(paging|filters|errors|bodies|headers\.requestId|envelopes\.(list|next|more)|routes\.payouts\.(get|list|approve|cancel))\b/;

function concernsBatches({service, in: topics = ['payouts']}: Difference): boolean {
  const keys = keysOf(service);
  return topics.includes('payouts') && (keys.length === 0 || keys.some((key) => !BESIDE_BATCHES.test(key)));
}

/** Twelve differences as one file. If several set the same key, the first one counts. */
function together(seed: number): ServiceFile {
  const random = seeded(seed);
  const plain = DIFFERENCES.filter(({twist, in: topics}) => twist === undefined && topics === undefined);
  const shuffled = plain.map((one) => ({one, at: random()})).sort((a, b) => a.at - b.at);
  const chosen: ServiceFile[] = [];
  for (const {one} of shuffled)
    if (chosen.length < 12 && !chosen.some((other) => contradicts(other, one.service)))
      chosen.push(one.service);
  assert.equal(chosen.length, 12);
  return checkService(chosen.reduce(merged, {}), 'twelve differences');
}

const contradicts = (a: ServiceFile, b: ServiceFile): boolean =>
  haveOneKey(a, b) || arePagedBoth(a, b) || arePagedBoth(b, a);

/** A service that pages without cursors cannot also have them somewhere else. */
const arePagedBoth = (a: ServiceFile, b: ServiceFile): boolean =>
  a.paging?.by !== undefined && b.envelopes?.next !== undefined;

const haveOneKey = (a: object, b: object): boolean =>
  Object.entries(a).some(([name, value]) => {
    const other: unknown = Object.entries(b).find(([key]) => key === name)?.[1];
    if (other === undefined) return false;
    return isObject(value) && isObject(other) ? haveOneKey(value, other) : true;
  });

const merged = (a: object, b: object): object =>
  Object.fromEntries(
    [...new Set([...Object.keys(a), ...Object.keys(b)])].map((name) => {
      const [one, other] = [a, b].map(
        (part): unknown => Object.entries(part).find(([key]) => key === name)?.[1],
      );
      return [name, isObject(one) && isObject(other) ? merged(one, other) : (other ?? one)];
    }),
  );
