import {hasFailed, wasCanceled} from '../../contract/lifecycle.ts';
import {capital, counted} from '../../phrases.ts';
import {accepting} from '../../batch/model/accept.ts';
import {KINDS} from '../../batch/model/kinds.ts';
import type {Attention} from '../../batch/journal/rows/attention.ts';
import {BUCKETS, DIFFERS_CODE, wasReadAsOther} from '../../batch/model/outcome.ts';
import type {Summary} from '../../batch/standing/summary.ts';
import {canceledText, checkText, incompleteText} from '../../batch/standing/end-words.ts';
import {paidAgainText, type ReturnedRow, type SummaryWithReturns} from '../../batch/report/returned.ts';
import {formatMajor, groupMajor} from '../../money/amount.ts';
import {typingFor} from '../../batch/standing/next-command.ts';
import type {CommandBuilder} from '../../errors.ts';

interface Shown {
  isRun?: boolean;
  /** The command has just written the results, with the returned rows in failed.csv. */
  isReport?: boolean;
  /** Rows that the bank has returned, if that is known. */
  returned?: readonly ReturnedRow[];
}

/**
 * The end of a run for people: what happened, what did not, where it is written, and what to type next.
 * @param isRun the command could have sent requests; if it sent none, the headline says so
 */
export function summaryText(
  summary: SummaryWithReturns,
  attention: readonly Attention[],
  commands: CommandBuilder,
  {isRun = false, isReport = false, returned = []}: Shown = {},
): string {
  const type = typing(commands, summary);
  const named = needingAttention(summary, attention);
  const lines = [headline(summary, isRun, returned), '', ...bucketLines(summary)];
  if (named.length > 0) lines.push('', 'Needs attention:', ...attentionLines(summary, named, type('report')));
  lines.push(...returnedLines(returned), ...orphanLines(summary, commands));
  lines.push('');
  if (summary.results !== null) lines.push(`Results  ${summary.results}`);
  lines.push(...failedLines(summary, commands, isReport ? unwrittenReturns(returned) : 0));
  const isWritten = isReport && summary.next === type('report');
  if (summary.next !== null && !isWritten) lines.push(`Next     ${summary.next}`);
  lines.push(...methodLines(summary, named, commands));
  lines.push(...restLines(summary, type));
  if (named.some(({state, code}) => state === 'accepted' && code === DIFFERS_CODE))
    lines.push(
      'Checked  once a row was compared with its record, and was paid once, record that:',
      `         ${type('resolve', 'REFERENCE', '--paid', 'ID')}`,
    );
  if (named.some(wasReadAsOther))
    lines.push(
      'Differ   compare these records with their rows; this reads them again:',
      `         ${type('status', '--refresh')}`,
    );
  return lines.join('\n');
}

/** Counts and sums: planned and accepted, and what else is not zero. */
function bucketLines(summary: SummaryWithReturns): string[] {
  const buckets = ['planned', ...BUCKETS] as const;
  const lines = buckets
    .filter((bucket) => bucket === 'planned' || bucket === 'accepted' || summary[bucket] > 0)
    .map((bucket) => {
      const sums = Object.entries(summary.totals).map(
        ([currency, totals]) => `${groupMajor(totals[bucket]).padStart(amountWidth(summary))} ${currency}`,
      );
      return `  ${labelOf(summary, bucket).padEnd(12)}${String(summary[bucket]).padStart(9)}  ${sums.join('  ')}${partsOf(summary, bucket)}`;
    });
  if (summary.left_out > 0)
    lines.push(`  ${'left out'.padEnd(12)}${String(summary.left_out).padStart(9)}  with errors, not planned`);
  return lines;
}

/** Rows that a stopped run has not sent are not a problem: the next run sends them. */
const isStopped = ({stopped_because: why, state}: SummaryWithReturns): boolean =>
  why !== null || state === 'interrupted';

