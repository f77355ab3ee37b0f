import {
  documentTexts,
  namedDocument,
  type NamedDocument,
  readApprovalFile,
} from '../../../approval/approval-files.ts';
import {type AuditTrail, parseTrail, trailText} from '../../../approval/audit.ts';
import type {OpenBatch} from '../../../batch/journal/open-batch.ts';
import type {Kind} from '../../../batch/model/kinds.ts';
import {readBatch} from '../../../batch/overview/read-batch.ts';
import type {Clock} from '../../../clock.ts';
import {RemitError} from '../../../errors.ts';
import {ownJson} from '../../../narrow.ts';
import {allRows} from '../gate.ts';

/** What a journal adds to the file of the approver: nothing of it says what is paid to whom. */
export interface ApprovalRequest {
  journalId: string;
  revision: number;
  /** Its text is the text of the audit trail. */
  trailText: string;
  /** Texts of the documents so far. */
  documents: readonly string[];
  /** By reference: generation, id of the record, and whether the row is still to be paid. */
  records: ReadonlyMap<string, RecordOfRow>;
}

type RecordOfRow = readonly [generation: number, id: string | null, isOpen: boolean];

const FORM = 1;
const OPEN: ReadonlySet<string> = new Set(['not_sent', 'in_doubt', 'staged', 'held', 'unapproved']);

type StoredRequest = Omit<ApprovalRequest, 'records'> & {
  remit_request: number;
  records: [string, RecordOfRow][];
};

/** Reads a batch, also while it runs. */
export async function requestOf(wanted: {
  kind: Kind;
  stateDir: string;
  batchId: string;
  clock: Clock;
}): Promise<{request: ApprovalRequest; batch: Pick<OpenBatch, 'plan' | 'place'>}> {
  const batch = await readBatch(wanted, `approval of batch ${wanted.batchId}`);
  try {
    const {journal, plan, place} = batch;
    const records = new Map<string, RecordOfRow>();
    for (const row of allRows(journal.rows))
      records.set(row.reference, [row.generation, row.outcome?.id ?? null, OPEN.has(journal.stateOf(row))]);
    const request: ApprovalRequest = {
      ...{journalId: plan.journalId, revision: plan.revision, records},
      documents: documentTexts(place.folder).map(({text}) => text),
      trailText: trailText(place.folder),
    };
    return {request, batch: {plan, place}};
  } finally {
    await batch.close();
  }
}

export const requestText = (request: ApprovalRequest): string =>
  `${JSON.stringify({remit_request: FORM, ...request, records: [...request.records]})}\n`;

/** @throws RemitError GUARD_APPROVAL */
export function readApprovalRequest(path: string): ApprovalRequest {
  const text = readApprovalFile(path);
  try {
    const {remit_request: form, records, ...request} = ownJson<StoredRequest>(text);
    if (form === FORM && Array.isArray(request.documents)) return {...request, records: new Map(records)};
  } catch {
    // refused below
  }
  throw new RemitError('GUARD_APPROVAL', `${path} is not a request of \`batch approve --ask\``);
}

/** The signed parts of a request, verified. */
export function partsOf({documents, trailText}: ApprovalRequest): {
  documents: NamedDocument[];
  trail: AuditTrail;
} {
  return {
    documents: documents.map((text) => namedDocument(text, 'a document of the request')),
    trail: parseTrail(trailText),
  };
}
