import {accepting} from '../../batch/model/accept.ts';
import {KINDS} from '../../batch/model/kinds.ts';
import type {Attention} from '../../batch/journal/rows/attention.ts';
import {BUCKETS} from '../../batch/model/outcome.ts';
import type {Summary} from '../../batch/standing/summary.ts';
import {canceledText, incompleteText} from '../../batch/standing/end-words.ts';
import {groupMajor} from '../../money/amount.ts';
import {must} from '../../narrow.ts';
import {shellWord} from '../../shell-word.ts';
import {batchCommand, type Placed} from '../../batch/standing/placed.ts';
import {count} from './plan/view.ts';

/**
 * The end of a run for people: what happened, what did not, where it is written, and what to type next.
 * @param placed the flags that a command needs to find the state folder and the profile
 */
export function summaryText(summary: Summary, attention: readonly Attention[], placed: Placed): string {
  const lines = [headline(summary), ''];
  const buckets = ['planned', ...BUCKETS] as const;
  const shown = buckets.filter(
    (bucket) => bucket === 'planned' || bucket === 'accepted' || summary[bucket] > 0,
  );
  const currencies = Object.keys(summary.totals);
  for (const bucket of shown) {
    const sums = currencies.map(
      (currency) =>
        `${groupMajor(must(summary.totals[currency], `total in ${currency}`)[bucket]).padStart(amountWidth(summary))} ${currency}`,
    );
    lines.push(
      `  ${bucket.replace('_', ' ').padEnd(12)}${String(summary[bucket]).padStart(9)}  ${sums.join('  ')}${partsOf(summary, bucket)}`,
    );
  }
  if (summary.left_out > 0)
    lines.push(`  ${'left out'.padEnd(12)}${String(summary.left_out).padStart(9)}  with errors, not planned`);
  // Rows that a stopped run has not sent are not a problem: the next run sends them.
  const isStopped = summary.stopped_because !== null;
  // Nor are the rows of a canceled batch that are in their intended state.
  const isCanceled = summary.state === 'canceled';
  const named = attention.filter(
    ({state}) =>
      (!(isStopped || isCanceled) || state !== 'not_sent') && !(isCanceled && state === 'dead_key'),
  );
  if (named.length > 0) {
    const total =
      summary.rejected +
      summary.unapproved +
      (isCanceled ? summary.conflict - (summary.canceled ?? 0) : summary.conflict) +
      summary.in_doubt +
      (isStopped || isCanceled ? 0 : summary.not_sent) +
      summary.held +
      (summary.differs ?? 0) + // absent from a status of an earlier version
      summary.failed +
      (!isStopped && named.some(({state}) => state === 'staged') ? summary.staged - summary.held : 0);
    lines.push('', 'Needs attention:');
    for (const row of named) {
      const {reference, state, code, message} = row;
      const words = [
        `${stateText(row)}${code === null ? '' : `, ${code}`}`,
        ...(message === null ? [] : [message]),
      ];
      lines.push(`  ${reference}: ${state === 'staged' ? message : words.join(': ')}`); // why it was not released
    }
    if (total > named.length) lines.push(`  … ${total - named.length} more in the results`);
  }
  lines.push(...orphanLines(summary, placed));
  lines.push('');
  if (summary.results !== null) lines.push(`Results  ${summary.results}`);
  // The file remains until the next report, even if another batch has since paid its rows.
  if (summary.failed_file !== null && summary.rejected + summary.failed + summary.left_out > 0)
    lines.push(
      `Failed   ${summary.failed_file}: correct it and run it as a separate batch`,
      `         ${failedCommand(summary, summary.failed_file, placed.flags)}`,
    );
  if (summary.next !== null) lines.push(`Next     ${summary.next}`);
  lines.push(...restLines(summary, placed));
  return lines.join('\n');
}

/** If a key was refused and no record is known, the state of its record is in the message. */
const stateText = ({state, code}: Attention): string => {
  if (state !== 'dead_key') return state.replace('_', ' ');
  return code === null ? 'in conflict, its record has failed or was canceled' : 'in conflict';
};

/** Maximum number of orphaned records that are named; the report lists all of them. */
const ORPHANS = 10;

/**
 * Records whose key the service had forgotten, so that it created a second one. Canceling the batch does not affect
 * them, so each is listed with the command that cancels it by id.
 */
function orphanLines({kind, mode, orphans}: Summary, {profile}: Placed): string[] {
  if (orphans.length === 0) return [];
  const command = (id: string) =>
    `remit ${KINDS[kind].topic} cancel ${shellWord(id)}${mode === 'live' ? ' --live' : ''}${profile}`;
  const shown = orphans.slice(0, ORPHANS);
  return [
    '',
    'Records left behind, not approved. Do not approve them; cancel those that are still created:',
    ...shown.map(({reference, id}) => `  ${reference}: ${command(id)}`),
    ...(orphans.length > ORPHANS ? [`  … ${orphans.length - ORPHANS} more in the report`] : []),
  ];
}

