import {allOperations} from '../../../contract/operations/operations.ts';
import type {Context} from '../../core/context.ts';
import {checkAnswers} from '../machine/connection.ts';
import {checkErrors, checkRequestId} from './errors.ts';
import {type Finding, findings} from '../survey/finding.ts';
import {checkGets} from './gets.ts';
import {checkLists, LISTS} from './lists.ts';
import {checkPaging} from './paging.ts';
import {checkRecords} from './records.ts';
import {rowOf, Survey} from '../survey/survey.ts';

const {unknown} = findings('service');
const connection = findings('connection');

/** Everything about the service that reads can show. Nothing is changed there. */
export async function checkService(context: Context): Promise<Survey> {
  const survey = new Survey(context);
  const first = await survey.ask('payouts.list', {query: {limit: 5}});
  const end = endOf(first);
  if (end !== undefined) {
    survey.found.push(end, unknown('service', 'not checked: no request could be made'));
    return survey;
  }
  survey.found.push(connection.holds('service', `${context.profile.baseUrl} answers (${first.status})`));
  await checkShapes(survey);
  survey.found.push(...checkAnswers(survey.said, {nowMs: context.clock.now()}));
  return survey;
}

/** Routes, envelopes, pages, fields and errors, by asking for them. */
export async function checkShapes(survey: Survey): Promise<void> {
  await checkLists(survey);
  for (const id of LISTS) checkRecords(survey, id, survey.samples.get(id));
  await checkGets(survey);
  for (const id of ['payeePaymentMethods.list', 'payerPaymentMethods.list'] as const)
    checkRecords(survey, id, survey.samples.get(id));
  await checkPaging(survey);
  await checkErrors(survey);
  checkRequestId(survey);
}

/** Without an answer, or with a key that is not accepted, nothing else can be found out. */
function endOf({failure, status}: Survey['said'][number]): Finding | undefined {
  if (failure !== undefined) return connection.differs('service', failure.why);
  if (status === 401 || status === 403)
    return connection.differs('service', `the key is not accepted (${status})`);
  if (status >= 300 && status < 400)
    return connection.differs('service', `it redirects (${status}), and redirects are not followed`);
  return undefined;
}

/** What no read can show, as far as nothing else has shown it. */
export function notReadable(found: readonly Finding[]): Finding[] {
  const writes = allOperations().filter(({operation}) => operation.method !== 'GET');
  const rows = [...new Set(writes.map(({id}) => rowOf(id)))].filter((row) => row !== undefined);
  const known = new Set(found.map(({check}) => check));
  return [
    unknown('routes of writes', `${writes.length} operations change something; rows ${rows.join(', ')}`),
    unknown('keys', 'a create would show header, format and replay of idempotency keys', {row: 45}),
    unknown('keys.horizon', 'for how long the service remembers a key', {row: 46}),
    unknown('metadata.reference', 'a create would show whether metadata comes back', {row: 51}),
    unknown('webhooks', 'a delivery would show its timestamp and signature', {row: 36}),
  ].filter(({check}) => !known.has(check));
}
