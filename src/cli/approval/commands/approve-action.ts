import {keepDocument, type NamedDocument} from '../../../approval/approval-files.ts';
import {auditHead, readMakers} from '../../../approval/audit.ts';
import {Approvals} from '../../../approval/approvals.ts';
import {type BatchTerms, bytesOf, documentText} from '../../../approval/document.ts';
import {APPROVAL_NAMESPACE, type ApprovalRule, type Policy, ruleFor} from '../../../approval/policy.ts';
import {leavesToSign, type RowToSign, statementOf, termsOf} from '../../../approval/statement.ts';
import type {DraftPlan} from '../../../batch/plan/plan.ts';
import {RemitError} from '../../../errors.ts';
import {parseMajor} from '../../../money/amount.ts';
import {counted} from '../../../phrases.ts';
import {writeOutFile} from '../../../store/files/out-file.ts';
import type {LocalContext} from '../../core/context.ts';
import {allRows} from '../gate.ts';
import type {ApprovalProfile} from '../settings.ts';
import {personOf, signWithKey} from '../sign.ts';
import {type ApprovalRequest, partsOf} from './request.ts';
import {type Reviewed, reviewText} from './review.ts';

/** What a person approves with. */
export interface Approving {
  local: LocalContext;
  batchId: string;
  request: ApprovalRequest;
  policy: Policy;
  keyFile: string;
  profile: ApprovalProfile | undefined;
  /** Shorter than the policy allows. */
  expiresMs: number | undefined;
  /** Folder of the batch, or the file to write. */
  to: {folder: string} | {file: string};
  /** Asks the person. */
  confirm: (reviewed: Reviewed) => Promise<void>;
}

/** What was approved, for scripts. */
export interface Approved {
  batch_id: string;
  revision: number;
  person: string;
  fingerprint: string;
  rows: number;
  totals: Readonly<Record<string, string>>;
  expires: string;
  written: string;
}

const NAMED = 5;

/**
 * Signs what the file of the approver says, if the batch says the same. Nothing that is signed about a payment comes from
 * the journal, except which record each row has.
 * @throws RemitError GUARD_APPROVAL
 */
export async function approveDraft(approving: Approving, draft: DraftPlan): Promise<Approved> {
  const {local, policy, keyFile, request} = approving;
  const {person, fingerprint} = personOf(keyFile, policy);
  const {documents, trail} = partsOf(request);
  const isMaker = ({statement}: NamedDocument) =>
    statement.role === 'maker' && statement.revision === request.revision;
  const terms = agreedTerms(approving, draft, documents.find(isMaker)?.statement);
  const facts = {terms, policy, events: trail.hashes, ...readMakers(trail)};
  const approvals = new Approvals(facts, documents);
  const rows = matchedRows(draft, request, approvals);
  refuseMaker(person, approvals);
  const rules = rulesOf(terms, policy, person);
  const moving = rows.map((row) => ({...row, outcome: {id: row.id}}));
  const reviewed: Reviewed = {
    ...{plan: draft.plan, terms, rules, person, fingerprint, moving, approvals},
    open: moving.filter(({reference}) => request.records.get(reference)?.[2] === true),
  };
  local.out.text(reviewText(reviewed));
  await approving.confirm(reviewed);
  const leaves = leavesToSign(rows, 'approver');
  const expiresMs = Math.min(approving.expiresMs ?? Infinity, ...rules.map((rule) => rule.expiresMs));
  const statement = statementOf(terms, leaves, {
    ...{role: 'approver', makers: approvals.makers, audit: auditHead(trail), expiresMs},
    ...{nonce: local.runtime.uuid(), nowMs: local.clock.now()},
  });
  const signature = await signWithKey(keyFile, {
    ...{namespace: APPROVAL_NAMESPACE, text: bytesOf(statement), stderr: local.runtime.stderr},
  });
  const text = documentText(statement, signature, leaves.rows, leaves.ids);
  const {to} = approving;
  if ('file' in to) await writeOutFile(to.file, [text], '--write');
  const written = 'file' in to ? to.file : keepDocument(to.folder, text);
  return {
    ...{batch_id: approving.batchId, revision: terms.revision, person, fingerprint},
    ...{rows: terms.count, totals: terms.totals, expires: statement.expires, written},
  };
}

