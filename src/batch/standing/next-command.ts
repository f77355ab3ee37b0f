import type {CommandBuilder} from '../../errors.ts';
import {accepting} from '../model/accept.ts';
import {type Kind, KINDS} from '../model/kinds.ts';
import {REFUSED_STREAK} from '../model/stop.ts';
import type {Remaining} from './remaining.ts';

/** Builds the command of a verb, with its flags. */
type Typing = (verb: string, ...flags: readonly string[]) => string;

/** Verbs that need no `--live` with a live key, because they send nothing. */
const LOCAL: ReadonlySet<string> = new Set(['report', 'resolve', 'status', 'find', 'diff', 'export']);

/** Builds the commands for one batch: `--live` is added to those that write. */
export const typingFor =
  (commands: CommandBuilder, {kind, batchId}: {kind: Kind; batchId: string}): Typing =>
  (verb, ...flags) => {
    const words = [KINDS[kind].topic, 'batch', verb, batchId, ...flags];
    return LOCAL.has(verb) ? commands.read(...words) : commands.write(...words);
  };

/** What all commands for a batch share. */
export interface CommandsOfBatch {
  commands: CommandBuilder;
  kind: Kind;
  batchId: string;
}

/**
 * The command that continues a batch, or null if none is needed because it is running, complete or canceled. It is
 * never a command that would be refused or find nothing to do.
 */
export function nextCommand(left: Remaining, batch: CommandsOfBatch): string | null {
  const {commands, kind} = batch;
  const {topic} = KINDS[kind];
  const type = typingFor(commands, batch);
  if (left.isCanceling) {
    if (left.state === 'canceled') return null;
    const isStuck =
      left.lateDoubts + left.disputed + left.stuck > 0 &&
      (left.cancelable === 0 || left.uncancelableRecord !== null);
    // A replay of such a row, or a read of such a record, would stop the cancel in the same way.
    const isStopped = left.in_doubt > 0 && (left.stop === 'redirect' || left.stop === 'lost-record');
    if (isStuck || isStopped) return type('resolve', '--from', 'FILE');
    // Another cancel alone would be refused in the same way; the operator looks at the record first.
    const refused = left.uncancelableRecord;
    return refused === null ? type('cancel') : `${commands.read(topic, 'get', refused)} && ${type('cancel')}`;
  }
  if (left.state === 'running' || left.state === 'complete' || left.state === 'canceled') return null;
  if (left.state === 'planned') return type('run');
  // Reading it again would stop the run in the same way.
  if (left.stop === 'lost-record' && left.in_doubt > 0) return type('resolve', '--from', 'FILE');
  // Rows in doubt come first, and their answers would stop the run in the same way.
  if (left.stop === 'collision' && left.shared > 0) return type('resolve', '--from', 'FILE');
  if (left.mustApproveById && left.staged - left.held - left.goneStaged + left.releasing > 0)
    return byIdCommand(left, commands, byIdRun(left, type), type);
  if (left.unreadable > 0 && left.stop !== undefined) return unreadableCommand(left, type);
  if (left.stop === 'failing' && left.stuck > 0) return type('resolve', '--from', 'FILE');
  const onward = afterCancel(left, batch, onwardCommand(left, type));
  if (onward !== undefined && left.isUnproven) return `${commands.read('profiles', 'test')} && ${onward}`;
  // The service is at its address, so that it refuses these rows themselves, which come first again and would stop the run
  // in the same way.
  if (
    onward === type('resume') &&
    left.stop === 'refused-at-first' &&
    left.refused > 0 &&
    (left.refused === left.not_sent || left.refused >= REFUSED_STREAK)
  )
    return type('resume', ...accepting('refusals'));
  if (onward !== undefined) return onward;
  if (left.lateStaged > 0) return byIdCommand(left, commands, releaseOf(left, type), type);
  if (left.lateDoubts + left.disputed + left.stuck + gone(left) > 0) return type('resolve', '--from', 'FILE');
  const waits = left.retryWaits ?? {batch: null, rows: 0};
  if (left.rejected + left.unapproved - left.lateUnapproved + left.failed > waits.rows) return type('retry');
  if (left.lateUnapproved > 0) return byIdCommand(left, commands, type('retry'), type);
  // It shows in what the record differs, and the commands for each decision.
  if (left.heldReference !== null) return type('status', '--row', left.heldReference);
  const paid = left.retryWaits?.paid ?? null;
  // The operator compares the two, and states that one is the payment of the other, or replaces it.
  if (paid !== null && paid.id !== null) return type('resolve', paid.reference, '--paid', paid.id);
  // The other batch has its own next command.
  const hasEnded = left.rejected + left.failed > 0 || left.deadReference !== null;
  if (waits.batch !== null && hasEnded) return commands.read(topic, 'batch', 'status', waits.batch);
  if (left.deadReference !== null) return type('retry', '--row', left.deadReference);
  // A retry would use a new key, which could pay a second time: its record must be searched for first.
  const party = kind === 'payin' ? '--payer' : '--payee';
  if (left.refusedParty !== null) return commands.read(topic, 'list', party, left.refusedParty, '--all');
  // Its key cannot pay it. In direct mode a record that was not shown may be paid, so it is searched for first.
  if (left.takenRow !== null)
    return left.takenRow.party === null
      ? type('retry', '--row', left.takenRow.reference)
      : commands.read(topic, 'list', party, left.takenRow.party, '--all');
  if (left.mixedUpRow !== null) return type('retry', '--row', left.mixedUpRow);
  if (left.waitsFor !== null) return commands.read(topic, 'batch', 'status', left.waitsFor);
  if (left.otherRecord !== null) return commands.read(topic, 'get', left.otherRecord);
  // A corrected row that a separate batch has paid: the operator compares the two, and states that one replaces the other.
  if (left.replacedRow !== null)
    return type('resolve', left.replacedRow.reference, '--paid', left.replacedRow.id);
  // The operator compares the row with the payment of the other batch.
  if (left.conflictReference !== null) return commands.read(topic, 'batch', 'find', left.conflictReference);
  // A second payment shows in the records of the party; the record of another row, beside its row.
  if (left.maybeTwiceParty !== null)
    return commands.read(topic, 'list', party, left.maybeTwiceParty, '--all');
  if (left.differingReference !== null) return type('status', '--row', left.differingReference);
  return type('report', '--html');
}

