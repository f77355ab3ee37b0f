import {formatMajor, groupMajor} from '../../money/amount.ts';
import {field, plainValue, text, type Field, type View} from '../records/view.ts';
import type {Json} from '../../narrow.ts';

const usd = (minor: Json): string =>
  typeof minor === 'string' ? `${groupMajor(formatMajor(BigInt(minor), 'USD'))} USD` : plainValue(minor);

const balance = (label: string, path: string): Field => field(label, path, usd);

/** Counts and sums by status: `3 settled (37.50 USD), 1 created (5.00 USD)`. */
const tallies = (label: string, path: string): Field =>
  field(label, path, (value) =>
    listed(
      Object.entries((value ?? {}) as Record<string, {count: number; amount: string}>).map(
        ([status, {count, amount}]) => `${count} ${status} (${usd(amount)})`,
      ),
    ),
  );

/** `4 events, 3 delivered, 1 pending`: only counts above zero. */
const counts = (label: string, path: string): Field =>
  field(label, path, (value) =>
    listed(
      Object.entries((value ?? {}) as Record<string, number>)
        .filter(([, count]) => count > 0)
        .map(([name, count]) => `${count} ${name}`),
    ),
  );

const listed = (parts: readonly string[]): string => parts.join(', ') || 'none';

/** `7 in all: 4 payouts.get 200, 2 payouts.create 201, 1 payees.list 503`. */
function requestCounts(value: Json): string {
  const {total, answers} = value as {total: number; answers: Record<string, number>};
  const each = Object.entries(answers).map(([name, count]) => `${count} ${name}`);
  return each.length === 0 ? 'none' : `${total} in all: ${each.join(', ')}`;
}

/** `sandbox status`: the record of the running process, and what the sandbox reports. */
export const sandboxView: View = {
  noun: 'sandbox',
  plural: 'sandboxes',
  columns: [],
  card: [
    text('Base URL', 'base_url'),
    text('Control URL', 'control_url'),
    text('PID', 'pid'),
    text('Started', 'started_at'),
    text('Store', 'store'),
    text('Clock', 'clock.now'),
    text('Clock mode', 'clock.mode'),
    text('Clock speed', 'clock.speed'),
    text('Timing', 'clock.timing'),
    field('Requests', 'requests', requestCounts),
    text('Faults', 'faults'),
    counts('Deliveries', 'deliveries'),
    balance('Main account (test)', 'audit.entities.0.balances.main'),
    tallies('Payouts (test)', 'audit.entities.0.payouts'),
    tallies('Payins (test)', 'audit.entities.0.payins'),
    balance('Main account (live)', 'audit.entities.1.balances.main'),
    // The whole audit: the rest of it is for machines.
    field('Ledger', 'audit', (audit, _record, {paint}) => {
      const {balanced, problems} = audit as {balanced: boolean; problems: readonly string[]};
      return balanced ? 'balances' : paint('red', `does not balance: ${problems.join('; ')}`);
    }),
  ],
};

export const clockView: View = {
  noun: 'clock',
  plural: 'clocks',
  columns: [],
  card: [text('Now', 'now'), text('Mode', 'mode'), text('Speed', 'speed'), text('Timing', 'timing')],
};

export const magicView: View = {
  noun: 'magic value',
  plural: 'magic values',
  card: [],
  columns: [text('Where', 'where'), text('Value', 'value'), text('Effect', 'effect')],
};

export const sandboxKeyView: View = {
  noun: 'key',
  plural: 'keys',
  card: [text('Key', 'key'), text('Mode', 'mode'), text('Scope', 'scope'), text('Entity', 'entity_id')],
  columns: [text('Key', 'key'), text('Mode', 'mode'), text('Scope', 'scope'), text('Entity', 'entity_id', 1)],
};

export const seededView: View = {
  noun: 'party',
  plural: 'parties',
  card: [],
  columns: [
    text('Kind', 'kind'),
    text('ID', 'id'),
    text('Name', 'name', 2),
    text('Payment method', 'payment_method_id', 1),
  ],
};

export const faultView: View = {
  noun: 'fault rule',
  plural: 'fault rules',
  card: [
    text('ID', 'id'),
    text('Effect', 'effect'),
    text('Match', 'match'),
    text('Times', 'times'),
    text('Probability', 'probability'),
    text('Seen', 'seen'),
    text('Hits', 'hits'),
  ],
  columns: [
    text('ID', 'id'),
    text('Effect', 'effect'),
    text('Match', 'match', 1),
    text('Times', 'times', 3),
    text('Probability', 'probability', 3),
    text('Seen', 'seen', 2),
    text('Hits', 'hits'),
  ],
};

export const checkpointView: View = {
  noun: 'checkpoint',
  plural: 'checkpoints',
  idPath: 'name',
  card: [text('Name', 'name'), text('Saved', 'saved_at'), text('Clock', 'clock_at')],
  columns: [text('Name', 'name'), text('Saved', 'saved_at', 1), text('Clock', 'clock_at')],
};