/** Without rows that are as intended: those that a stopped run has not sent, and those of a canceled batch. */
function needingAttention(summary: SummaryWithReturns, rows: readonly Attention[]): readonly Attention[] {
  const isCanceled = summary.state === 'canceled';
  return rows.filter(
    ({state}) =>
      (!(isStopped(summary) || isCanceled) || state !== 'not_sent') && !(isCanceled && state === 'dead_key'),
  );
}

/** @param report the command that writes all rows to a file */
function attentionLines(summary: SummaryWithReturns, named: readonly Attention[], report: string): string[] {
  const lines = named.map((row) => {
    const {reference, state, code, message} = row;
    const words = [
      `${stateText(row)}${code === null ? '' : `, ${code}`}`,
      ...(message === null ? [] : [message]),
    ];
    return `  ${reference}: ${state === 'staged' ? message : words.join(': ')}`; // why it was not released
  });
  const more = attentionTotal(summary, named) - named.length;
  // A process that was killed has written no results.
  const where = summary.results === null ? `; ${report} writes all of them to a file` : ' in the results';
  return more > 0 ? [...lines, `  … ${more} more${where}`] : lines;
}

function attentionTotal(summary: SummaryWithReturns, named: readonly Attention[]): number {
  const isCanceled = summary.state === 'canceled';
  // A row that may be paid twice is counted again if its known record has failed.
  const countedTwice = named.filter(({code, state}) => code === DIFFERS_CODE && state === 'failed').length;
  return (
    summary.rejected +
    summary.unapproved +
    (isCanceled ? summary.conflict - (summary.canceled ?? 0) : summary.conflict) +
    summary.in_doubt +
    (isStopped(summary) || isCanceled ? 0 : summary.not_sent) +
    summary.held +
    (summary.differs ?? 0) + // absent from a status of an earlier version
    (summary.failed - countedTwice) +
    (!isStopped(summary) && named.some(({state}) => state === 'staged') ? summary.staged - summary.held : 0)
  );
}

/** The file remains until the next report, even if another batch has since paid its rows. */
function failedLines(summary: SummaryWithReturns, commands: CommandBuilder, returned: number): string[] {
  const {failed_file: file, kind, left_out, rejected, failed, next} = summary;
  const isPaidElsewhere = left_out === 0 && next !== null && RECORDS.test(next);
  if (file === null || rejected + failed + left_out + returned === 0 || isPaidElsewhere) return [];
  return [
    `Failed   ${file}: correct it and run it as a separate batch`,
    `         ${commands.write(KINDS[kind].topic, 'batch', 'run', file)}`,
  ];
}

/** The command that records a payment of another batch: it is the next one only if no failed row is left to send. */
const RECORDS = / batch resolve .* --paid /;

/** A retry is refused in the same way while the payee has no usable payment method. */
function methodLines({kind}: Summary, named: readonly Attention[], commands: CommandBuilder): string[] {
  const row = named.find(({state, code}) => state === 'rejected' && code === 'INVALID_PAYMENT_DETAILS');
  if (row === undefined) return [];
  const who = kind === 'payout' ? 'payee' : 'payer';
  return [
    `Methods  a ${who} without a usable payment method needs one first (payment-methods add):`,
    `         ${commands.read('payment-methods', 'list', `--${who}`, row.party)}`,
  ];
}

/** If a key was refused and no record is known, or the registry knows how it ended, the message says the rest. */
function stateText({state, code, status, message}: Attention): string {
  if (state !== 'dead_key') return state.replace('_', ' ');
  if (code === null && wasCanceled(status)) return 'canceled';
  if (code === null && hasFailed(status)) return 'in conflict, its record has failed';
  return code === null && message === null
    ? 'in conflict, its record has failed or was canceled'
    : 'in conflict';
}

/** Maximum number of orphaned records that are named; the report lists all of them. */
const ORPHANS = 10;

/**
 * Records whose key the service had forgotten, so that it created a second one. Canceling the batch does not affect
 * them, so each is listed with the command that cancels it by id.
 */
