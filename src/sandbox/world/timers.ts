import {claimed} from '../../store/port/claim.ts';
import type {Queries} from '../../store/port/port.ts';
import type {SandboxContext} from './context.ts';
import {int, text, textOrNull, word} from '../base/rows.ts';

/** A future action of the simulated bank. */
export interface Timer {
  dueMs: number;
  entityId: string;
  /** Its subject; payment methods and lines are found through their owner. */
  subject: 'payin' | 'payout' | 'payment_method' | 'account_transfer' | 'bank_line';
  ownerId: string | null;
  subjectId: string;
  step: string;
}

/** What a timer does. It happens at `timer.dueMs`, whenever the machine performs it. */
export type FireTimer = (queries: Queries, context: SandboxContext, timer: Timer) => Promise<void>;

export async function setTimer(queries: Queries, context: SandboxContext, timer: Timer): Promise<void> {
  await queries.run(
    'insert into timers (due_ms, id, entity_id, subject, owner_id, subject_id, step) values (?, ?, ?, ?, ?, ?, ?)',
    [
      timer.dueMs,
      context.ids.next(context.clock.now()),
      timer.entityId,
      timer.subject,
      timer.ownerId,
      timer.subjectId,
      timer.step,
    ],
  );
  context.timerAdded(timer.dueMs);
}

/** When the next timer is due; undefined if none is set. */
export async function nextDue(queries: Queries): Promise<number | undefined> {
  const row = await queries.get('select due_ms from timers order by due_ms, id limit 1');
  return row && int(row, 'due_ms');
}

/** When the last of the timers set by now is due; undefined if none is set. */
export async function lastDue(queries: Queries): Promise<number | undefined> {
  const row = await queries.get('select due_ms from timers order by due_ms desc, id desc limit 1');
  return row && int(row, 'due_ms');
}

/** Moves a timer that throws out of the way of the others, and records why. */
export async function parkTimer(queries: Queries, timer: Timer, why: string): Promise<void> {
  const which = 'due_ms = ? and entity_id = ? and subject = ? and subject_id = ? and step = ?';
  const values = [timer.dueMs, timer.entityId, timer.subject, timer.subjectId, timer.step];
  await queries.run(
    `insert into parked_timers (due_ms, id, entity_id, subject, owner_id, subject_id, step, error)
     select due_ms, id, entity_id, subject, owner_id, subject_id, step, cast(? as text) from timers where ${which}`,
    [why, ...values],
  );
  await queries.run(`delete from timers where ${which}`, values);
}

/**
 * Fires up to `most` due timers in the order of (time, id), in the caller's transaction, and removes them. Stops
 * early if a fired timer set another that comes before the next one. Returns how many were fired.
 */
export async function fireDue(
  queries: Queries,
  context: SandboxContext,
  limits: {untilMs: number; most: number},
  fire: FireTimer,
): Promise<number> {
  const rows = await queries.all(
    `select * from timers where due_ms <= ? order by due_ms, id limit ?${claimed(context.store.dialect)}`,
    [limits.untilMs, limits.most],
  );
  let added = Infinity;
  const watching: SandboxContext = {
    ...context,
    timerAdded: (dueMs) => {
      added = Math.min(added, dueMs);
      context.timerAdded(dueMs);
    },
  };
  let fired = 0;
  for (const row of rows) {
    const dueMs = int(row, 'due_ms');
    if (added < dueMs) break;
    await queries.run('delete from timers where due_ms = ? and id = ?', [dueMs, text(row, 'id')]);
    await fire(queries, watching, {
      dueMs,
      entityId: text(row, 'entity_id'),
      subject: word<Timer['subject']>(row, 'subject'), // written by setTimer only
      ownerId: textOrNull(row, 'owner_id'),
      subjectId: text(row, 'subject_id'),
      step: text(row, 'step'),
    });
    fired += 1;
  }
  return fired;
}
