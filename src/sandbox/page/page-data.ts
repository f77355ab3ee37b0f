import type {Queries} from '../../store/port/port.ts';
import type {Entity} from '../world/context.ts';
import type {RequestCounts, RequestEntry} from '../api/exchange.ts';
import {listKeys, type KeyRights} from '../world/keys.ts';
import {balances, type AccountId} from '../ledger/ledger.ts';
import {text} from '../base/rows.ts';
import {toTransfer, type Transfer, type TransferKind} from '../records/transfer.ts';
import type {DeliveryCounts} from '../webhooks/delivery-desk.ts';
import {listEntities} from '../entities/entities.ts';
import type {PageView} from './page-view.ts';
import type {DeliveryRecord, ShownDelivery, ClockStatus} from '../base/shown-records.ts';

/** How many of each the page shows. */
export const SHOWN = 10;

export interface ShownTransfer extends Transfer {
  mode: Entity['mode'];
  partyName: string;
}

export interface ShownEntity extends Entity {
  /** The keys in order of use, and never a complete one. */
  keys: {masked: string; scope: KeyRights}[];
  /** Minor units of USD. */
  money: {label: string; minor: bigint}[];
}

/** The data of the store as one snapshot. */
export interface Records {
  entities: ShownEntity[];
  payouts: ShownTransfer[];
  payins: ShownTransfer[];
}

/** Everything that the page shows. */
export interface PageData extends Records {
  clock: ClockStatus;
  /** Newest first. */
  requests: readonly RequestEntry[];
  counts: RequestCounts;
  deliveries: readonly ShownDelivery[];
  /** The one that is open. */
  delivery: DeliveryRecord | undefined;
  deliveryCounts: DeliveryCounts;
  faults: number;
}

export async function readRecords(queries: Queries, {before, shown}: PageView): Promise<Records> {
  const keys = await listKeys(queries);
  const entities: ShownEntity[] = [];
  for (const entity of await listEntities(queries))
    entities.push({
      ...entity,
      keys: keys
        .filter((key) => key.entity_id === entity.id)
        .map(({key, scope}) => ({masked: maskKey(key), scope})),
      money: moneyOf(await balances(queries, entity.id)),
    });
  return {
    entities,
    payouts: await newest(queries, entities, {kind: 'payout', before: before.payouts, also: shown?.id}),
    payins: await newest(queries, entities, {kind: 'payin', before: before.payins, also: shown?.id}),
  };
}

/** `test_sandbox_…k3Fa`: enough to tell keys apart. */
const maskKey = (key: string): string => `${/^(?:test|live)_sandbox_/.exec(key)?.[0] ?? ''}…${key.slice(-4)}`;

function moneyOf(held: ReadonlyMap<AccountId, bigint>): ShownEntity['money'] {
  const sumWhere = (belongs: (id: string) => boolean) =>
    [...held].reduce((sum, [id, amount]) => (belongs(id) ? sum + amount : sum), 0n);
  return [
    {label: 'Main account', minor: sumWhere((id) => id === 'main')},
    {label: 'Other treasury accounts', minor: sumWhere((id) => id.startsWith('treasury:'))},
    {label: 'Subaccounts', minor: sumWhere((id) => id.startsWith('sub:'))},
    {label: 'Reserved', minor: sumWhere((id) => id === 'reserved' || id.startsWith('reserved:'))},
    {label: 'On its way', minor: sumWhere((id) => id === 'clearing' || id === 'transit')},
  ];
}

/** Read by entity, the order of the table; then the newest of both. A record that is open is never left out. */
async function newest(
  queries: Queries,
  entities: readonly Entity[],
  {kind, before, also}: {kind: TransferKind; before: string | undefined; also: string | undefined},
): Promise<ShownTransfer[]> {
  const found: ShownTransfer[] = [];
  const from = `select t.*, p.name as party_name from transfers t
     join parties p on p.entity_id = t.entity_id and p.kind = ? and p.id = t.party_id
     where t.entity_id = ? and t.kind = ?`;
  const older = before === undefined ? '' : ' and t.id < ?';
  for (const {id, mode} of entities) {
    const of = [kind === 'payout' ? 'payee' : 'payer', id, kind];
    const rows = await queries.all(`${from}${older} order by t.id desc limit ?`, [
      ...of,
      ...(before === undefined ? [] : [before]),
      SHOWN,
    ]);
    if (also !== undefined && !rows.some((row) => text(row, 'id') === also))
      rows.push(...(await queries.all(`${from} and t.id = ?`, [...of, also])));
    found.push(...rows.map((row) => ({...toTransfer(row), mode, partyName: text(row, 'party_name')})));
  }
  const sorted = found.sort((a, b) => (a.id < b.id ? 1 : -1));
  return sorted.filter(({id}, index) => index < SHOWN || id === also);
}