function orphanLines({kind, orphans}: Summary, commands: CommandBuilder): string[] {
  if (orphans.length === 0) return [];
  const command = (id: string) => commands.write(KINDS[kind].topic, 'cancel', id);
  const shown = orphans.slice(0, ORPHANS);
  return [
    '',
    'Records left behind, not approved. Do not approve them; cancel those that are still created:',
    ...shown.map(({reference, id}) => `  ${reference}: ${command(id)}`),
    ...(orphans.length > ORPHANS ? [`  … ${orphans.length - ORPHANS} more in the report`] : []),
  ];
}

/** A release can try the missing rows again or continue without them: the one that `next` does not do. */
function restLines(
  {state, staged, held, not_sent: unsent, in_doubt: doubts, next}: Summary,
  type: ReturnType<typeof typing>,
): string[] {
  const missing = state === 'held' ? unsent : state === 'staged' ? unsent + doubts : 0;
  if (missing === 0 || staged === held) return [];
  const command = type('release', ...accepting('rest'));
  const again = type('resume');
  const them = missing === 1 ? 'it' : 'them';
  if (command === next) return unsent === 0 ? [] : [`To try ${them} again first:`, `         ${again}`];
  if (state === 'staged' && again !== next) return [];
  return [`To release the others without ${them}:`, `         ${command}`];
}

const typing = (commands: CommandBuilder, {kind, batch_id: batchId}: Summary) =>
  typingFor(commands, {kind, batchId});

/** Rows whose record was canceled count as conflicts; if there are no others, their line says so. */
const isAllCanceled = ({conflict, canceled}: Summary): boolean => conflict > 0 && canceled === conflict;

const labelOf = (summary: Summary, bucket: string): string =>
  bucket === 'conflict' && isAllCanceled(summary) ? 'canceled' : bucket.replace('_', ' ');

function partsOf(summary: SummaryWithReturns, bucket: string): string {
  if (bucket === 'staged' && summary.held > 0) return `  (${summary.held} held: their record differs)`;
  if (bucket === 'conflict' && !isAllCanceled(summary) && (summary.canceled ?? 0) > 0)
    return `  (${summary.canceled} canceled)`;
  if (bucket === 'already_paid' && (summary.replaced ?? 0) > 0)
    return `  (${summary.replaced} replaced by a different payment: the row's amount)`;
  if (bucket !== 'accepted') return '';
  const {settled, failed, returned = 0, differs = 0, maybe_paid_twice: twice = 0} = summary; // absent from a status of an earlier version
  const back = returned === 0 ? [] : [`${returned} returned`];
  const parts = [
    ...(settled + failed === 0 ? back : [`${settled} settled`, ...back, `${failed} failed when last read`]),
    ...(twice === 0 ? [] : [`${twice} that may be paid twice`]),
    ...(differs === twice ? [] : [`${differs - twice} with a record that differs`]),
  ];
  return parts.length === 0 ? '' : `  (${parts.join(', ')})`;
}

const amountWidth = (summary: Summary): number =>
  Math.max(...Object.values(summary.totals).map(({planned}) => groupMajor(planned).length));

const READ_SINCE =
  'The records were read since: every row is paid by its own. Find out what mixes up the answers, such as a proxy, before the next run.';

/** Rows that are listed as returned. */
const RETURNED = 10;

const openReturns = (returned: readonly ReturnedRow[]): number =>
  returned.filter(({paidAgainBy}) => paidAgainBy === undefined).length;
const unwrittenReturns = (returned: readonly ReturnedRow[]): number =>
  returned.filter(({paidAgainBy, heldBy}) => paidAgainBy === undefined && heldBy === undefined).length;

