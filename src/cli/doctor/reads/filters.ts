import {LIFECYCLES} from '../../../contract/lifecycle.ts';
import {isSameId} from '../../../contract/ids.ts';
import type {OperationId} from '../../../contract/operations/operations.ts';
import {isList, isObject} from '../../../narrow.ts';
import {filtersHere} from '../../../service/paging.ts';
import {outcomeOf} from '../survey/asker.ts';
import {findings} from '../survey/finding.ts';
import type {Json} from '../survey/shapes.ts';
import {isGood, resourceOf, type Survey} from '../survey/survey.ts';
import {NO_SUCH_ID} from './errors.ts';

const {holds, differs, unknown} = findings('service');

/** A filter, and what must not pass it. */
interface Filter {
  readonly name: string;
  readonly wanted: string;
  readonly excludes: (record: Json) => boolean;
}

const LISTS = [
  ['payouts.list', 'payee_id', 5],
  ['payins.list', 'payer_id', 5],
  ['accountTransfers.list', 'account_id', 27],
] as const;

/** Asks for records that a filter excludes. A service that ignores the filter returns them. */
export async function checkListFilters(survey: Survey): Promise<void> {
  for (const [id, party, row] of LISTS) {
    const [first] = survey.samples.get(id)?.canonical ?? [];
    if (first === undefined) {
      survey.found.push(unknown(`filters.${resourceOf(id)}`, 'no record to filter', {row}));
      continue;
    }
    const before = survey.found.length;
    for (const filter of filtersOf(id, party, first)) await checkFilter(survey, id, {filter, row});
    if (survey.found.length === before)
      survey.found.push(holds(`filters.${resourceOf(id)}`, 'no record that a filter excludes', {row}));
  }
}

function filtersOf(id: OperationId, party: string, first: Json): Filter[] {
  const status = first['status'];
  const lifecycle = id === 'accountTransfers.list' ? LIFECYCLES.accountTransfer : LIFECYCLES.payout;
  const other = Object.keys(lifecycle.next).find((one) => one !== status) ?? 'created';
  return [
    {name: 'status', wanted: other, excludes: (record) => record['status'] !== other},
    {
      name: party,
      wanted: NO_SUCH_ID,
      excludes: (record) => !(typeof record[party] === 'string' && isSameId(record[party], NO_SUCH_ID)),
    },
    ...(id === 'accountTransfers.list'
      ? []
      : [
          {name: 'created_from', wanted: '2190-01-01T00:00:00Z', excludes: () => true},
          {name: 'created_to', wanted: '1990-01-01T00:00:00Z', excludes: () => true},
        ]),
  ];
}

async function checkFilter(
  survey: Survey,
  id: OperationId,
  {filter: {name, wanted, excludes}, row}: {filter: Filter; row: number},
): Promise<void> {
  const {file} = survey.draft;
  if (filtersHere(id, file).includes(name)) return; // remit filters the records itself
  const resource = resourceOf(id);
  const check = `filters.${resource}.${name}`;
  const reply = await survey.askList(id, {[name]: wanted, limit: 5});
  const data = isObject(reply.json) ? reply.json['data'] : reply.json;
  const records = isList(data) ? data.filter(isObject) : [];
  const isIgnored = isGood(reply) && records.some(excludes);
  if (!isIgnored && (isGood(reply) || reply.status === 404)) return;
  const evidence = isIgnored
    ? `${name}=${wanted} returned records that it excludes`
    : `${outcomeOf(reply)} for ${name}=${wanted}`;
  if (!isIgnored && reply.status !== 400 && reply.status !== 422) {
    survey.found.push(unknown(check, evidence, {row}));
    return;
  }
  // Right for any service: remit reads the whole list and filters it.
  const write = {filters: {[resource]: {[name]: false as const}}};
  survey.differs(
    differs(check, evidence, {row, write, sure: isIgnored, when: 'if the service has no such filter'}),
  );
}
