import type {Tally} from '../model/tally.ts';
import type {Journal} from '../journal/journal.ts';
import type {JournalRow} from '../journal/row.ts';
import {type Bucket, bucketOf, BUCKETS} from '../model/outcome.ts';
import {addRow, emptyPart, minus, type Part, plus} from '../model/part.ts';
import type {Survey} from './survey.ts';
import type {RunPath} from '../model/run-path.ts';
import type {Plan} from '../model/plan-facts.ts';

/** What one command will do with the rows of a batch, as far as can be known before it does it. */
export interface Work {
  planned: number;
  /** Rows that it takes up: their money may move. */
  open: Part;
  /** How many of those are in doubt: they are settled, and may have been paid. */
  doubts: number;
  /** Rows that this batch has released, … */
  done: Part;
  /** … and, where the command does no more than that, those that it has staged. */
  staged: Part;
  /** Rows that were paid before, and are skipped … */
  paidBefore: Part;
  /** … by the batches that paid them, where the registry still says so. */
  paidBy: ReadonlyMap<string, Part>;
  /** Rows that it leaves alone, … */
  left: Part;
  /** … which are these: `rejected`, `conflict`, `in doubt`, `held`, `unapproved`, `not sent`. */
  leftAre: readonly string[];
  /** Nothing is left that any command could send: the run will only tell how the batch stands. */
  isOver: boolean;
}

/** Which rows a command takes up. */
export interface Reach {
  path: RunPath;
  acceptDifferences: boolean;
  retryUnapproved: boolean;
}

const PAGE = 1000;

/** Reads the work of a command out of where the rows stand and what the registry says of them. */
export function workOf(options: {
  journal: Journal;
  plan: Plan;
  survey: Survey;
  reach: Reach;
  /** Rows that a retry takes up: they are counted by themselves. */
  taken?: readonly JournalRow[];
}): Work {
  const {journal, plan, survey, reach} = options;
  const parts = partsOf(shifted(journal.standingOf(plan).tally, survey.shifts));
  for (const row of options.taken ?? []) {
    const bucket = bucketOf(row.outcome!.state);
    const one = emptyPart();
    addRow(one, row);
    parts[bucket] = minus(parts[bucket], one);
  }
  const held = heldRows(journal);
  const {staged, unapproved} = parts;
  const doubts = minus(parts.in_doubt, survey.disputed);
  const ready = minus(staged, held);
  const creates = reach.path !== 'release';
  const releases = reach.path !== 'stage-only';
  const open = plus([
    ...(creates ? [parts.not_sent] : []),
    doubts,
    ...(releases ? [ready] : []),
    ...(releases && reach.acceptDifferences ? [held] : []),
    ...(releases && reach.retryUnapproved ? [unapproved] : []),
  ]);
  const done = parts.accepted;
  const waiting = releases ? emptyPart() : plus([staged, unapproved]);
  const all = plus(BUCKETS.map((bucket) => parts[bucket]));
  return {
    planned: plan.figures.rows,
    open,
    doubts: doubts.rows,
    done,
    staged: waiting,
    paidBefore: parts.already_paid,
    paidBy: survey.paidBy,
    left: [open, done, waiting, parts.already_paid].reduce(minus, all),
    leftAre: [
      ...(parts.rejected.rows > 0 ? ['rejected'] : []),
      ...(parts.conflict.rows > 0 ? ['conflict'] : []),
      ...(survey.disputed.rows > 0 ? ['in doubt'] : []),
      ...(releases && !reach.acceptDifferences && held.rows > 0 ? ['held'] : []),
      ...(releases && !reach.retryUnapproved && unapproved.rows > 0 ? ['unapproved'] : []),
      ...(!creates && parts.not_sent.rows > 0 ? ['not sent'] : []),
    ],
    isOver: plus([parts.not_sent, doubts, staged, unapproved]).rows === 0,
  };
}

type Parts = Record<Bucket, Part>;

/** The tally as it will be once the registry's word is written down. */
function shifted(tally: Tally, shifts: Survey['shifts']): Tally {
  for (const {from, to, part} of shifts.values()) {
    tally[from].count -= part.rows;
    tally[to].count += part.rows;
    for (const [currency, minor] of part.totals.entries()) {
      tally[from].totals.subtract(currency, minor);
      tally[to].totals.add(currency, minor);
    }
  }
  return tally;
}

const partsOf = (tally: Tally): Parts =>
  Object.fromEntries(
    BUCKETS.map((bucket) => [bucket, {rows: tally[bucket].count, totals: tally[bucket].totals}]),
  ) as Parts; // one per bucket

/** Part of the staged rows: those whose record differs from the plan. */
function heldRows(journal: Journal): Part {
  const held = emptyPart();
  for (let after = 0; ;) {
    const page = journal.rows.recorded(['held'], after, PAGE);
    for (const row of page) addRow(held, row);
    if (page.length < PAGE) return held;
    after = page.at(-1)!.n;
  }
}