function returnedLines(returned: readonly ReturnedRow[]): string[] {
  if (returned.length === 0) return [];
  const shown = returned.slice(0, RETURNED).map((row) => {
    const money = `${groupMajor(formatMajor(BigInt(row.amount), row.currency))} ${row.currency}`;
    const again = paidAgainText(row).map((text) => `; ${text}`);
    const code = row.code === undefined ? '' : `, ${row.code}`;
    return `  ${row.reference}: ${money} on ${row.day}${code}${again.join('')}`;
  });
  const more = returned.length - shown.length;
  return [
    '',
    'Returned by the bank:',
    ...shown,
    ...(more > 0 ? [`  … ${more} more in the results of report`] : []),
  ];
}

function headline(summary: SummaryWithReturns, isRun: boolean, returned: readonly ReturnedRow[]): string {
  const {batch_id: id, state, planned, stopped_because: stop} = summary;
  const paid = summary.already_paid === 0 ? '' : `, ${summary.already_paid} paid by another batch`;
  const check = checkText(summary);
  const of = `${summary.accepted} of ${counted(planned, 'row')} accepted${paid}${check === '' ? '' : `; ${check}`}`;
  const sent =
    summary.posts === 0
      ? ''
      : ` (${counted(summary.posts, 'request')} in ${(summary.elapsed_ms / 1000).toFixed(1)} s)`;
  const end = isRun && summary.posts === 0 ? '; this command sent nothing' : sent;
  switch (state) {
    case 'complete':
      return `Batch ${id} is complete: ${of}${end}.${isRun && stop?.reason === 'collision' ? `\n${capital(stop.message)}. ${READ_SINCE}` : ''}`;
    case 'incomplete': {
      const open = openReturns(returned);
      const back = open === 0 ? '' : `; ${open} returned by the bank`;
      const unknown = summary.returns_unknown === true ? '; what the bank has returned is not known' : '';
      return `Batch ${id} is not complete: ${incompleteText(summary)}${back}${unknown}${end}.`;
    }
    case 'canceled':
      return `Batch ${id} is canceled: ${canceledText(summary)}${sent}.`;
    case 'staged':
      return summary.accepted + summary.in_doubt === 0
        ? `Batch ${id} is staged: ${counted(summary.staged, 'record')} created, none released; no money has moved${sent}.`
        : `Batch ${id} is staged: ${counted(summary.staged, 'record')} created and not released, ${counted(summary.accepted, 'row')} already released${summary.in_doubt === 0 ? '' : `, ${counted(summary.in_doubt, 'row')} in doubt`}${sent}.`;
    case 'held':
      return `Batch ${id} is held: ${incompleteText(summary)}${summary.not_sent > 0 ? ' (run tries again)' : ''}${end}.`;
    case 'planned':
      return `Batch ${id} is planned: ${counted(planned, 'row')}, nothing was sent.`;
    case 'running':
      return `Batch ${id} is running: ${of}.`;
    case 'interrupted':
    case 'stopped':
      return `Batch ${id} was ${state === 'stopped' ? 'stopped' : 'interrupted'}${stop === null ? ' before it was complete' : `: ${stop.message}`}\n${of}${sent}.`;
  }
}

/** Always printed to stderr, also for scripts: a complete batch may not be the whole file. */
export const leftOutText = ({left_out: rows, failed_file: file}: Summary): string =>
  `${counted(rows, 'row')} with errors left out of this batch, not sent${file === null ? '' : `: ${file}`}`;

/**
 * The rows that an interrupted run leaves in doubt. Of many, the first are named, with the command that writes them
 * all to a file.
 */
export function doubtsText(summary: Summary, named: readonly string[], commands: CommandBuilder): string {
  const report = typing(commands, summary)('report');
  const more =
    summary.in_doubt > named.length
      ? `, and ${summary.in_doubt - named.length} more (${report} writes all of them to a file)`
      : '';
  const them = summary.in_doubt === 1 ? 'it' : 'them';
  return `${counted(summary.in_doubt, 'row')} in doubt (the service may have accepted ${them}): ${named.join(', ')}${more}. ${/ batch (?:run|resume) /.test(summary.next ?? '') ? 'To find out' : `Resolve ${them} with`}: ${summary.next}`;
}
