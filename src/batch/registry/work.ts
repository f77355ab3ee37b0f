import {byName} from '../../narrow.ts';
import type {Tally} from '../model/tally.ts';
import type {Journal} from '../journal/journal.ts';
import type {RowWithOutcome} from '../journal/rows/row.ts';
import {type Bucket, bucketOf, BUCKETS} from '../model/outcome.ts';
import {pagesOf} from '../model/pages.ts';
import {addRow, emptyPart, minus, type Part, plus} from '../model/part.ts';
import type {Survey} from './survey.ts';
import type {RunPath} from '../model/run-path.ts';
import type {Plan} from '../model/plan-facts.ts';

/** What a command will do with the rows of a batch, as far as this is known beforehand. */
export interface Work {
  planned: number;
  /** Rows that it processes; their money may move. */
  open: Part;
  /** How many of those are in doubt. They are resolved, and may already have been paid. */
  doubts: number;
  /** Rows that this batch has released. */
  done: Part;
  /** If the command does no more than staging: the rows already staged. */
  staged: Part;
  /** Rows that were paid before and are skipped. */
  paidBefore: Part;
  /** The batches that paid them, if the registry still lists them. */
  paidBy: ReadonlyMap<string, Part>;
  /** Rows that it leaves unchanged. */
  left: Part;
  /** Those rows by reason: `rejected`, `conflict`, `in doubt`, `held`, `unapproved`, `not sent`. */
  leftAre: readonly string[];
  /** No command could send anything more: the run will only report the state of the batch. */
  isOver: boolean;
}

/** Which rows a command processes. */
export interface Reach {
  path: RunPath;
  acceptDifferences: boolean;
  /** Held rows are compared again, and those that agree are released. */
  comparesHeld: boolean;
  retryUnapproved: boolean;
}

const PAGE = 1000;

/** Derives the work of a command from the state of the rows and the registry. */
export function workOf(options: {
  journal: Journal;
  plan: Plan;
  survey: Survey;
  reach: Reach;
  /** Rows that a retry sends again; they are counted separately. */
  taken?: readonly RowWithOutcome[];
}): Work {
  const {journal, plan, survey, reach} = options;
  const parts = partsOf(shifted(journal.standingOf(plan).tally, survey.shifts));
  for (const row of options.taken ?? []) {
    const bucket = bucketOf(row.outcome.state);
    const one = emptyPart();
    addRow(one, row);
    parts[bucket] = minus(parts[bucket], one);
  }
  const held = heldRows(journal, 'recorded');
  // A record that does not show what it pays is only released after another comparison.
  const acceptable = reach.comparesHeld ? held : heldRows(journal, 'releasable');
  const {staged, unapproved} = parts;
  const doubts = minus(parts.in_doubt, survey.disputed);
  const ready = minus(staged, held);
  const creates = reach.path !== 'release';
  const releases = reach.path !== 'stage-only';
  const releasesHeld = reach.acceptDifferences || reach.comparesHeld;
  const open = plus([
    ...(creates ? [parts.not_sent] : []),
    doubts,
    ...(releases ? [ready] : []),
    ...(releases && releasesHeld ? [acceptable] : []),
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
      ...(releases && held.rows > (releasesHeld ? acceptable.rows : 0) ? ['held'] : []),
      ...(releases && !reach.retryUnapproved && unapproved.rows > 0 ? ['unapproved'] : []),
      ...(!creates && parts.not_sent.rows > 0 ? ['not sent'] : []),
    ],
    isOver: plus([parts.not_sent, doubts, staged, unapproved]).rows === 0,
  };
}

type Parts = Record<Bucket, Part>;

/** The tally as it will be once the registry's decisions are written. */
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
  byName(BUCKETS, (bucket) => ({rows: tally[bucket].count, totals: tally[bucket].totals}));

/** Part of the staged rows: those whose record differs from the plan. */
function heldRows({rows}: Journal, which: 'recorded' | 'releasable'): Part {
  const held = emptyPart();
  for (const page of pagesOf((after, limit) => rows[which](['held'], after, limit), PAGE))
    for (const row of page) addRow(held, row);
  return held;
}
