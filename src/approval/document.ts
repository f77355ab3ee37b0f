import type {Kind} from '../batch/model/kinds.ts';
import type {Mode} from '../contract/mode.ts';
import {isObject, type JsonFields, parseJson} from '../narrow.ts';
import {canonicalJson} from './canonical.ts';
import {rootOf, splitLeaves} from './leaves.ts';
import {APPROVAL_NAMESPACE} from './policy.ts';
import {fromBase64, notValid} from './ssh-reader.ts';
import {type SignedBy, verifySshSignature} from './ssh-signature.ts';

/** A maker answers for the rows that are staged; an approver, for the records that are released. */
export type Role = 'maker' | 'approver';

/** A place in the audit trail: its number of events so far, and the hash of the last one. */
export interface AuditHead {
  events: number;
  hash: string;
}

/** What a batch is, as a runner knows it: what is signed has to agree with each of these. */
export interface BatchTerms {
  kind: Kind;
  mode: Mode;
  base_url: string;
  /** Hash of the service file, without the headers that it sends. */
  service: string;
  namespace: string;
  batch_id: string;
  journal_id: string;
  revision: number;
  count: number;
  /** Major units by currency. */
  totals: Readonly<Record<string, string>>;
  /** SHA-256 of the policy. */
  policy: string;
}

/** The signed content of an approval. Times are ISO 8601 in UTC. */
export interface ApprovalStatement extends BatchTerms {
  version: 1;
  role: Role;
  rows_root: string;
  ids_root: string;
  /** People who had made the rows, as far as the signer could see. */
  makers: readonly string[];
  audit: AuditHead;
  nonce: string;
  issued: string;
  expires: string;
}

/** A signed statement, with the hashes of which it signs the roots. */
export interface SignedDocument {
  statement: ApprovalStatement;
  by: SignedBy;
  rows: ReadonlySet<string>;
  ids: ReadonlySet<string>;
}

/** The signed bytes: RFC 8785. */
export const bytesOf = (statement: ApprovalStatement): string =>
  canonicalJson({...statement, audit: {...statement.audit}});

/** One file of an approval. Its text is one line of JSON. */
export function documentText(
  statement: ApprovalStatement,
  signature: Buffer,
  rows: Buffer[],
  ids: Buffer[],
): string {
  const [ofRows, ofIds] = [rows, ids].map((leaves) => Buffer.concat(leaves).toString('base64'));
  return `${JSON.stringify({
    ...{remit_approval: 1, statement: bytesOf(statement), signature: signature.toString('base64')},
    ...{rows: ofRows, ids: ofIds},
  })}\n`;
}

/**
 * Reads the file of an approval and verifies its signature, and that its hashes are those that were signed. Whether it
 * counts is decided by the policy and the batch.
 * @throws RemitError GUARD_APPROVAL
 */
export function readDocument(text: string, what: string): SignedDocument {
  const parts = parsed(text);
  const names = ['remit_approval', 'statement', 'signature', 'rows', 'ids'];
  if (parts === undefined || Object.keys(parts).join() !== names.join() || parts['remit_approval'] !== 1)
    throw notValid(what, 'it is not an approval of this version');
  const [bytes = '', signature = '', ofRows = '', ofIds = ''] = names
    .slice(1)
    .map((name) => parts[name])
    .filter((part) => typeof part === 'string');
  const by = verifySshSignature(fromBase64(signature, what), bytes, APPROVAL_NAMESPACE);
  const statement = readStatement(bytes);
  if (statement === undefined) throw notValid(what, 'its statement has another form');
  const [rows, ids] = [splitLeaves(ofRows), splitLeaves(ofIds)];
  if (rows === undefined || ids === undefined) throw notValid(what, 'its list of rows is malformed');
  if (rootOf(rows) !== statement.rows_root || rootOf(ids) !== statement.ids_root)
    throw notValid(what, 'its list of rows is not the one that was signed');
  if (rows.length !== statement.count) throw notValid(what, 'its list of rows has another length');
  return {statement, by, rows: hashesOf(rows), ids: hashesOf(ids)};
}

const hashesOf = (leaves: readonly Buffer[]): ReadonlySet<string> =>
  new Set(leaves.map((leaf) => leaf.toString('base64')));

function parsed(text: string) {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The type of each member; a statement has these and no others. */
const FORM: Readonly<Record<keyof ApprovalStatement, (value: unknown) => boolean>> = (() => {
  const isText = (value: unknown) => typeof value === 'string';
  const isWhole = (value: unknown) => Number.isSafeInteger(value);
  const isTime = (value: unknown) =>
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
    !Number.isNaN(Date.parse(value));
  return {
    version: (value) => value === 1,
    role: (value) => value === 'maker' || value === 'approver',
    kind: isText,
    mode: isText,
    base_url: isText,
    service: isText,
    namespace: isText,
    batch_id: isText,
    journal_id: isText,
    revision: isWhole,
    count: isWhole,
    totals: (value) => isObject(value) && Object.values(value).every(isText),
    policy: isText,
    rows_root: isText,
    ids_root: isText,
    makers: (value) => Array.isArray(value) && value.every(isText),
    audit: (value) => isObject(value) && isWhole(value['events']) && isText(value['hash']),
    nonce: isText,
    issued: isTime,
    expires: isTime,
  };
})();

/** Only canonical bytes with exactly these members, so that one statement has one text. */
function readStatement(bytes: string): ApprovalStatement | undefined {
  const value = parsed(bytes);
  return value !== undefined && hasForm(value) && bytesOf(value) === bytes ? value : undefined;
}

const hasForm = (value: JsonFields): value is JsonFields & ApprovalStatement =>
  Object.keys(value).length === Object.keys(FORM).length &&
  Object.entries(FORM).every(([name, fits]) => fits(value[name]));
