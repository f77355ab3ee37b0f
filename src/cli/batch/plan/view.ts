import {counted} from '../../../phrases.ts';
import type {IssueGroup} from '../../../batch/input/issue-groups.ts';
import {describeIssue} from '../../../batch/input/issues.ts';
import type {Mode} from '../../../contract/mode.ts';
import {KINDS} from '../../../batch/model/kinds.ts';
import type {PlannedBatch} from '../../../batch/plan/plan.ts';
import type {RevisionFacts} from '../../../batch/plan/revision.ts';
import {minus, type Part} from '../../../batch/model/part.ts';
import {type BankReturns, returnedText} from '../../../batch/report/returned.ts';
import {usualId} from '../../../contract/ids.ts';
import type {AlikeExample} from '../../../batch/registry/look-alikes.ts';
import type {Survey} from '../../../batch/registry/survey.ts';
import type {Work} from '../../../batch/registry/work.ts';
import {RemitError} from '../../../errors.ts';
import {groupMajor} from '../../../money/amount.ts';
import type {SeenAlike} from '../../../batch/registry/seen-alike.ts';
import {earlierText} from '../../../batch/registry/earlier-payments.ts';
import type {SeenRows, SeenBefore} from '../../../batch/registry/seen-before.ts';
import {type Plan, type PlanFigures, unlisted} from '../../../batch/model/plan-facts.ts';

/** What a plan means in the state folder, shown next to the plan. */
export interface PlanOutlook {
  /** References already used by other batches, or why they could not be compared; the plan is made in either case. */
  before: SeenBefore[] | RemitError;
  /** Rows of it that other batches have at the active service; only if a page is written. */
  held?: SeenRows['held'];
  /** Its look-alikes in other batches, by service. */
  alike: SeenAlike[];
  /** What to type next; null if the batch has run and needs nothing. */
  next: string | null;
  /** If the plan was confirmed and run, so that a run would only continue it: the rows that are left, in words. */
  left?: string;
}

/** What to check in a plan before anything is sent: counts, sums, the largest row, possible duplicates. */
export function planText(plan: Plan, facts: {mode?: Mode} = {}): string {
  const {figures} = plan;
  const party = KINDS[plan.kind].party.replace('_id', '');
  const revision = plan.revision > 1 ? `, revision ${plan.revision}` : '';
  const lines: [string, string][] = [['Rows', rowsText(plan)]];
  for (const [currency, total] of Object.entries(figures.totals))
    lines.push(['Total', `${groupMajor(total)} ${currency}`]);
  for (const {rail, rows, total, currency} of figures.rails)
    lines.push([
      'By rail',
      `${rail ?? '(the default)'}: ${counted(rows, 'row')}, ${groupMajor(total)} ${currency}`,
    ]);
  const {largest} = figures;
  lines.push(['Largest', `${groupMajor(largest.amount)} ${largest.currency} to ${party} ${largest.party}`]);
  lines.push(['', `${largest.reference}, ${plan.sheet === undefined ? 'line' : 'row'} ${largest.line}`]);
  if (figures.firstScheduled !== null)
    lines.push([
      'Scheduled',
      figures.firstScheduled === figures.lastScheduled
        ? figures.firstScheduled
        : `${figures.firstScheduled} to ${figures.lastScheduled}`,
    ]);
  const {softDuplicates, similarReferences} = figures;
  if (softDuplicates.count > 0) {
    lines.push([
      'Repeats',
      `${counted(softDuplicates.count, 'row')} with the ${party}, amount and currency of an earlier row:`,
    ]);
    for (const {references, amount, currency} of softDuplicates.examples)
      lines.push([
        '',
        `${groupMajor(amount)} ${currency}: ${references.join(', ')}${references.length === 4 ? ', …' : ''}`,
      ]);
    lines.push(
      ...moreLine(
        softDuplicates.count,
        softDuplicates.examples.map(({references}) => references),
      ),
    );
  }
  if (similarReferences.count > 0) {
    lines.push([
      'Similar',
      `${counted(similarReferences.count, 'reference')} that ${similarReferences.count === 1 ? 'differs' : 'differ'} from an earlier one only in case or spaces:`,
    ]);
    for (const references of similarReferences.examples) lines.push(['', references.join(', ')]);
    lines.push(...moreLine(similarReferences.count, similarReferences.examples));
  }
  lines.push(['Mode', facts.mode ?? 'depends on the key of the run']);
  lines.push([
    'Plan',
    `${plan.planHash.slice(0, 16)}${plan.namespace === 'default' ? '' : `, namespace ${plan.namespace}`}`,
  ]);
  const width = Math.max(...lines.map(([label]) => label.length)) + 2;
  return [
    `Batch ${plan.batchId}${revision}, from ${plan.file.name}${plan.sheet === undefined ? '' : `, sheet ${plan.sheet}`}`,
    ...lines.map(
      ([label, text], index) => `  ${(lines[index - 1]?.[0] === label ? '' : label).padEnd(width)}${text}`,
    ),
  ].join('\n');
}

