import {createHash} from 'node:crypto';
import type {Plan} from '../batch/model/plan-facts.ts';
import type {Mode} from '../contract/mode.ts';
import {type Canonical, canonicalJson} from './canonical.ts';
import {ownJson} from '../narrow.ts';
import type {AuditHead, BatchTerms, Role, ApprovalStatement} from './document.ts';
import {type ApprovedRow, idLeaf, rootOf, rowLeaf} from './leaves.ts';

/** Where a batch is sent, and under which policy. */
export interface SentTo {
  mode: Mode;
  baseUrl: string;
  /** The service file in use. */
  service: object;
  policy: string;
}

export function termsOf(plan: Plan, {mode, baseUrl, service, policy}: SentTo): BatchTerms {
  return {
    kind: plan.kind,
    mode,
    base_url: baseUrl,
    service: serviceHash(service),
    namespace: plan.namespace,
    batch_id: plan.batchId,
    journal_id: plan.journalId,
    revision: plan.revision,
    count: plan.figures.rows,
    totals: plan.figures.totals,
    policy,
  };
}

/** Two people may send different headers, such as credentials of their own. */
function serviceHash(service: object): string {
  const rest = Object.fromEntries(Object.entries(service).filter(([name]) => name !== 'headers'));
  const text = canonicalJson(ownJson<Canonical>(JSON.stringify(rest)));
  return createHash('sha256').update(text).digest('hex');
}

/** What is signed where no service file is in use. */
export const NO_SERVICE = serviceHash({});

/** The hashes of the rows that are signed, and of their records. */
export interface SignedLeaves {
  rows: Buffer[];
  ids: Buffer[];
}

/** A row with the id of its record, if it has one. */
export interface RowToSign extends ApprovedRow {
  id: string | null;
}

export function leavesToSign(rows: Iterable<RowToSign>, role: Role): SignedLeaves {
  const leaves: SignedLeaves = {rows: [], ids: []};
  for (const row of rows) {
    leaves.rows.push(rowLeaf(role === 'maker' ? {...row, generation: 0} : row));
    if (row.id !== null && role === 'approver') leaves.ids.push(idLeaf(row, row.id));
  }
  return leaves;
}

export function statementOf(
  terms: BatchTerms,
  {rows, ids}: SignedLeaves,
  facts: {
    role: Role;
    makers: readonly string[];
    audit: AuditHead;
    nonce: string;
    nowMs: number;
    expiresMs: number;
  },
): ApprovalStatement {
  const {role, makers, audit, nonce, nowMs, expiresMs} = facts;
  return {
    ...terms,
    version: 1,
    role,
    rows_root: rootOf(rows),
    ids_root: rootOf(ids),
    ...{makers, audit, nonce},
    issued: new Date(nowMs).toISOString(),
    expires: new Date(nowMs + expiresMs).toISOString(),
  };
}
