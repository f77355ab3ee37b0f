import {SERVICE_ERRORS} from '../../../contract/error-codes.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import {isObject} from '../../../narrow.ts';
import {routeOf} from '../../../service/routes.ts';
import {replyOutcome, type ServiceReply} from '../survey/asker.ts';
import {isPath, textLeavesOf} from '../survey/shapes.ts';
import type {ServiceSurvey} from '../survey/survey.ts';

/** A well-formed id that does not exist. */
export const NO_SUCH_ID = '00000000-0000-4000-8000-000000000000';
const ROW = 42;

/** Checks the error body for a payout that does not exist. */
export async function checkErrors(survey: ServiceSurvey): Promise<void> {
  const reply = await survey.ask('payouts.get', {params: {id: NO_SUCH_ID}});
  const what = `${replyOutcome(reply)} for a payout that does not exist`;
  if (reply.status !== 404 && reply.status !== 400) {
    for (const check of ['errors.code', 'errors.message']) survey.unknown(check, what, {row: ROW});
    return;
  }
  if (!isObject(reply.wire)) {
    const kind = reply.body === undefined ? 'JSON that is not an object' : reply.body;
    const evidence = `${what}, with ${kind}: remit goes by the status`;
    survey.unknown('errors.code', evidence, {row: ROW});
    if (reply.message === undefined)
      survey.unknown('errors.message', 'the error body has no message that can be read', {row: ROW});
    else
      survey.holds('errors.message', `the message is the first line of the ${reply.body ?? 'body'}`, {
        row: ROW,
      });
    return;
  }
  await checkCode(survey, reply, what);
  checkMessage(survey, reply);
}

const CODE = /^[A-Za-z][A-Za-z0-9_.:-]{0,99}$/;

async function checkCode(survey: ServiceSurvey, reply: ServiceReply, what: string): Promise<void> {
  const {errorCode, wire} = reply;
  if (errorCode === undefined) {
    const [code] = textLeavesOf(wire).filter(
      ({path, name, value}) =>
        isPath(path) && /code|type|reason|error|kind|key|slug/i.test(name) && CODE.test(value),
    );
    if (code === undefined) {
      // No line of a service file adds a code, so this is not a difference that could be ended.
      const evidence = `${what}, and the body has no code: remit goes by the status`;
      return survey.unknown('errors.code', evidence, {row: ROW});
    }
    const word = code.value;
    const isMeant = isDocumented(word) || (await whyOpen(survey, word)) === undefined;
    const codes = isDocumented(word) || !isMeant ? {} : {codes: codesOf(word, reply)};
    const write: ServiceFile = {errors: {code: code.path, ...codes}};
    const evidence = `the code is in ${code.path}: ${word}`;
    return survey.differs('errors.code', evidence, {row: ROW, write, sure: true});
  }
  survey.holds('errors.code', `${what}, with the code ${errorCode}`, {row: ROW});
  if (isDocumented(errorCode)) return;
  const evidence = `${errorCode} is not a documented code`;
  const open = await whyOpen(survey, errorCode);
  if (open !== undefined) survey.unknown('errors.codes', `${evidence}; ${open}`, {row: ROW});
  else {
    const write: ServiceFile = {errors: {codes: codesOf(errorCode, reply)}};
    survey.differs('errors.codes', evidence, {row: ROW, write, sure: true});
  }
}

const isDocumented = (code: string): boolean => Object.hasOwn(SERVICE_ERRORS, code);

/** The documented code for an id that does not exist is NOT_FOUND, so the service's code must mean the same. */
const codesOf = (code: string, {status}: ServiceReply): Record<string, string> => ({
  [code]: status === 404 ? 'NOT_FOUND' : 'VALIDATION_ERROR',
});

/** Why the code may mean that the route does not exist, not the payout; undefined if it means the payout. */
async function whyOpen(survey: ServiceSurvey, code: string): Promise<string | undefined> {
  const isAt = (check: string, verdict: string) =>
    survey.found.some((one) => one.check === check && one.verdict === verdict && one.sure !== true);
  if (isAt('routes.payouts.list', 'differs') || isAt('routes.payouts.list', 'unknown'))
    return 'its meaning is open, because the list of payouts was not found';
  if (isAt('routes.payouts.get', 'differs'))
    return 'its meaning is open, because payouts cannot be read by id';
  const {path} = routeOf('payouts.list', survey.draft.file);
  const nowhere = await survey.asker.path(
    `${path.slice(0, path.lastIndexOf('/'))}/remit-doctor/${NO_SUCH_ID}`,
    survey.draft.file,
  );
  if (nowhere.status < 200 || nowhere.status === 429 || nowhere.status >= 500)
    return `its meaning is open, because there was no usable answer for a path that does not exist (${replyOutcome(nowhere)})`;
  return textLeavesOf(nowhere.wire).some(({value}) => value === code)
    ? 'its meaning is open, because a path that does not exist has the same code'
    : undefined;
}

function checkMessage(survey: ServiceSurvey, {message, errorCode, wire}: ServiceReply): void {
  if (message !== undefined && errorCode !== undefined)
    return survey.holds('errors.message', 'the error body has a message', {row: ROW});
  const code = survey.draft.file.errors?.code;
  const words = textLeavesOf(wire).find(
    ({path, name}) =>
      isPath(path) && path !== code && /message|detail|description|reason|title|text|msg/i.test(name),
  );
  if (words?.path === 'message')
    return survey.holds('errors.message', 'the error body has a message', {row: ROW});
  if (words === undefined)
    return survey.unknown('errors.message', 'the error body has no message', {row: ROW});
  const write: ServiceFile = {errors: {message: words.path}};
  survey.differs('errors.message', `the message is in ${words.path}`, {row: ROW, write, sure: true});
}

/** Looks for the header with the request id in the answers of the other checks. */
export function checkRequestId(survey: ServiceSurvey): void {
  const check = 'headers.requestId';
  const own = survey.draft.file.headers?.requestId?.toLowerCase();
  const names = new Set(survey.replies.flatMap(({headers}) => Object.keys(headers)));
  const known = [own, 'x-request-id', 'request-id'].find((name) => name !== undefined && names.has(name));
  if (known !== undefined) return survey.holds(check, known);
  const other = [...names].find((name) =>
    /(request|trace|correlation|transaction)-?id$|^x-trace$/.test(name),
  );
  if (other === undefined) survey.unknown(check, 'no answer has a header with a request id');
  else
    survey.differs(check, `answers have the header ${other}`, {
      write: {headers: {requestId: other}},
      sure: true,
    });
}