function rowsText(plan: Plan): string {
  const left = [
    ...(plan.invalidRows > 0 ? [`${counted(plan.invalidRows, 'row')} with errors left out`] : []),
    ...(plan.emptyRecords > 0 ? [`${counted(plan.emptyRecords, 'empty row')} skipped`] : []),
  ];
  return `${plan.figures.rows}${left.length > 0 ? ` (${left.join(', ')})` : ''}`;
}

/** Up to this many errors with the same cause are listed individually. */
const LISTED = 3;

/** Errors of a file by cause: a few are listed individually; of many, one is shown with the lines of the others. */
export function issuesText(groups: readonly IssueGroup[]): string {
  return groups
    .flatMap(({count: n, examples}) => {
      if (n <= LISTED) return examples.map((issue) => `  ${describeIssue(issue)}`);
      const [first, ...others] = examples;
      const lines = others.map(({cell, line}) => cell?.split('!').at(-1) ?? line).join(', ');
      const place = first.cell === undefined ? 'on' : 'in';
      const places = first.cell === undefined ? 'lines' : 'cells';
      const more = n > examples.length ? `, and ${n - examples.length} more` : '';
      return [
        `  ${describeIssue(first)}`,
        `      the same ${place} ${n - 1} other ${places}: ${lines}${more}`,
      ];
    })
    .join('\n');
}

/** What an edited file changes in a batch that has already run. */
export function revisionText(revision: number, {added, corrected, dropped}: RevisionFacts): string {
  const gone =
    dropped.length === 0
      ? ''
      : `, ${dropped.length} removed and never sent: ${dropped.slice(0, 10).join(', ')}${dropped.length > 10 ? `, and ${dropped.length - 10} more (plan -o json lists them all in changes.dropped)` : ''}`;
  return `Revision ${revision} of a batch that was run before: ${counted(added, 'row')} added, ${corrected} corrected${gone}. It must be confirmed again.`;
}

/** The result of `plan` for machines; `errors` are those of the rows left out. */
export function planResult({plan, ...facts}: PlannedBatch, {before, alike, next}: PlanOutlook) {
  const {figures} = plan;
  return {
    batch_id: plan.batchId,
    revision: plan.revision,
    kind: plan.kind,
    namespace: plan.namespace,
    plan_hash: plan.planHash,
    file: plan.file.path,
    file_sha256: plan.file.sha256,
    sheet: plan.sheet ?? null,
    changed: facts.fresh,
    changes: facts.revision ?? null,
    planned: figures.rows,
    invalid_rows: plan.invalidRows,
    empty_rows: plan.emptyRecords,
    totals: figures.totals,
    rails: figures.rails,
    largest: figures.largest,
    soft_duplicates: figures.softDuplicates,
    similar_references: figures.similarReferences,
    scheduled: {first: figures.firstScheduled, last: figures.lastScheduled},
    warnings: plan.warnings,
    error_groups: facts.groups,
    errors: facts.errors,
    seen_before: before instanceof RemitError ? null : before,
    seen_alike: before instanceof RemitError ? null : alike,
    next,
  };
}

function moreLine(total: number, examples: readonly (readonly string[])[]): [string, string][] {
  const more = unlisted(total, examples);
  return more > 0 ? [['', `… ${more} more`]] : [];
}

/** Rows of the file that repeat party, amount and currency of an earlier row, as far as the plan names them. */
export function repeatsText({count, examples}: PlanFigures['softDuplicates']): string[] {
  const lines = examples.map(({references: [first, ...others], amount, currency}) => {
    const look = others.length === 1 ? 'looks' : 'look';
    return `  ${others.join(', ')} ${look} like ${first}: same party, amount and currency (${groupMajor(amount)} ${currency})`;
  });
  const more = unlisted(
    count,
    examples.map(({references}) => references),
  );
  return more > 0 ? [...lines, `  … ${more} more`] : lines;
}

