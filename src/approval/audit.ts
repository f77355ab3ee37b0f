import {createHash} from 'node:crypto';
import {closeSync, existsSync, fsyncSync, ftruncateSync, openSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {RemitError} from '../errors.ts';
import {isObject, ownJson} from '../narrow.ts';
import {fileFailure} from '../store/files/failures.ts';
import {syncFolder} from '../store/files/folder.ts';
import {writeFileAtomic} from '../store/files/atomic-file.ts';
import {readApprovalFile} from './approval-files.ts';
import {type Canonical, canonicalJson} from './canonical.ts';
import type {AuditHead} from './document.ts';

const AUDIT_EVENTS = [
  'planned',
  'confirmed',
  'staged',
  'approved',
  'released',
  'resolved',
  'retried',
  'canceled',
] as const;
export type AuditEventName = (typeof AUDIT_EVENTS)[number];

/** What happened to a batch, when, and who did it. */
export interface AuditEvent {
  event: AuditEventName;
  at: string;
  /** The user of the operating system. */
  by: string;
  /** Who that is in the policy: the owner of the key of the profile. */
  person: string | null;
  /** What else is known: revision, totals, references, approvals. */
  facts: {readonly [name: string]: Canonical};
}

/** An event in its place. */
export interface ChainedEvent extends AuditEvent {
  /** 1 for the first event. */
  seq: number;
  /** Hash of the event before; empty for the first. */
  previous: string;
}

export interface AuditTrail {
  events: ChainedEvent[];
  /** The hash of each. */
  hashes: string[];
  /** The first line that does not follow from those before it. */
  broken: {line: number; why: string} | undefined;
  /** Bytes of the whole lines: a process that was killed may have left a part of one, which never counted. */
  bytes: number;
}

const hashOf = (line: string): string => createHash('sha256').update(line).digest('hex');

/** One line of canonical JSON for each event; each has the hash of the line before it. */
export const auditFile = (batchFolder: string): string => join(batchFolder, 'audit.ndjson');

export const readTrail = (batchFolder: string): AuditTrail => parseTrail(trailText(batchFolder));

export function trailText(batchFolder: string): string {
  const path = auditFile(batchFolder);
  return existsSync(path) ? readApprovalFile(path, true) : '';
}

/**
 * Copies the trail of a batch to a folder which may have the beginning of it.
 * @throws RemitError GUARD_APPROVAL if it has another one
 */
export function copyTrail(from: string, to: string): void {
  const text = trailText(from);
  if (!text.startsWith(trailText(to)))
    throw new RemitError(
      'GUARD_APPROVAL',
      `the audit trail ${auditFile(to)} is not the beginning of that of the batch`,
      {
        hint: 'find out which of them was changed; nothing was moved',
      },
    );
  if (text !== '') writeFileAtomic(auditFile(to), text);
}

export function parseTrail(text: string): AuditTrail {
  const trail: AuditTrail = {events: [], hashes: [], broken: undefined, bytes: 0};
  const lines = text.split('\n');
  lines.pop();
  for (const [at, line] of lines.entries()) {
    const why = problemOf(line, at + 1, trail.hashes.at(-1) ?? '');
    if (why !== undefined) return {...trail, broken: {line: at + 1, why}};
    trail.events.push(ownJson<ChainedEvent>(line)); // problemOf has checked it
    trail.hashes.push(hashOf(line));
    trail.bytes += Buffer.byteLength(line) + 1;
  }
  return trail;
}

function problemOf(line: string, seq: number, previous: string): string | undefined {
  if (line === '') return 'it is missing';
  let event;
  try {
    event = ownJson<Canonical>(line);
  } catch {
    return 'it is not JSON';
  }
  if (!isObject(event) || canonicalJson(event) !== line) return 'it was not written by remit';
  if (event['seq'] !== seq) return `it is not number ${seq}`;
  if (!AUDIT_EVENTS.some((name) => name === event['event'])) return 'its event is unknown';
  if (event['previous'] !== previous)
    return seq === 1 ? 'the events before it are missing' : 'the event before it was changed or removed';
  return undefined;
}

export const auditHead = ({hashes}: AuditTrail): AuditHead => ({
  events: hashes.length,
  hash: hashes.at(-1) ?? '',
});

/**
 * Adds events to the trail of a batch whose lock is held; durable when it returns.
 * @throws RemitError GUARD_APPROVAL if the trail was changed
 */
export function addEvents(batchFolder: string, events: readonly AuditEvent[]): AuditTrail {
  const trail = readTrail(batchFolder);
  if (trail.broken !== undefined) throw brokenTrail(auditFile(batchFolder), trail.broken);
  let text = '';
  for (const event of events) {
    const {events: before, hash} = auditHead(trail);
    const chained = {...event, seq: before + 1, previous: hash};
    const line = canonicalJson(chained);
    trail.events.push(chained);
    trail.hashes.push(hashOf(line));
    text += `${line}\n`;
  }
  const path = auditFile(batchFolder);
  try {
    const file = openSync(path, 'a', 0o600);
    try {
      ftruncateSync(file, trail.bytes);
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    syncFolder(batchFolder);
  } catch (error) {
    throw fileFailure(error, 'write', path);
  }
  return trail;
}

export const brokenTrail = (path: string, {line, why}: {line: number; why: string}): RemitError =>
  new RemitError('GUARD_APPROVAL', `the audit trail ${path} was changed: line ${line}: ${why}`, {
    hint: 'restore it from a backup; no money moves until then',
  });

/** Events of people who make the rows of a batch. */
const MAKING: ReadonlySet<AuditEventName> = new Set(['staged', 'retried', 'resolved']);

/** Ways of a run that send rows for the first time. A person who only releases rows is not their maker. */
const MAKING_PATHS: readonly unknown[] = ['stage-only', 'direct'];

/** The makers of a batch, and when each row was last touched, according to its trail. */
export function readMakers({events}: AuditTrail): {makers: string[]; touched: Map<string, number>} {
  const makers = new Set<string>();
  const touched = new Map<string, number>();
  for (const {event, person, facts, seq} of events) {
    if (person !== null && (MAKING.has(event) || MAKING_PATHS.includes(facts['path']))) makers.add(person);
    const {rows} = facts;
    if ((event === 'retried' || event === 'resolved') && Array.isArray(rows))
      for (const reference of rows) if (typeof reference === 'string') touched.set(reference, seq);
  }
  return {makers: [...makers], touched};
}
