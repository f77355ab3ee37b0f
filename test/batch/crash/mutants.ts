import {FAULTS, breakDisk} from './disk-faults.ts';
import {killAtInstant, type Way} from './kills.ts';
import type {Patch} from './patches.ts';
import {loseState, runTwiceOnOneState} from './runners.ts';

/** An engine that is wrong on purpose, and the check that must find it out. */
export interface Mutant {
  name: string;
  patches: readonly Patch[];
  /** Rejects when the mutant is caught. `turn` counts the tries. */
  check: (program: string, way: Way, turn: number) => Promise<unknown>;
}

const killedAtPost = (program: string, way: Way, turn: number) =>
  killAtInstant(program, way, {posts: 3 + 5 * turn});
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the window is committed after the send',
    patches: [
      {
        text: 'journal.openWindow(',
        becomes: '((...late) => void setTimeout(() => journal.openWindow(...late), 20))(',
      },
    ],
    check: killedAtPost,
  },
  {
    name: 'rows are claimed after the send',
    patches: [
      {
        text: 'claims.claim(rows',
        becomes: '((...late) => void setTimeout(() => claims.claim(...late), 20))(rows',
      },
    ],
    check: killedAtPost,
  },
  {
    name: 'a run has keys of its own',
    patches: [
      {
        text: 'JSON.stringify([1, kind, mode, namespace])',
        becomes: 'JSON.stringify([1, kind, mode, namespace, process.pid])',
      },
    ],
    check: killedAtPost,
  },
  {
    name: 'a window that cannot be committed is sent all the same',
    patches: [
      {
        text: 'journal.openWindow(',
        becomes: '((...given) => { try { journal.openWindow(...given); } catch {} })(',
      },
    ],
    check: (program, way, turn) => breakDisk(program, way, FAULTS[0]!, 80 + 4 * turn),
  },
  {
    name: 'a status that cannot be written stops nothing',
    patches: [
      {
        text: "halt.stopFor('not-whole', 'the local state cannot be written');",
        becomes: '',
      },
    ],
    check: (program, way, turn) => breakDisk(program, way, FAULTS[3]!, 3 + turn),
  },
  {
    name: 'a lock that is held is taken all the same',
    patches: [
      {
        text: 'if (!abandoned) throw refusal(file.path, found, options);',
        becomes: 'void abandoned;',
      },
    ],
    check: runTwiceOnOneState,
  },
  {
    name: 'what is known of the rows is not written at the end',
    patches: [
      {
        text: 'this.#journal.record(outcome, this.#clock.now());\n    if (',
        becomes: 'if (',
      },
    ],
    check: (program, way) => loseState(program, way, 'registry', 10),
  },
];