/** What other batches of this state folder mean for this one; empty if nothing. */
export function surveyText(survey: Survey, back: BankReturns['found'] = new Map()): string[] {
  const lines: string[] = [];
  if (survey.doubts > 0)
    lines.push(
      `  ${counted(survey.doubts, 'row')} that a batch whose journal is gone may have sent: in doubt until they are resolved`,
    );
  if (survey.disputed.rows > 0)
    lines.push(
      `  ${counted(survey.disputed.rows, 'row')} in doubt whose reference another batch has claimed since: left in doubt, not sent`,
    );
  if (survey.conflicts > 0)
    lines.push(
      `  ${counted(survey.conflicts, 'row')} (${survey.conflictExample}${survey.conflicts > 1 ? ', …' : ''}) whose reference another batch uses for another payment or has not finished: not sent`,
    );
  const {alike, similar} = survey;
  for (const example of alike.examples) {
    const {earlier, reference} = example;
    const returned =
      earlier.id === null // as in a copy of a shared registry
        ? [...back.values()].find(({repayReference: again}) => again === reference)
        : back.get(usualId(earlier.id));
    const also = returned === undefined ? '' : `; ${returnedText(returned)}`;
    lines.push(`  ${exampleText(example)}: same party, amount and currency${also}`);
  }
  if (alike.count > alike.examples.length) lines.push(`  … ${alike.count - alike.examples.length} more`);
  for (const [reference, ...others] of similar.examples)
    lines.push(`  ${reference} looks like ${others.join(', ')} of another batch`);
  if (similar.count > similar.examples.length)
    lines.push(`  … ${similar.count - similar.examples.length} more`);
  return lines;
}

const exampleText = ({reference, earlier}: AlikeExample): string =>
  `${reference} looks like ${earlierText(earlier)}`;

const NAMED_BATCHES = 3;

/**
 * What is done already, by which batch, and what this command does not touch; empty if it processes every row.
 * @param isRest whether these rows continue besides others that are sent again and count as done or untouched until
 *   then
 */
export function workText(
  {planned, open, doubts, done, staged, paidBefore, paidBy, left, leftAre, isOver}: Work,
  isRest = false,
): string[] {
  if (open.rows === planned && doubts === 0) return [];
  const lines: [string, string][] = [];
  const add = (label: string, part: Part, after: string) => {
    if (part.rows > 0) lines.push([label, `${partText(part)}${after}`]);
  };
  if (isOver && !isRest) lines.push(['To do', 'nothing is left to send']);
  else if (open.rows === 0 && !isRest) lines.push(['To do', 'no row is ready for this']);
  add(isRest ? 'Also to do' : 'To do', open, doubts > 0 ? `, ${doubts} of them in doubt` : '');
  if (!isRest) add('Done', done, ' by this batch');
  if (!isRest) add('Staged', staged, ' by this batch');
  const named = [...paidBy].sort(([, a], [, b]) => b.rows - a.rows).slice(0, NAMED_BATCHES);
  for (const [batch, part] of named) add('Paid before', part, ` by batch ${batch}`);
  const others = named.reduce((rest, [, part]) => minus(rest, part), paidBefore);
  add('Paid before', others, named.length > 0 ? ' by other batches' : '');
  if (!isRest) add('Untouched', left, `: ${leftAre.join(', ')}`);
  return lines.map(
    ([label, text], index) => `  ${(lines[index - 1]?.[0] === label ? '' : label).padEnd(13)}${text}`,
  );
}

const partText = ({rows, totals}: Part): string =>
  `${counted(rows, 'row')}, ${totalsText({totals: totals.toMajor()})}`;

/** `1,500.75 USD + 20.00 EUR` */
export const totalsText = ({totals}: {totals: Readonly<Record<string, string>>}): string =>
  Object.entries(totals)
    .filter(([, total], _index, all) => all.length === 1 || /[1-9]/.test(total))
    .map(([currency, total]) => `${groupMajor(total)} ${currency}`)
    .join(' + ');

const SHOWN_BATCHES = 5;

/** What a plan can report about other batches; which of them count depends on the key of the run. */
export function outlookText(plan: Plan, {before, alike}: PlanOutlook): string[] {
  if (before instanceof RemitError)
    return [
      before.code === 'LOCKED'
        ? 'a batch is running in this state folder, so references were not compared; the run compares them'
        : `references were not compared with those of other batches. ${before.message}`,
    ];
  const party = KINDS[plan.kind].party.replace('_id', '');
  const lines = before
    .slice(0, SHOWN_BATCHES)
    .map(
      ({batch, mode, base_url: url, namespace, rows, example}) =>
        `batch ${batch} (${mode}, ${url}, namespace ${namespace}) already has ${counted(rows, 'reference')} of this file, such as ${example}; a run there does not pay them again`,
    );
  if (before.length > SHOWN_BATCHES)
    lines.push(`${before.length - SHOWN_BATCHES} more batches have some; -o json lists them`);
  for (const {mode, base_url: url, alike: rows, examples, similar} of alike) {
    if (rows > 0)
      lines.push(
        `${counted(rows, 'row')} may repeat earlier payments (${mode}, ${url}) in the last 30 days: same ${party}, amount and currency${examples[0] === undefined ? '' : `; for example, ${exampleText(examples[0])}`}`,
      );
    if (similar > 0)
      lines.push(
        `${counted(similar, 'reference')} ${similar === 1 ? 'differs' : 'differ'} from one of another batch (${mode}, ${url}) only in case or spaces`,
      );
  }
  return lines;
}
