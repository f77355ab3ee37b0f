import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {EXIT} from '../../../../src/errors.ts';
import {type BatchBench, REFERENCES} from '../../error-matrix/batch-bench.ts';
import {isLong} from '../../error-matrix/cases.ts';
import {
  commandsIn,
  END_STATES,
  type EndState,
  openWorld,
  type Place,
  PLACES,
  printedIn,
  summaryOf,
  typePrinted,
} from './printed-world.ts';

/** Refusals of the words themselves, of what they name, or by a guard: `--yes` is typed, so no confirmation is missing. */
const REFUSED: ReadonlySet<number> = new Set([
  EXIT.BUG,
  EXIT.USAGE,
  EXIT.CREDENTIALS,
  EXIT.NOT_FOUND,
  EXIT.INVALID,
  EXIT.GUARD,
  EXIT.LOCAL_STATE,
]);

/** Commands that only show something, for a person who then decides. */
const READS = / batch (?:status|find|list|report|diff|export) | (?:get|list) |remit (?:doctor|whoami)/;

const notPaidTwice = (bench: BatchBench, where: string) =>
  assert.ok(
    REFERENCES.every((one) => bench.recordsOf(one).filter(({approvals}) => approvals > 0).length <= 1),
    `${where}: paid ${bench.payments().join()}`,
  );

describe('every printed command of a batch', function () {
  this.timeout(isLong ? 3_600_000 : 120_000);

  it('is found in the text around it', () => {
    assert.deepEqual(commandsIn('see `remit payouts batch resume b -p x` clears up'), [
      'remit payouts batch resume b -p x',
    ]);
    assert.deepEqual(
      commandsIn(
        'a (remit payouts batch report b writes all of them)\nNext  remit profiles set a --b && remit payouts batch release b',
      ),
      ['remit payouts batch report b', 'remit profiles set a --b && remit payouts batch release b'],
    );
  });

  it('repeats a command with the profile of the batch, and --live if its key is live', async () => {
    const [, , staged] = END_STATES;
    const place = PLACES.find(({name}) => name === 'live')!;
    const {bench} = await openWorld(staged!, place);
    try {
      const {stderr} = await bench.batch('release b -p work');
      assert.match(stderr, /last run with: remit payouts batch release b --live -p real$/m);
    } finally {
      bench.close();
    }
  });

  for (const [at, state] of END_STATES.entries())
    for (const place of isLong ? PLACES : [PLACES[at % PLACES.length]!]) {
      it(`is accepted, and pays nothing twice: ${state.name}, ${place.name}`, async () => {
        const world = await openWorld(state, place);
        const {bench} = world;
        try {
          for (const [command, from] of await printedIn(world, place)) {
            bench.restore();
            const report = /report b .*/.exec(from);
            if (report !== null) await bench.batch(report[0]); // it writes files that its commands name
            const ran = await typePrinted(bench, command);
            const where = `${from} printed ${command}\n${ran.stderr}`;
            // What shows a batch exits as its state says.
            assert.ok(!REFUSED.has(ran.exitCode) || (READS.test(command) && ran.stdout !== ''), where);
            notPaidTwice(bench, where);
          }
        } finally {
          bench.close();
        }
      });

      it(`moves the batch on, without a circle: ${state.name}, ${place.name}`, async () => {
        const {bench} = await openWorld(state, place);
        try {
          await follow(bench, state, place);
        } finally {
          bench.close();
        }
      });
    }

  /** Types each next command until there is none, or it shows something to a person. */
  async function follow(bench: BatchBench, {name, pays = []}: EndState, place: Place): Promise<void> {
    const seen = new Set<string>();
    for (;;) {
      const summary = await summaryOf(bench, place);
      const {next} = summary;
      if (next === null) break;
      const key = JSON.stringify({...summary, elapsed_ms: 0, posts: 0, results: null, summary_file: null});
      assert.ok(!seen.has(key), `${name}: ${next} changes nothing`);
      seen.add(key);
      const ran = await typePrinted(bench, next);
      assert.ok(!REFUSED.has(ran.exitCode), `${next}\n${ran.stderr}`);
      notPaidTwice(bench, next);
      if (READS.test(next)) break;
    }
    for (const reference of pays)
      assert.ok(
        bench.recordsOf(reference).some(({approvals}) => approvals === 1),
        `${name}: ${reference} is not paid`,
      );
  }
});
