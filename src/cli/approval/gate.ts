import {existsSync, readdirSync} from 'node:fs';
import {
  addEvents,
  auditFile,
  type AuditEventName,
  type AuditTrail,
  brokenTrail,
  auditHead,
  readMakers,
  readTrail,
} from '../../approval/audit.ts';
import {
  approvalsFolder,
  keepDocument,
  namedDocument,
  type NamedDocument,
  readApprovalFile,
  readDocuments,
} from '../../approval/approval-files.ts';
import {Approvals} from '../../approval/approvals.ts';
import type {Canonical} from '../../approval/canonical.ts';
import {type BatchTerms, bytesOf, documentText} from '../../approval/document.ts';
import {APPROVAL_NAMESPACE, type Policy, type PolicyKey} from '../../approval/policy.ts';
import {readPinned} from '../../approval/policy-file.ts';
import {leavesToSign, type RowToSign, statementOf, termsOf} from '../../approval/statement.ts';
import type {OpenBatch} from '../../batch/journal/open-batch.ts';
import type {JournalRow} from '../../batch/journal/rows/row.ts';
import {DEFAULT_NAMESPACE} from '../../batch/model/identity.ts';
import {KINDS} from '../../batch/model/kinds.ts';
import type {Plan} from '../../batch/model/plan-facts.ts';
import {pagesOf} from '../../batch/model/pages.ts';
import type {BeforeWindow} from '../../batch/send/run-parts.ts';
import {RemitError} from '../../errors.ts';
import {counted} from '../../phrases.ts';
import type {PinnedPolicy} from '../../profiles/profile.ts';
import type {ProjectFile} from '../../profiles/project-file.ts';
import {type Context, type LocalContext, localCommands} from '../core/context.ts';
import {operatorName} from '../runtime/operator.ts';
import {approvalProfile, type ApprovalProfile} from './settings.ts';
import {personOf, signWithKey} from './sign.ts';

const PAGE = 1000;
/** Rows without approval that are named; the others are counted. */
const NAMED = 3;

/** How money moves. */
type MovingPath = 'release' | 'direct';

/** Every row of a batch, in order. */
export function* allRows(rows: {after(n: number, limit: number): JournalRow[]}): Generator<JournalRow> {
  for (const page of pagesOf((after) => rows.after(after, PAGE), PAGE)) yield* page;
}

/** The same rows as they are signed; a batch may have a million of them. */
function* rowsToSign(rows: Parameters<typeof allRows>[0]): Generator<RowToSign> {
  for (const row of allRows(rows)) yield {...row, id: row.outcome?.id ?? null};
}

/** What the gate needs of a command. */
export type GateContext = Pick<Context, 'clock' | 'runtime' | 'commands'> & {
  profile: ApprovalProfile;
  /** For how long the service is taken to remember a key. */
  horizonMs?: number;
};

/**
 * Decides, for a profile with a policy, what of a batch may move money. Opened under the lock of the batch; everything
 * that it needs is read again when it may have changed.
 */
export class ApprovalGate {
  readonly #context: GateContext;
  readonly #batch: OpenBatch;
  readonly #pinned: PinnedPolicy;
  readonly #policy: Policy;
  #trail: AuditTrail;
  #approvals: Approvals;
  #names: string;
  #isReleasing = false;

  /**
   * @returns undefined for a profile without a policy, or no profile: nothing of this applies to it
   * @throws RemitError GUARD_APPROVAL if the batch was used with a policy before
   */
  static open(
    context: Omit<GateContext, 'profile'> & Partial<Pick<GateContext, 'profile'>>,
    batch: OpenBatch,
  ): ApprovalGate | undefined {
    const {profile} = context;
    if (profile?.approvalPolicy !== undefined)
      return new ApprovalGate({...context, profile}, batch, profile.approvalPolicy);
    const {folder} = batch.place;
    if (!existsSync(auditFile(folder)) && !existsSync(approvalsFolder(folder))) return undefined;
    throw new RemitError(
      'GUARD_APPROVAL',
      `batch ${batch.plan.batchId} was staged under a policy, and the profile in use has none; nothing was changed`,
      {hint: 'name the profile with the policy: --profile NAME'},
    );
  }

