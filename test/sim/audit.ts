import {lookInto} from './databases.ts';
import {SimDisk} from './disk.ts';
import type {Attempt} from './network.ts';
import {isById, isCancel} from './oracle.ts';
import type {SimOs} from './os.ts';
import type {Place} from './place.ts';

/**
 * Invariant: a row is sent only after a window that covers it, and its claim in the registry, are on the disk. Reads what
 * the disk would hold after a power loss at this moment. A question about a record that is known needs no window. Returns
 * a complaint, or undefined.
 */
export function auditWindows(
  os: SimOs,
  place: Place,
  batchId: string,
  kind: string,
  attempt: Attempt,
): string | undefined {
  if (attempt.method !== 'POST' || isById(attempt) || isCancel(attempt)) return undefined;
  const {metadata} = JSON.parse(attempt.body) as {metadata: {remit_reference: string}};
  const reference = metadata.remit_reference;
  const disk = new SimDisk('/sim/audit', false);
  os.mount('audit', disk);
  const copy = (from: string, name: string) => {
    for (const suffix of ['', '-wal']) {
      const bytes = place.disk.peek(from + suffix, true);
      if (bytes !== undefined) disk.put(`/sim/audit/${name}${suffix}`, Uint8Array.from(bytes));
    }
    return disk.exists(`/sim/audit/${name}`);
  };
  const root = `${place.stateDir}/batches`;
  if (!copy(`${root}/${kind}/${batchId}/journal.db`, 'journal.db'))
    return `request ${attempt.n} of ${reference} left before its journal was on the disk`;
  const isApproving = attempt.body.endsWith(',"auto_approve":true}');
  const known = lookInto('/sim/audit/journal.db', (db) =>
    db.get(
      `select exists (select 1 from windows w where r.n between w.first and w.last and (w.phase <> 'stage' or not ?)) as covered,
              exists (select 1 from outcomes o where o.n = r.n and o.state <> 'not_sent') as sent
       from rows r where r.reference = ?`,
      [isApproving ? 1 : 0, reference],
    ),
  );
  if (!isApproving && known?.['sent'] === 1) return undefined;
  if (known?.['covered'] !== 1)
    return `request ${attempt.n} of ${reference} left before its window was on the disk`;
  if (!copy(`${root}/registry.db`, 'registry.db'))
    return `request ${attempt.n} of ${reference} left before the registry was on the disk`;
  const claims = lookInto('/sim/audit/registry.db', (db) =>
    db.get(
      `select coalesce(
         (select n.way <> 'free' from notes n cross join json_each(n.lines) c
          where n.way <> 'paid' and case n.way when 'free' then c.value else c.value ->> 3 end = ?1
          order by n.seq desc limit 1),
         (select count(*) from entries where reference = ?1)) as count`,
      [reference],
    ),
  );
  return claims?.['count'] === 0
    ? `request ${attempt.n} of ${reference} left before it was claimed`
    : undefined;
}
