import {grouped} from '../../html/chart.ts';
import type {ReportData, RowTrouble} from './data.ts';
import {typingFor} from '../standing/next-command.ts';
import {count, NOUNS, troubleWords} from './words.ts';

/** One step to do; words in backquotes are commands. */
export interface Step {
  label: string | null;
  text: string;
}

/**
 * The order in which the steps can be done: first rows with an unknown outcome, because they hold the release of
 * others; then the release; then checking statuses; then sending rows again; decisions last.
 */
const ORDER: readonly (RowTrouble | 'underway')[] = [
  'collision',
  'in_doubt',
  'not_sent',
  'held',
  'unapproved',
  'underway',
  'unclear',
  'failed',
  'returned',
  'rejected',
  'dead_key',
  'conflict',
  'differs',
];

/** Nothing of a canceled batch is sent again; only decisions and status checks are left. */
const LEFT_WHEN_CANCELED: ReadonlySet<RowTrouble | 'underway'> = new Set([
  ...(['collision', 'underway', 'unclear', 'returned', 'conflict', 'differs'] as const),
]);

/**
 * What to do next, in an order that works. The next command of the summary comes first, unless another step has it.
 */
export function stepsOf({summary, troubles, plan, commands, isHeld, file}: ReportData): Step[] {
  const type = typingFor(commands, plan);
  const again = type('report', '--html', ...(file === undefined ? [] : [file]));
  if (isHeld) {
    const text = `Another process was using the batch. Its progress: \`${type('status')}\`. Once it has ended, write this report again: \`${again}\`.`;
    return [{label: null, text}];
  }
  const {next, settled, failed, accepted} = summary;
  const open = accepted - settled - failed;
  const isCanceled = summary.state === 'canceled';
  const steps = ORDER.filter((name) => !isCanceled || LEFT_WHEN_CANCELED.has(name)).flatMap(
    (name): Step[] => {
      if (name === 'underway') return open > 0 ? [underway(open)] : [];
      const group = troubles.find(({trouble}) => trouble === name);
      if (group === undefined) return [];
      const words = troubleWords(name, plan, commands);
      return [{label: `${words.label} (${grouped(group.count)})`, text: words.next}];
    },
  );
  const isNamed = next === null || steps.some(({text}) => text.includes(`\`${next}\``));
  return isNamed ? steps : [{label: null, text: `Continue with \`${next}\`.`}, ...steps];

  function underway(n: number): Step {
    const {one} = NOUNS[plan.kind];
    const are = `${count(n, one)} ${n === 1 ? 'is' : 'are'} still under way`;
    return {
      label: null,
      text: `${are}. To update this report: \`${type('status', '--refresh')}\`, then \`${again}\`.`,
    };
  }
}