/** The terms as the approver knows them, where the approver knows them: the rest is shown and signed. */
function agreedTerms(
  {profile, policy, request, batchId}: Approving,
  {plan}: DraftPlan,
  maker: BatchTerms | undefined,
): BatchTerms {
  if (maker === undefined)
    throw new RemitError('GUARD_APPROVAL', `nobody has signed batch ${batchId} as its maker yet`, {
      hint: (commands) =>
        `it is staged first: ${commands.write(`${plan.kind}s`, 'batch', 'run', 'FILE', '--stage-only')}`,
    });
  const {journalId, revision} = request;
  const sentTo = {
    mode: profile?.mode ?? maker.mode,
    baseUrl: profile?.baseUrl ?? maker.base_url,
    ...{service: profile?.service ?? {}, policy: policy.sha256},
  };
  const terms = termsOf({...plan, batchId, journalId, revision}, sentTo);
  return profile === undefined ? {...terms, service: maker.service} : terms;
}

/** The rows of the file, each with the record that the batch has for it. */
function matchedRows(draft: DraftPlan, {records}: ApprovalRequest, approvals: Approvals): RowToSign[] {
  const rows: RowToSign[] = [];
  const differ: string[] = [];
  const uncounted: string[] = [];
  const unknown = new Set(records.keys());
  for (const row of allRows(draft.journal.rows)) {
    const [generation, id] = records.get(row.reference) ?? [];
    unknown.delete(row.reference);
    if (generation === undefined || !approvals.isMade(row)) differ.push(row.reference);
    else if (approvals.makersOf(row).length === 0) uncounted.push(row.reference);
    else rows.push({...row, generation, id: id ?? null});
  }
  const wrong = [...differ, ...unknown];
  if (wrong.length + uncounted.length === 0) return rows;
  const more = wrong.length > NAMED ? ` and ${wrong.length - NAMED} more` : '';
  const why = approvals.discarded.map(({name, why: text}) => `; ${name.slice(0, 8)} does not count: ${text}`);
  throw new RemitError(
    'GUARD_APPROVAL',
    wrong.length === 0
      ? `no maker has signed the batch as your file has it${why.join('')}; nothing was signed`
      : `your file and the batch differ in ${counted(wrong.length, 'row')}: ${wrong.slice(0, NAMED).join(', ')}${more}${why.join('')}; nothing was signed`,
    {
      hint: 'find out which of the two is right; read your file with the same --map, --currency, --amount-unit and --namespace as the batch',
      details: {rows: wrong.slice(0, 1000)},
    },
  );
}

function refuseMaker(person: string, approvals: Approvals): void {
  if (!approvals.makers.includes(person)) return;
  throw new RemitError(
    'GUARD_APPROVAL',
    `${person} has made this batch, or a part of it, and cannot approve it; nothing was signed`,
    {
      hint: (commands) =>
        `another person of the policy approves it: ${commands.read('payouts', 'batch', 'policy', 'show')}`,
    },
  );
}

/** The rule for each currency of the batch; this person has to be an approver of at least one of them. */
function rulesOf({totals}: BatchTerms, policy: Policy, person: string): ApprovalRule[] {
  const rules = Object.entries(totals).map(([currency, total]) => {
    const rule = ruleFor(policy, currency, parseMajor(total, currency));
    if (rule !== undefined) return rule;
    throw new RemitError('GUARD_APPROVAL', `the policy has no rule for ${currency}; nothing was signed`);
  });
  if (rules.some(({approvers}) => approvers.includes(person))) return rules;
  const names = [...new Set(rules.flatMap(({approvers}) => approvers))];
  throw new RemitError(
    'GUARD_APPROVAL',
    `${person} is not an approver of such a batch: that is ${names.join(', ')}; nothing was signed`,
  );
}
