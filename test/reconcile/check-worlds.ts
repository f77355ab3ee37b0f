import type {BankLine} from '../../src/reconcile/model/line.ts';
import type {Match} from '../../src/reconcile/model/finding.ts';
import {addAll, OPTIONS, withBook} from './harness.ts';
import {type World, worldOf} from './worlds.ts';

/** What matches of worlds with known truth got right and wrong. */
export interface Score {
  worlds: number;
  lines: number;
  matched: number;
  /** Confirmed by rules 1 to 4 without being true. */
  wrong: string[];
  provable: number;
  /** Provable and not found. */
  missed: string[];
}

const AT_ONCE = 50;

/** Matches the worlds of the seeds from `first` on, several in one book. */
export async function checkWorlds(
  first: number,
  count: number,
  forge: (world: World) => BankLine[] = () => [],
): Promise<Score> {
  const score: Score = {worlds: 0, lines: 0, matched: 0, wrong: [], provable: 0, missed: []};
  for (let at = first; at < first + count; at += AT_ONCE) {
    const worlds = Array.from({length: Math.min(AT_ONCE, first + count - at)}, (_, n) => worldOf(at + n));
    await checkTogether(worlds, score, forge);
  }
  return score;
}

async function checkTogether(
  worlds: readonly World[],
  score: Score,
  forge: (world: World) => BankLine[],
): Promise<void> {
  await withBook((book) => {
    book.addPayments(worlds.flatMap(({payments}) => payments));
    addAll(
      book,
      worlds.flatMap((world) => [...world.lines, ...forge(world)]),
    );
    book.match({...OPTIONS, today: '2026-06-30'});
    const truth = new Map(
      worlds.flatMap((world) => [...world.truth].map(([key, of]) => [key, {...of, world}])),
    );
    for (const match of book.matches())
      if (['matched', 'returned'].includes(match.state)) {
        score.matched += 1;
        for (const key of match.lines) {
          const {role, payments, world} = truth.get(key)!;
          const isTrue = role === roleOf(match) && payments.join() === match.payments.join();
          if (!isTrue)
            score.wrong.push(
              `seed ${world.seed} (${world.dialect}), line ${key}: ${match.rule} ${match.payments.join()}, really ${role} ${payments.join()}`,
            );
        }
      }
    const states = new Map([...book.payments()].map(({payment: {key}, state}) => [key, state]));
    for (const {seed, dialect, lines, provable, provablyReturned} of worlds) {
      score.worlds += 1;
      score.lines += lines.length;
      score.provable += provable.size;
      for (const key of provable) {
        const wanted = provablyReturned.has(key) ? ['returned'] : ['matched', 'returned'];
        if (!wanted.includes(states.get(key)!))
          score.missed.push(`seed ${seed} (${dialect}), payment ${key}: ${states.get(key)}`);
      }
    }
  });
}

const roleOf = ({state}: Match) => (state === 'returned' ? 'returned' : 'paid');
