import {LIFECYCLES} from '../../../contract/lifecycle.ts';
import {isSameId} from '../../../contract/ids.ts';
import type {OperationId} from '../../../contract/operations/operations.ts';
import type {JsonFields} from '../../../narrow.ts';
import {filtersHere} from '../../../service/paging.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import {failedReplyText, replyOutcome} from '../survey/asker.ts';
import {joined} from '../survey/draft.ts';
import {textLeavesOf} from '../survey/shapes.ts';
import {isRefused, resourceOf, type Sample, type ServiceSurvey} from '../survey/survey.ts';
import {NO_SUCH_ID} from './errors.ts';
import {recordsOf} from './page-asked.ts';

/** A filter, what must not pass it, and what must. */
interface Filter {
  readonly name: string;
  /** Excludes every record, or all that do not have this value. */
  readonly wanted: string;
  readonly excludes: (record: JsonFields) => boolean;
  /** The value of a record that the list has; undefined for times, whose bounds services read differently. */
  readonly known?: string | undefined;
}

const LISTS = [
  ['payouts.list', 'payee_id', 5],
  ['payins.list', 'payer_id', 5],
  ['accountTransfers.list', 'account_id', 27],
] as const;

/**
 * Asks for records that a filter excludes, which a service that ignores it returns, and for one that the list has, which
 * a service that compares another word does not return.
 */
export async function checkListFilters(survey: ServiceSurvey): Promise<void> {
  for (const [id, party, row] of LISTS) {
    const sample = survey.samples.get(id);
    const [first] = sample?.canonical ?? [];
    if (sample === undefined || first === undefined) {
      survey.unknown(`filters.${resourceOf(id)}`, 'no record to filter', {row});
      continue;
    }
    for (const filter of filtersOf(id, party, first)) await checkFilter(survey, {id, sample, filter, row});
  }
}

function filtersOf(id: OperationId, party: string, first: JsonFields): Filter[] {
  const status = textIn(first, 'status');
  const {next, initial} = lifecycleOf(id);
  const other = Object.keys(next).find((one) => one !== status) ?? initial;
  const known = textIn(first, party === 'account_id' ? 'source_account_id' : party);
  return [
    {name: 'status', wanted: other, excludes: (record) => record['status'] !== other, known: status},
    {
      ...{name: party, wanted: NO_SUCH_ID, known},
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

const lifecycleOf = (id: OperationId) =>
  id === 'accountTransfers.list' ? LIFECYCLES.accountTransfer : LIFECYCLES.payout;

const textIn = (record: JsonFields, name: string): string | undefined => {
  const value = record[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

interface Checked {
  readonly id: OperationId;
  readonly sample: Sample;
  readonly filter: Filter;
  readonly row: number;
}

async function checkFilter(survey: ServiceSurvey, checked: Checked): Promise<void> {
  const {id, row} = checked;
  const {name, wanted, excludes, known} = checked.filter;
  const {file} = survey.draft;
  const resource = resourceOf(id);
  const check = `filters.${resource}.${name}`;
  if (filtersHere(id, file).includes(name))
    return survey.holds(check, 'remit filters the records itself, as the service file states', {row});
  const reply = await survey.askList(id, {[name]: wanted, limit: 5});
  const records = recordsOf(reply);
  const isIgnored = records?.some(excludes) === true;
  // Right for any service: remit reads the whole list and filters it.
  const write = {filters: {[resource]: {[name]: false as const}}};
  if (isIgnored || isRefused(reply)) {
    const evidence = isIgnored
      ? `${name}=${wanted} returned records that it excludes`
      : `${replyOutcome(reply)} for ${name}=${wanted}`;
    const when = 'if the service has no such filter';
    return survey.differs(check, evidence, {row, write, sure: isIgnored, when});
  }
  if (records === undefined && reply.status !== 404)
    return survey.unknown(check, `${failedReplyText(reply, 'a list')} for ${name}=${wanted}`, {row});
  if (known === undefined || (await returnsRecords(survey, id, {[name]: known}))) {
    const words = known === undefined ? '' : `, and ${name}=${known} returned records`;
    return survey.holds(check, `${name}=${wanted} returned no other records${words}`, {row});
  }
  const evidence = `${name}=${known} returned no records, although the list has some`;
  const statuses = name === 'status' ? await otherWords(survey, checked, known) : undefined;
  if (statuses === undefined) survey.differs(check, evidence, {row, write, sure: true});
  else
    survey.differs(`statuses.${resource}`, `${evidence}; its own word for the status does`, {
      ...{row, write: {statuses: {[resource]: statuses}}, sure: true},
    });
}

async function returnsRecords(
  survey: ServiceSurvey,
  id: OperationId,
  query: Record<string, string>,
  file?: ServiceFile,
): Promise<boolean> {
  const reply = await survey.askList(id, {...query, limit: 5}, file);
  return (recordsOf(reply) ?? []).length > 0;
}

/** The service's words for the statuses, if the filter needs them: those of its records, in which case does not matter. */
async function otherWords(
  survey: ServiceSurvey,
  {id, sample}: Checked,
  status: string,
): Promise<Record<string, string> | undefined> {
  const word = sample.wire
    .flatMap((record) => textLeavesOf(record).map(({value}) => value))
    .find((value) => value !== status && value.toLowerCase() === status.toLowerCase());
  if (word === undefined) return undefined;
  const isUpper = word === status.toUpperCase();
  const others = isUpper ? Object.keys(lifecycleOf(id).next) : [];
  const statuses = Object.fromEntries([
    ...others.map((one) => [one.toUpperCase(), one] as const),
    [word, status] as const,
  ]);
  const file = joined(survey.draft.file, {statuses: {[resourceOf(id)]: statuses}});
  return (await returnsRecords(survey, id, {status}, file)) ? statuses : undefined;
}
