import {parseMajor} from '../money/amount.ts';
import {keysOf} from '../narrow.ts';
import type {NamedDocument} from './approval-files.ts';
import type {BatchTerms, SignedDocument, ApprovalStatement} from './document.ts';
import {type ApprovedRow, idLeaf, rowLeaf} from './leaves.ts';
import {type ApprovalRule, fitsRule, type Policy, type PolicyKey, ruleFor} from './policy.ts';

/** Clocks of two machines may differ by this much. */
const CLOCK_SLACK_MS = 5 * 60_000;

/** An approval that does not count, with the reason. */
export interface Discarded {
  name: string;
  why: string;
}

interface Counted extends SignedDocument {
  name: string;
  key: PolicyKey;
}

/** What is known about a batch apart from its approvals. */
export interface ApprovalFacts {
  terms: BatchTerms;
  policy: Policy;
  /** People who made the rows, according to the audit trail. */
  makers: readonly string[];
  /** How many events the audit trail had when a row was last retried or resolved, by reference. */
  touched: ReadonlyMap<string, number>;
  /** The hash of each event of the audit trail, in order. */
  events: readonly string[];
  /** For how long the service is taken to remember a key; 24 hours if it is not known. */
  horizonMs?: number | undefined;
}

/** A row that is about to move money. */
export type MovingRow = ApprovedRow & {currency: string; outcome: {id: string | null} | undefined};

/**
 * The approvals of a batch, as far as they count. A row is covered if as many approvers as the policy demands have
 * signed exactly this row and, if it has a record, exactly this record, and someone else has signed the row as its
 * maker.
 */
export class Approvals {
  readonly discarded: Discarded[] = [];
  readonly #facts: ApprovalFacts;
  readonly #makers: Counted[] = [];
  readonly #approvers: Counted[] = [];
  readonly #makerNames: ReadonlySet<string>;
  /** The rows that makers have signed, also in documents that do not count. */
  readonly #made: readonly ReadonlySet<string>[];

