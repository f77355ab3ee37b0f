import {isSameId} from '../../contract/ids.ts';
import {RemitError} from '../../errors.ts';
import {newestFirst} from '../../service/paging.ts';
import type {Context} from '../core/context.ts';
import {warnOf} from './reads.ts';
import {AmountTally} from './tally.ts';
import type {PayinOrPayout} from './money/money-kind.ts';
import {PAYIN, PAYOUT} from './money/transfer-kinds.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/** Payins or payouts that are searched: the newest of all, because not every service can filter them. */
const SEARCHED = 200;
/** Matches that are listed. */
const LISTED = 10;

/** Where the matches are: `payouts` whose `payee_id` is the record. */
export interface Matching {
  kind: PayinOrPayout;
  field: 'payee_id' | 'payer_id' | 'subaccount_id';
  /** `to this payee` */
  relation: string;
  /** The flag of the list command that shows all of them. */
  flag: string | undefined;
}

export const TO_PAYEE: Matching = {
  ...{kind: PAYOUT, field: 'payee_id', relation: 'to this payee', flag: '--payee'},
};
export const FROM_PAYER: Matching = {
  ...{kind: PAYIN, field: 'payer_id', relation: 'from this payer', flag: '--payer'},
};
export const OF_SUBACCOUNT: readonly Matching[] = [
  {kind: PAYOUT, field: 'subaccount_id', relation: 'from this subaccount', flag: undefined},
  {kind: PAYIN, field: 'subaccount_id', relation: 'to this subaccount', flag: undefined},
];

/**
 * Below the card of a record, for people: which of the last payouts or payins belong to it. The record was read
 * already, so a list that cannot be read is only a note.
 */
export async function showRecent(
  context: Context,
  id: string,
  matchings: readonly Matching[],
): Promise<void> {
  const {out, stop} = context;
  if (!out.forPeople || out.settings.query !== undefined || out.settings.fields.length > 0) return;
  for (const matching of matchings) {
    try {
      await showMatches(context, id, matching);
    } catch (error) {
      if (!(error instanceof RemitError) || stop.signal.aborted) throw error;
      out.note(`The last ${matching.kind.view.plural} could not be read: ${error.message}`);
    }
  }
}

async function showMatches(context: Context, id: string, matching: Matching): Promise<void> {
  const {out, client, commands, stop} = context;
  const {kind, field, relation, flag} = matching;
  const {plural} = kind.view;
  const options = {limit: SEARCHED, pageSize: 100, signal: stop.signal, onWarning: warnOf(context)};
  const query = newestFirst(context.profile.service.paging);
  const listing = client.records(`${kind.resource}.list`, query, options);
  const shown: ServiceRecord[] = [];
  const tally = new AmountTally();
  let searched = 0;
  for await (const record of listing) {
    searched += 1;
    if (!isSameId(record[field] ?? '', id)) continue;
    tally.add(record);
    if (shown.length < LISTED) shown.push(record);
  }
  const of = searched === 1 ? kind.view.noun : plural;
  const range = `Among ${listing.more ? 'the last' : 'all'} ${searched} ${of}`;
  const sum = tally.money === '' ? '' : `, ${tally.money}`;
  if (searched === 0) return out.text(`\nThere are no ${plural}`);
  if (tally.count === 0) return out.text(`\n${range}: none ${relation}`);
  out.text(
    `\n${range}: ${tally.count} ${relation}${sum}${tally.count > LISTED ? `; the newest ${LISTED}:` : ''}`,
  );
  const columns = kind.view.columns.filter(
    ({path}) => !path.endsWith(`.${kind.partyLabel}.name`) || flag === undefined,
  );
  await out.list(shown, {...kind.view, columns});
  if (flag === undefined || tally.count <= LISTED) return;
  out.note('All of them:');
  out.hint(commands.read(kind.resource, 'list', flag, id, '--all'));
}