/** A held batch can try the missing rows again or continue without them: the one that `next` does not do. */
function restLines(
  {kind, batch_id: id, mode, state, staged, held, not_sent: missing, next}: Summary,
  {flags}: Placed,
): string[] {
  if (state !== 'held' || missing === 0 || staged === held) return [];
  const live = mode === 'live' ? ' --live' : '';
  const command = `${batchCommand(kind)} release ${shellWord(id)} ${accepting('rest').join(' ')}${live}${flags}`;
  if (command === next)
    return [
      `To try ${missing === 1 ? 'it' : 'them'} again first:`,
      `         ${batchCommand(kind)} resume ${shellWord(id)}${live}${flags}`,
    ];
  return [`To release the others without ${missing === 1 ? 'it' : 'them'}:`, `         ${command}`];
}

function failedCommand({kind, mode}: Summary, file: string, placed: string): string {
  const live = mode === 'live' ? ' --live' : '';
  return `${batchCommand(kind)} run ${shellWord(file)}${live}${placed}`;
}

function partsOf(summary: Summary, bucket: string): string {
  if (bucket === 'staged' && summary.held > 0) return `  (${summary.held} held: their record differs)`;
  if (bucket === 'conflict' && (summary.canceled ?? 0) > 0) return `  (${summary.canceled} canceled)`;
  if (bucket !== 'accepted' || summary.settled + summary.failed === 0) return '';
  return `  (${summary.settled} settled, ${summary.failed} failed)`;
}

const amountWidth = (summary: Summary): number =>
  Math.max(...Object.values(summary.totals).map(({planned}) => groupMajor(planned).length));

function headline(summary: Summary): string {
  const {batch_id: id, state, planned, stopped_because: stop} = summary;
  const paid = summary.already_paid === 0 ? '' : `, ${summary.already_paid} paid by another batch`;
  const of = `${summary.accepted} of ${count(planned, 'row')} accepted${paid}`;
  const sent =
    summary.posts === 0
      ? ''
      : ` (${count(summary.posts, 'request')} in ${(summary.elapsed_ms / 1000).toFixed(1)} s)`;
  const end = summary.posts === 0 ? '; this command sent nothing' : sent;
  switch (state) {
    case 'complete':
      return `Batch ${id} is complete: ${of}${end}.`;
    case 'incomplete':
      return `Batch ${id} is not complete: ${incompleteText(summary)}${end}.`;
    case 'canceled':
      return `Batch ${id} is canceled: ${canceledText(summary)}${sent}.`;
    case 'staged':
      return summary.accepted + summary.in_doubt === 0
        ? `Batch ${id} is staged: ${count(summary.staged, 'record')} created, none released; no money has moved${sent}.`
        : `Batch ${id} is staged: ${count(summary.staged, 'record')} created and not released, ${count(summary.accepted, 'row')} already released${summary.in_doubt === 0 ? '' : `, ${count(summary.in_doubt, 'row')} in doubt`}${sent}.`;
    case 'held':
      return `Batch ${id} is held: ${of}; ${summary.not_sent > 0 ? `${count(summary.not_sent, 'row')} could not be sent and ${summary.not_sent === 1 ? 'holds' : 'hold'} the release (resume tries again)` : `${count(summary.staged, 'row')} not released`}${sent}.`;
    case 'planned':
      return `Batch ${id} is planned: ${count(planned, 'row')}, nothing was sent.`;
    case 'running':
      return `Batch ${id} is running: ${of}.`;
    case 'interrupted':
    case 'stopped':
      return `Batch ${id} was ${state === 'stopped' ? 'stopped' : 'interrupted'}${stop === null ? ' before it was complete' : `: ${stop.message}`}\n${of}${sent}.`;
  }
}

/** Always printed to stderr, also for scripts: a complete batch may not be the whole file. */
export const leftOutText = ({left_out: rows, failed_file: file}: Summary): string =>
  `${count(rows, 'row')} with errors left out of this batch, not sent${file === null ? '' : `: ${file}`}`;

/**
 * The rows that an interrupted run leaves in doubt. Of many, the first are named, with the command that lists them
 * all.
 */
export function doubtsText(summary: Summary, named: readonly string[], placeFlags = ''): string {
  const report = `${batchCommand(summary.kind)} report ${summary.batch_id}${placeFlags}`;
  const more =
    summary.in_doubt > named.length
      ? `, and ${summary.in_doubt - named.length} more (${report} lists all of them)`
      : '';
  return `${count(summary.in_doubt, 'row')} in doubt (the service may have accepted them): ${named.join(', ')}${more}. Resolve them with: ${summary.next}`;
}
