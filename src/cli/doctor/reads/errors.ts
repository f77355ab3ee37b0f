import {SERVICE_ERRORS} from '../../../contract/error-codes.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import {isObject} from '../../../narrow.ts';
import {outcomeOf, type Reply} from '../survey/asker.ts';
import {findings} from '../survey/finding.ts';
import {isPath, leavesOf} from '../survey/shapes.ts';
import type {Survey} from '../survey/survey.ts';

const {holds, differs, unknown} = findings('service');

/** A well-formed id that does not exist. */
export const NO_SUCH_ID = '00000000-0000-4000-8000-000000000000';
const ROW = 42;

/** Checks the error body for a payout that does not exist. */
export async function checkErrors(survey: Survey): Promise<void> {
  const reply = await survey.ask('payouts.get', {params: {id: NO_SUCH_ID}});
  const what = `${outcomeOf(reply)} for a payout that does not exist`;
  if (reply.status !== 404 && reply.status !== 400) {
    for (const check of ['errors.code', 'errors.message'])
      survey.found.push(unknown(check, what, {row: ROW}));
    return;
  }
  if (!isObject(reply.wire)) {
    survey.found.push(differs('errors.code', `${what}, and the body is not a JSON object`, {row: ROW}));
    return;
  }
  checkCode(survey, reply, what);
  checkMessage(survey, reply);
}

const isCode = (value: unknown): boolean =>
  typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_.:-]{0,99}$/.test(value);

function checkCode(survey: Survey, {errorCode, wire, status}: Reply, what: string): void {
  if (errorCode === undefined) {
    const code = leavesOf(wire).find(
      ({path, name, value}) =>
        isPath(path) && /code|type|reason|error|kind|key|slug/i.test(name) && isCode(value),
    );
    if (code === undefined) {
      survey.found.push(differs('errors.code', `${what}, and the body has no code`, {row: ROW}));
      return;
    }
    const write: ServiceFile = {errors: {code: code.path, ...codesOf(String(code.value), status)}};
    const evidence = `the code is in ${code.path}: ${String(code.value)}`;
    survey.differs(differs('errors.code', evidence, {row: ROW, write, sure: true}));
    return;
  }
  survey.found.push(holds('errors.code', `${what}, with the code ${errorCode}`, {row: ROW}));
  if (Object.hasOwn(SERVICE_ERRORS, errorCode)) return;
  const codes = codesOf(errorCode, status);
  survey.differs(
    differs('errors.codes', `${errorCode} is not a documented code`, {
      ...{row: ROW, ...(codes.codes === undefined ? {} : {write: {errors: codes}, sure: true})},
    }),
  );
}

/** The documented code for an id that does not exist is NOT_FOUND, so the service's code must mean the same. */
function codesOf(code: string, status: number): {codes?: Record<string, string>} {
  if (Object.hasOwn(SERVICE_ERRORS, code)) return {};
  const documented = status === 404 ? 'NOT_FOUND' : 'VALIDATION_ERROR';
  return {codes: {[code]: documented}};
}

function checkMessage(survey: Survey, {message, errorCode, wire}: Reply): void {
  if (message !== undefined && errorCode !== undefined) {
    survey.found.push(holds('errors.message', 'the error body has a message', {row: ROW}));
    return;
  }
  const words = leavesOf(wire).find(
    ({path, name, value}) =>
      isPath(path) &&
      /message|detail|description|reason|title|text|msg/i.test(name) &&
      typeof value === 'string',
  );
  const evidence = words === undefined ? 'the error body has no message' : `the message is in ${words.path}`;
  const write = words === undefined ? undefined : {errors: {message: words.path}};
  survey.differs(differs('errors.message', evidence, {row: ROW, write, sure: write !== undefined}));
}

/** Looks for the header with the request id in the answers of the other checks. */
export function checkRequestId(survey: Survey): void {
  const check = 'headers.requestId';
  const own = survey.draft.file.headers?.requestId?.toLowerCase();
  const names = new Set(survey.replies.flatMap(({headers}) => Object.keys(headers)));
  const known = [own, 'x-request-id', 'request-id'].find((name) => name !== undefined && names.has(name));
  if (known !== undefined) {
    survey.found.push(holds(check, known));
    return;
  }
  const other = [...names].find((name) =>
    /(request|trace|correlation|transaction)-?id$|^x-trace$/.test(name),
  );
  if (other === undefined) survey.found.push(unknown(check, 'no answer has a header with a request id'));
  else
    survey.differs(
      differs(check, `answers have the header ${other}`, {write: {headers: {requestId: other}}, sure: true}),
    );
}