  private constructor(context: GateContext, batch: OpenBatch, pinned: PinnedPolicy) {
    this.#context = context;
    this.#batch = batch;
    this.#pinned = pinned;
    this.#policy = readPinned(pinned);
    this.#trail = readTrail(batch.place.folder);
    this.#names = this.#listed();
    this.#approvals = this.#read();
  }

  get terms(): BatchTerms {
    const {mode, baseUrl, service} = this.#context.profile;
    return termsOf(this.#batch.plan, {mode, baseUrl, service, policy: this.#policy.sha256});
  }

  /** @throws RemitError GUARD_APPROVAL if the profile has no key, or one that is not in the policy */
  get signer(): PolicyKey {
    return personOf(this.#keyFile, this.#policy);
  }

  get #keyFile(): string {
    const {approvalKey, name} = this.#context.profile;
    if (approvalKey !== undefined) return approvalKey;
    throw new RemitError(
      'GUARD_APPROVAL',
      `profile ${name} has no key to sign what it stages; nothing was sent`,
      {
        hint: (commands) =>
          `name the SSH key that the policy lists for you: ${commands.read('profiles', 'set', name ?? 'NAME', '--approval-key', '~/.ssh/id_ed25519')}`,
      },
    );
  }

  #listed(): string {
    const folder = approvalsFolder(this.#batch.place.folder);
    return existsSync(folder) ? readdirSync(folder).sort().join() : '';
  }

  #read(sent: readonly NamedDocument[] = []): Approvals {
    const {folder} = this.#batch.place;
    const {broken} = this.#trail;
    if (broken !== undefined) throw brokenTrail(auditFile(folder), broken);
    const facts = {terms: this.terms, policy: this.#policy, events: this.#trail.hashes};
    const {horizonMs} = this.#context;
    return new Approvals({...facts, horizonMs, ...readMakers(this.#trail)}, [
      ...readDocuments(folder),
      ...sent,
    ]);
  }

  /** Adds an approval that was sent as a file, if it counts. */
  take(file: string): void {
    const text = readApprovalFile(file);
    const sent = namedDocument(text, file);
    const approvals = this.#read([sent]);
    const found = approvals.discarded.find((each) => each.name === sent.name);
    if (found === undefined) {
      keepDocument(this.#batch.place.folder, text);
      this.#names = this.#listed();
      this.#approvals = approvals;
    } else
      throw new RemitError('GUARD_APPROVAL', `${file} does not count for this batch: ${found.why}`, {
        hint: this.#howToApprove,
      });
  }

  /** Adds an event to the audit trail; durable when it returns. */
  note(event: AuditEventName, facts: Readonly<Record<string, Canonical>> = {}): void {
    this.#noteAll([{event, facts}]);
  }

  #noteAll(events: readonly {event: AuditEventName; facts: Readonly<Record<string, Canonical>>}[]): void {
    const {folder} = this.#batch.place;
    const {approvalKey} = this.#context.profile;
    const stamp = {
      at: new Date(this.#context.clock.now()).toISOString(),
      by: operatorName(),
      person: approvalKey === undefined ? null : personOf(approvalKey, this.#policy).person,
    };
    const planned = this.#newPlan().map((facts) => ({event: 'planned' as const, facts, person: null}));
    const all = [...planned, ...events].map((each) => ({...stamp, ...each}));
    this.#trail = addEvents(folder, all);
  }

  /** What was planned since the last event, if it was: a plan is made offline, and is noted with what follows. */
  #newPlan(): Readonly<Record<string, Canonical>>[] {
    const {revision, planHash, file, plannedAt, figures} = this.#batch.plan;
    const last = this.#trail.events.findLast(({event}) => event === 'planned');
    if (last?.facts['plan'] === planHash && last.facts['revision'] === revision) return [];
    const at = new Date(plannedAt).toISOString();
    return [
      {
        revision,
        plan: planHash,
        file: file.sha256,
        rows: figures.rows,
        totals: figures.totals,
        planned_at: at,
      },
    ];
  }

  /** The next command for a batch: the approval of another person, if the release would be refused without it. */
  nextOf(next: string | null): string | null {
    if (next === null || !/ batch release /.test(next)) return next;
    const isMissing = this.#missing(this.#releasable(), 'release').length > 0;
    return isMissing ? approveCommand(this.#context, this.#batch) : next;
  }

  /**
   * A person who stages becomes a maker, whose approvals do not count. An approver has to ask for that.
   * @throws RemitError GUARD_APPROVAL
   */
  refuseApprover(path: 'stage-only' | 'direct'): void {
    const {person} = this.signer;
    const {makers, approvers} = this.#approvals;
    const mayApprove = this.#policy.rules.some((rule) => rule.approvers.includes(person));
    const isApprover = path === 'direct' ? approvers.includes(person) : mayApprove;
    if (!isApprover || makers.length === 0 || makers.includes(person)) return;
    const {kind, batchId} = this.#batch.plan;
    const {commands} = this.#context;
    throw new RemitError(
      'GUARD_APPROVAL',
      `${person} is an approver, and ${makers.join(' and ')} ${makers.length === 1 ? 'has' : 'have'} made batch ${batchId}: with this command, the approval of ${person} would not count; nothing was sent`,
      {
        hint:
          path === 'direct'
            ? 'the person who made the batch runs it'
            : `to release what is approved: ${commands.write(KINDS[kind].topic, 'batch', 'release', batchId)}; to stage all the same: ${commands.write(KINDS[kind].topic, 'batch', 'run', batchId, '--stage-only')}`,
      },
    );
  }

  /** Signs the rows as their maker, unless this person has: before they are staged, or sent in direct mode. */
  async signAsMaker(): Promise<void> {
    const {journal, place} = this.#batch;
    const {person} = this.signer;
    if (this.#hasMade(person)) return;
    const leaves = leavesToSign(rowsToSign(journal.rows), 'maker');
    const {runtime, clock} = this.#context;
    const statement = statementOf(this.terms, leaves, {
      ...{role: 'maker', makers: [person], audit: auditHead(this.#trail)},
      ...{nonce: runtime.uuid(), nowMs: clock.now(), expiresMs: 0},
    });
    const signature = await signWithKey(this.#keyFile, {
      ...{namespace: APPROVAL_NAMESPACE, text: bytesOf(statement), stderr: runtime.stderr},
    });
    keepDocument(place.folder, documentText(statement, signature, leaves.rows, leaves.ids));
    this.#names = this.#listed();
    this.#approvals = this.#read();
  }

  #hasMade(person: string): boolean {
    for (const row of allRows(this.#batch.journal.rows))
      if (!this.#approvals.makersOf(row).includes(person)) return false;
    return true;
  }

  /** Whether every row that is left to send has a record, and its release is approved. */
  get isReady(): boolean {
    const {journal} = this.#batch;
    journal.makeDoubtExplicit();
    const {not_sent: unsent, staged, unapproved, in_doubt: doubts} = journal.tally();
    if (unsent.count > 0 || staged.count + unapproved.count + doubts.count === 0) return false;
    return this.#missing(this.#releasable(), 'release').length === 0;
  }

  *#releasable(): Generator<JournalRow> {
    const {rows} = this.#batch.journal;
    const states = ['staged', 'in_doubt', 'held', 'unapproved'] as const;
    for (const page of pagesOf((after) => rows.releasable(states, after, PAGE), PAGE)) yield* page;
  }

  *#unsent(): Generator<JournalRow> {
    for (const row of allRows(this.#batch.journal.rows))
      if (['not_sent', 'in_doubt', 'staged', 'held', 'unapproved'].includes(this.#batch.journal.stateOf(row)))
        yield row;
  }

  #missing(rows: Iterable<JournalRow>, path: MovingPath): {reference: string; why: string}[] {
    const now = this.#context.clock.now();
    const missing: {reference: string; why: string}[] = [];
    for (const row of rows) {
      const why = this.#approvals.missingFor(row, path, now);
      if (why !== undefined) missing.push({reference: row.reference, why});
    }
    return missing;
  }

  /**
   * Before anything of a release or a direct run is sent.
   * @throws RemitError GUARD_APPROVAL
   */
  requireFor(path: MovingPath): void {
    this.#require(path === 'release' ? this.#releasable() : this.#unsent(), path);
  }

  #require(rows: Iterable<JournalRow>, path: MovingPath): void {
    const missing = this.#missing(rows, path);
    const [first] = missing;
    if (first === undefined) return;
    const {batchId} = this.#batch.plan;
    const named = missing.slice(0, NAMED).map(({reference}) => reference);
    const more = missing.length > named.length ? ` and ${missing.length - named.length} more` : '';
    const discarded = this.#approvals.discarded.map(
      ({name, why}) => `; ${name.slice(0, 8)} does not count: ${why}`,
    );
    throw new RemitError(
      'GUARD_APPROVAL',
      `batch ${batchId} is not approved: ${counted(missing.length, 'row')} (${named.join(', ')}${more}): ${first.why}${discarded.join('')}; no money was moved`,
      {
        hint: this.#howToApprove,
        details: {batch_id: batchId, rows: missing.length, makers: this.#approvals.makers},
      },
    );
  }

  /** The command for the other person, and what to do without a shared folder. */
  get #howToApprove(): string {
    return approveHints(this.#context, this.#batch).join('\n');
  }

  /** Called before each window of a run. */
  readonly check: BeforeWindow = (window) => {
    if (window === undefined || window.phase === 'stage') return;
    const policy = readPinned(this.#pinned); // may have been replaced
    if (policy.sha256 !== this.#policy.sha256) throw new Error('internal error: another policy was read');
    if (this.#listed() !== this.#names) {
      this.#names = this.#listed();
      this.#approvals = this.#read();
    }
    this.#require(window.rows, window.phase);
    if (this.#isReleasing) return;
    const known = new Set(this.#trail.events.map(({facts}) => facts['approval']));
    const taken = this.#approvals.names.filter((name) => !known.has(name));
    this.#noteAll([
      ...taken.map((approval) => ({event: 'approved' as const, facts: {approval}})),
      {event: 'released', facts: {phase: window.phase, approvals: this.#approvals.names}},
    ]);
    this.#isReleasing = true;
  };
}

/** The next command of a batch that is read, by the profile in force. */
export function nextUnderPolicy(local: LocalContext, project: ProjectFile | undefined) {
  const {runtime, clock, flags} = local;
  return (batch: OpenBatch, next: string | null): string | null => {
    try {
      const profile = approvalProfile(local, project);
      if (profile?.approvalPolicy === undefined) return next;
      return (
        ApprovalGate.open({runtime, clock, commands: localCommands(flags), profile}, batch)?.nextOf(next) ??
        next
      );
    } catch (error) {
      if (!(error instanceof RemitError)) throw error; // the command itself says what is wrong
      return next;
    }
  };
}

/** What the other person types, in the same folder but with another profile; the file is their own copy. */
function approveCommand({commands}: Pick<Context, 'commands'>, {plan}: Pick<OpenBatch, 'plan'>): string {
  const {kind, batchId, file} = plan;
  const theirs = commands.forBatch({
    ...{batchId, mode: 'test', profile: undefined, namespace: undefined, out: undefined},
  });
  const name = file.path === '-' ? 'FILE' : file.name;
  return theirs.read(KINDS[kind].topic, 'batch', 'approve', batchId, '--file', name, ...asRead(plan));
}

/** The flags with which the file of a plan was read. */
export const asRead = ({namespace, readFlags = []}: Plan): string[] => [
  ...(namespace === DEFAULT_NAMESPACE ? [] : ['--namespace', namespace]),
  ...readFlags,
];

export function approveHints(context: Pick<Context, 'commands'>, batch: Pick<OpenBatch, 'plan'>): string[] {
  const {kind, batchId} = batch.plan;
  const ask = [KINDS[kind].topic, 'batch', 'approve', batchId, '--ask', `${batchId}.request`];
  return [
    `to be typed by another person, with their own copy of the file: ${approveCommand(context, batch)}`,
    `if they cannot use this state folder or database, send them the file that this writes: ${context.commands.read(...ask)}`,
  ];
}
