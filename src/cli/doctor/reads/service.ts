import {allOperations, type OperationId} from '../../../contract/operations/operations.ts';
import type {Context} from '../../core/context.ts';
import {checkAnswers} from '../machine/connection.ts';
import {checkErrors, checkRequestId} from './errors.ts';
import {type Finding, findings, toAdd} from '../survey/finding.ts';
import {checkListFilters} from './filters.ts';
import {checkGets} from './gets.ts';
import {checkLists, LISTS} from './lists.ts';
import {checkPaging} from './paging.ts';
import {checkRecords} from './records.ts';
import {failedReplyText, type ServiceReply} from '../survey/asker.ts';
import {untilNothingNew} from '../survey/passes.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import {resourceOf, rowOf, ServiceSurvey} from '../survey/survey.ts';

const {unknown} = findings('service');
const connection = findings('connection');

/**
 * Checks everything about the service that GET requests can show.
 * @param base the service file to start from
 */
export async function surveyService(context: Context, base: ServiceFile): Promise<ServiceSurvey> {
  const first = new ServiceSurvey(context, base);
  const reply = await first.ask('payouts.list', {query: {limit: 5}});
  const end = endOf(reply, context);
  if (end !== undefined) {
    first.found.push(end);
    first.unknown('service', 'not checked, because the service cannot be used');
    return first;
  }
  const survey = await untilNothingNew(first, async (pass) => {
    await checkShapes(pass);
    await pass.attempt('filters', () => checkListFilters(pass));
  });
  survey.found.unshift(
    survey.samples.size > 0
      ? connection.holds('service', `${context.profile.baseUrl} answers`)
      : nothingRead(reply),
  );
  survey.found.push(...checkAnswers(survey.replies, {nowMs: context.clock.now()}));
  return survey;
}

function nothingRead(reply: ServiceReply): Finding {
  const {key} = reply.assumption ?? {};
  return connection.differs('service', `no list could be read; ${failedReplyText(reply, 'a list')}`, {
    fix:
      key === 'headers.send'
        ? toAdd({headers: {send: {[headerIn(reply.message)]: 'value'}}})
        : 'check that the base URL is the address of the API; describe other paths in a service file (routes, prefixes)',
  });
}

/** The name of the header in `the header X-Tenant is missing`. */
const headerIn = (message = ''): string =>
  /\b(x-[a-z0-9-]+|[a-z0-9]+(-[a-z0-9]+)+)\b/i.exec(message)?.[0] ?? 'X-Name';

/** Checks routes, envelopes, paging, fields and errors. */
async function checkShapes(survey: ServiceSurvey): Promise<void> {
  const fieldsOf = (id: OperationId) =>
    survey.attempt(`fields.${resourceOf(id)}`, () => checkRecords(survey, id, survey.samples.get(id)));
  await survey.attempt('routes', () => checkLists(survey));
  for (const id of LISTS) await fieldsOf(id);
  await survey.attempt('routes', () => checkGets(survey));
  for (const id of ['payeePaymentMethods.list', 'payerPaymentMethods.list'] as const) await fieldsOf(id);
  for (const id of ['treasury.transactions', 'treasury.balance'] as const) await fieldsOf(id);
  await survey.attempt('paging', () => checkPaging(survey));
  await survey.attempt('errors', () => checkErrors(survey));
  await survey.attempt('headers.requestId', () => checkRequestId(survey));
}

/** The finding that makes all other checks impossible: no answer, a refused key, or a redirect. */
function endOf({failure, status}: ServiceReply, {commands}: Context): Finding | undefined {
  if (failure !== undefined) return connection.differs('service', failure.why);
  if (status === 401 || status === 403)
    return connection.differs('service', `the key is not accepted (${status})`, {
      fix: `check which key is active: ${commands.read('whoami')}`,
    });
  if (status >= 300 && status < 400)
    return connection.differs('service', `the service redirects (${status}), and remit follows no redirects`);
  return undefined;
}

/** Findings for what GET requests cannot show, unless another check has found it out. */
export function notReadable(found: readonly Finding[], isProbed: boolean): Finding[] {
  const known = new Set(found.map(({check}) => check));
  const probe = isProbed ? 'no payout could be created' : 'checked by --probe-writes';
  const writes = allOperations().filter(
    ({id, operation}) => operation.method !== 'GET' && !known.has(`routes.${id}`),
  );
  const rows = [...new Set(writes.map(({id}) => rowOf(id)))]
    .filter((row) => row !== undefined)
    .sort((a, b) => a - b);
  return [
    unknown(
      'routes of writes',
      `${writes.length} operations that change data were not tried (rows ${rows.join(', ')})`,
    ),
    unknown('keys', `header and format of idempotency keys: ${probe}`, {row: 45}),
    unknown('keys.horizon', 'how long the service remembers a key: measured by repeated --probe-writes', {
      row: 46,
    }),
    unknown('metadata.reference', `whether payouts return their metadata: ${probe}`, {
      row: 51,
    }),
    unknown('webhooks', 'timestamp and signature of deliveries: check them with remit webhooks listen', {
      row: 36,
    }),
  ].filter(({check}) => !known.has(check));
}