  constructor(facts: ApprovalFacts, documents: readonly NamedDocument[]) {
    this.#facts = facts;
    for (const document of documents) {
      const found = this.#judge(document);
      if (typeof found === 'string') this.discarded.push({name: document.name, why: found});
      else (document.statement.role === 'maker' ? this.#makers : this.#approvers).push(found);
    }
    this.#made = documents.filter(({statement}) => statement.role === 'maker').map(({rows}) => rows);
    this.#makerNames = new Set([
      ...facts.makers,
      ...this.#makers.map(({key}) => key.person),
      ...this.#approvers.flatMap(({statement}) => statement.makers),
    ]);
  }

  /** People who made the batch: they planned, edited, staged, retried or resolved rows of it. */
  get makers(): string[] {
    return [...this.#makerNames].sort();
  }

  /** Whether a maker has signed this row, also in a document that does not count. */
  isMade(row: ApprovedRow): boolean {
    return this.#made.some((rows) => rows.has(madeLeaf(row)));
  }

  /** People who have signed this row as its makers. */
  makersOf(row: ApprovedRow): string[] {
    const leaf = madeLeaf(row);
    return this.#makers.flatMap(({key, rows}) => (rows.has(leaf) ? [key.person] : []));
  }

  /** People whose approvals count at all, whatever they cover. */
  get approvers(): string[] {
    return [...new Set(this.#approvers.map(({key}) => key.person))].sort();
  }

  /** Whether any approval covers this row with this record. */
  wasApproved(row: MovingRow): boolean {
    const {leaf, id} = leavesOf(row);
    return this.#approvers.some(({rows, ids}) => rows.has(leaf) && (id === undefined || ids.has(id)));
  }

  /** Names of the approvals that count, for the audit trail. */
  get names(): string[] {
    return this.#approvers.map(({name}) => name);
  }

  /**
   * Why a row may not move money now; undefined if it may. In direct mode there is no record that an approval could name:
   * such an approval names none at all, and counts only while the service surely remembers the key of the row.
   */
  missingFor(row: MovingRow, path: 'release' | 'direct', nowMs: number): string | undefined {
    const leaf = madeLeaf(row);
    if (!this.#makers.some(({rows}) => rows.has(leaf))) return 'no maker in the policy has signed it';
    const rule = this.#ruleFor(row.currency);
    if (rule === undefined) return `the policy has no rule for ${row.currency}`;
    const {leaf: own, id} = leavesOf(row);
    const touched = this.#facts.touched.get(row.reference) ?? 0;
    const approvers = new Set<string>();
    for (const approval of this.#approvers) {
      const {statement, rows, ids, key} = approval;
      const names = path === 'direct' ? ids.size === 0 && this.#isYoung(statement, nowMs) : ids.has(id ?? '');
      const covers = rows.has(own) && names && statement.audit.events >= touched;
      if (covers && this.#counts(approval, rule, nowMs)) approvers.add(key.person);
    }
    if (approvers.size >= rule.quorum) return undefined;
    return `approved by ${approvers.size} of ${rule.quorum} people`;
  }

  #counts({statement, key, by}: Counted, rule: ApprovalRule, nowMs: number): boolean {
    if (!rule.approvers.includes(key.person) || this.#makerNames.has(key.person)) return false;
    if (!fitsRule(rule.keys, key.type, by.device)) return false;
    const [issued, expires] = [Date.parse(statement.issued), Date.parse(statement.expires)];
    return nowMs < expires && expires - issued <= rule.expiresMs && issued <= nowMs + CLOCK_SLACK_MS;
  }

  #isYoung({issued}: ApprovalStatement, nowMs: number): boolean {
    return nowMs - Date.parse(issued) < Math.min(DIRECT_MS, this.#facts.horizonMs ?? DIRECT_MS);
  }

  #ruleFor(currency: string): ApprovalRule | undefined {
    const total = this.#facts.terms.totals[currency];
    return total === undefined
      ? undefined
      : ruleFor(this.#facts.policy, currency, parseMajor(total, currency));
  }

  /** @returns why a document does not count, or whose it is */
  #judge(document: NamedDocument): Counted | string {
    const {terms, policy, events} = this.#facts;
    const {statement, by} = document;
    const differs = TERMS.find((name) => textOf(statement[name]) !== textOf(terms[name]));
    if (differs !== undefined) return `it is for another ${WORDS[differs]}`;
    const key = policy.keys.get(by.blob.toString('base64'));
    if (key === undefined) return 'its key is not in the policy';
    if (by.device !== undefined && !by.device.isPresent) return 'the hardware key was not touched';
    const {events: seen, hash} = statement.audit;
    if (seen > 0 && events[seen - 1] !== hash) return 'the audit trail that it signed was changed';
    return {...document, key};
  }
}

/** The longest that an approval counts in direct mode. */
const DIRECT_MS = 24 * 3_600_000;

const leavesOf = (row: MovingRow) => ({
  leaf: rowLeaf(row).toString('base64'),
  id: row.outcome?.id == null ? undefined : idLeaf(row, row.outcome.id).toString('base64'),
});

/** A maker answers for a row whatever its key: an earlier record of its reference may give it another generation. */
const madeLeaf = (row: ApprovedRow): string => rowLeaf({...row, generation: 0}).toString('base64');

/** Members of a statement that have to agree with the batch, in words. */
const WORDS: Readonly<Record<keyof BatchTerms, string>> = {
  kind: 'kind of batch',
  mode: 'mode',
  base_url: 'base URL',
  service: 'service file',
  namespace: 'namespace',
  batch_id: 'batch',
  journal_id: 'journal',
  revision: 'revision',
  count: 'number of rows',
  totals: 'total',
  policy: 'policy',
};
const TERMS = keysOf(WORDS);

const textOf = (value: ApprovalStatement[keyof BatchTerms]): string =>
  typeof value === 'object' ? JSON.stringify(Object.entries(value).sort()) : String(value);
