import {isObject} from '../../narrow.ts';
import {cleanLine} from '../../sanitize/harmful.ts';
import type {ShownRecord} from '../../output/shown.ts';
import {writeFileAtomic} from '../../store/files/atomic-file.ts';
import {
  isOwnFolder,
  LOCAL_SERVICE,
  MOST_IDS,
  plainUrl,
  readSeen,
  seenFolder,
  seenPath,
  type SeenIds,
  type SeenId,
} from './seen.ts';

/** Where the records belong; without a profile they are records of this machine. */
interface Origin {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  nowMs: number;
  profile: {name: string | null; baseUrl: string} | undefined;
}

/** How a kind of record is completed: its kind, the field that is typed, and the fields that describe it. */
const KINDS: Readonly<Record<string, {kind: string; id: string; label: readonly string[]}>> = {
  payout: {kind: 'payouts', id: 'id', label: ['status']},
  payin: {kind: 'payins', id: 'id', label: ['status']},
  move: {kind: 'moves', id: 'id', label: ['status']},
  'account transfer': {kind: 'transfers', id: 'id', label: ['status']},
  payee: {kind: 'payees', id: 'id', label: ['name']},
  payer: {kind: 'payers', id: 'id', label: ['name']},
  subaccount: {kind: 'subaccounts', id: 'id', label: ['name']},
  'treasury account': {kind: 'accounts', id: 'id', label: ['label', 'currency_code']},
  'payment method': {kind: 'payment-methods', id: 'id', label: ['type', 'last4']},
  'webhook endpoint': {kind: 'endpoints', id: 'id', label: ['url']},
  'event type': {kind: 'event-types', id: 'type', label: ['description']},
  delivery: {kind: 'deliveries', id: 'id', label: ['event_type', 'state']},
  'recorded delivery': {kind: 'events', id: 'delivery', label: ['event_type', 'verdict']},
  checkpoint: {kind: 'checkpoints', id: 'name', label: ['clock_at']},
  'fault rule': {kind: 'faults', id: 'id', label: ['effect']},
};

const MOST_LABEL = 60;

/**
 * Keeps the ids of records that were just shown, for shell completion. Only if completion is used on this machine, and
 * never an error: the command has already succeeded.
 */
export function rememberShown(shown: readonly ShownRecord[], {env, home, nowMs, profile}: Origin): void {
  const folder = seenFolder(env, home);
  if (!isOwnFolder(folder)) return;
  const path = seenPath(folder, profile === undefined ? LOCAL_SERVICE : profile.name);
  try {
    const seen = readSeen(path, profile === undefined ? '' : plainUrl(profile.baseUrl), nowMs);
    const next = withShown(seen, shown, nowMs);
    if (next !== seen) writeFileAtomic(path, JSON.stringify(next), {durable: false});
  } catch {
    // A full disk or a folder that was removed: the next completion offers fewer ids.
  }
}

/** Newest first. The same object if nothing can be remembered. */
function withShown(seen: SeenIds, shown: readonly ShownRecord[], nowMs: number): SeenIds {
  const ids: Record<string, readonly SeenId[]> = {...seen.ids};
  const found = shown.flatMap((one) => seenIdOf(one, nowMs));
  if (found.length === 0) return seen;
  for (const {kind} of found) {
    const own = found.filter((one) => one.kind === kind).map(({entry}) => entry);
    const isNew = new Set(own.map(({id}) => id));
    const others = (seen.ids[kind] ?? []).filter(({id}) => !isNew.has(id));
    ids[kind] = [...own, ...others].slice(0, MOST_IDS);
  }
  return {...seen, ids};
}

function seenIdOf({noun, record}: ShownRecord, atMs: number): {kind: string; entry: SeenId}[] {
  if (!isObject(record)) return [];
  const known = KINDS[noun === 'delivery' && 'delivery' in record ? 'recorded delivery' : noun];
  const id = known === undefined ? undefined : record[known.id];
  if (known === undefined || typeof id !== 'string' || id === '') return [];
  const label = known.label.map((field) => record[field]).filter((value) => typeof value === 'string');
  return [{kind: known.kind, entry: {id, label: cleanLine(label.join(' ')).slice(0, MOST_LABEL), atMs}}];
}