/** A run alone would find the record that a row waits for as it was. */
function afterCancel(left: Remaining, {commands, kind}: CommandsOfBatch, onward: string | undefined) {
  const {openFormer: id} = left;
  if (id === null || onward === undefined) return onward;
  return `${commands.write(KINDS[kind].topic, 'cancel', id)} && ${onward}`;
}

/** Rows that a person has to look up: an earlier record of their reference is not found. */
const gone = ({goneStaged, goneUnsent, goneHeld}: Remaining): number => goneStaged + goneUnsent + goneHeld;

/** Whether rows that no run clears up hold the release of the others. */
const isHolding = (left: Remaining): boolean =>
  left.refused + left.conflicts + left.lateDoubts + left.disputed + left.stuck + left.waiting + gone(left) >
  0;

/** A resume would only stage what was staged alone, and does not release beside rows that hold the release. */
const byIdRun = (left: Remaining, type: Typing): string =>
  left.state === 'staged' || isHolding(left) ? releaseOf(left, type) : type('resume');

/** The release of what is staged, without the rows that hold it. */
const releaseOf = (left: Remaining, type: Typing): string =>
  type('release', ...(isHolding(left) ? accepting('rest') : []));

/** The command for records that can only be approved by their ids, or canceled if no profile can allow that. */
function byIdCommand(left: Remaining, commands: CommandBuilder, command: string, type: Typing): string {
  const {profile} = commands;
  if (left.mayApproveById) return command;
  return profile === undefined
    ? type('cancel')
    : `${commands.read('profiles', 'set', profile, '--approve-by-id')} && ${command}`;
}

/**
 * A row that is never readable, sent first, stops every other run in the same way, whatever the reason for the stop. A
 * release does not send it, unless its record is known.
 */
function unreadableCommand(left: Remaining, type: Typing): string {
  const mayRelease =
    left.staged - left.held - left.lateStaged - left.goneStaged > 0 &&
    left.not_sent - left.goneUnsent - left.refused <= 0 &&
    left.unreadableReleases === 0;
  return mayRelease ? type('release', ...accepting('rest')) : type('resolve', '--from', 'FILE');
}

/** Whether some rows can continue without a decision by the operator. */
function onwardCommand(left: Remaining, type: Typing): string | undefined {
  const doubts = left.in_doubt - left.disputed - left.lateDoubts - left.stuck;
  const ready = left.staged - left.held - left.lateStaged - left.goneStaged;
  const unsent = left.not_sent - left.goneUnsent;
  if (left.isProbeRefused) return left.staged > 0 ? type('cancel') : undefined;
  if (left.stop === 'key-forgotten') return undefined; // no record is left to release
  // A release sends no row that has no record yet, and such a row holds it.
  const unstaged = unsent - left.refused + doubts - left.releasing;
  if (left.state === 'staged' && unstaged <= 0 && ready + left.releasing > 0) return releaseOf(left, type);
  if (left.state === 'held' && ready + left.releasing > 0 && unsent - left.refused <= 0)
    return type('release', ...accepting('rest'));
  // A resume would create nothing, and would not release the rest beside rows that only a person can clear up.
  const isHeldUp = left.conflicts + left.lateDoubts + left.disputed + left.stuck > 0;
  if (isHeldUp && unsent + doubts - left.releasing <= 0 && ready > 0 && left.waiting + gone(left) === 0)
    return releaseOf(left, type);
  const open = unsent + doubts + ready;
  if (left.notDirect > 0 && left.notDirect === open) return type('run'); // resume would continue in direct mode
  if (open > 0) return type('resume');
  return undefined;
}
