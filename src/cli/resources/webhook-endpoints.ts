import {unwrapRecord} from '../../client/answers/envelope.ts';
import {EXIT, RemitError} from '../../errors.ts';
import {isList, isObject, messageOf, type JsonFields, type Json, asObject} from '../../narrow.ts';
import {plainValue} from '../../output/records/view.ts';
import {webhookEndpointView} from '../../output/views/webhooks.ts';
import type {Context} from '../core/context.ts';
import {openSecretFile, type SecretFile} from '../input/secret-file.ts';
import {write, type Write, type Written} from '../write/write.ts';
import {findSigningSecret, type SigningSecret, withoutSecret} from './signing-secret.ts';
import {done, type CommandOutcome} from '../core/outcome.ts';

const SECRET = 'signing_secret';

/**
 * Registers an endpoint. Its signing secret is sent only once: to stdout with the record, or to a file with mode
 * 0600.
 */
export async function createEndpoint(
  context: Context,
  request: {
    body: JsonFields;
    dryRun: boolean | undefined;
    secretFile: string | undefined;
  },
): Promise<CommandOutcome> {
  const {body, dryRun, secretFile} = request;
  if (secretFile === undefined && !dryRun) checkShown(context);
  const file =
    secretFile === undefined || dryRun ? undefined : openSecretFile(secretFile, context.runtime.cwd);
  let kept = false;
  try {
    const show = ({result: {answer}}: Written) => {
      const created = unwrapRecord(answer);
      const secret = findSigningSecret(answer, context.out.sanitizer);
      if (secret === undefined) return showUnknown(context, created, file);
      kept = file !== undefined && keepSecret(context, file, secret.value);
      return kept && file !== undefined
        ? showRest(context, withoutSecret(created, secret.value), {secret, file})
        : showSecret(context, answer, secret);
    };
    return await write(context, {...endpointCreation(body), dryRun, show});
  } finally {
    if (!kept) file?.discard();
  }
}

/** @throws RemitError USAGE if the output format would hide the secret */
function checkShown({out}: Context): void {
  const {format, fields, query} = out.settings;
  const swallowed = format === 'id' || query !== undefined || (fields.length > 0 && !fields.includes(SECRET));
  if (swallowed)
    throw new RemitError(
      'USAGE',
      'the signing secret is shown only once, and this output format would hide it; nothing was sent',
      {hint: 'add --secret-file FILE to the same command'},
    );
}

/** False, with a warning, if the file cannot be written: then the secret goes to stdout instead. */
export function keepSecret({out}: Context, file: SecretFile, secret: string): boolean {
  try {
    file.keep(secret);
    return true;
  } catch (error) {
    out.warn(`the signing secret could not be written to ${file.path}: ${messageOf(error)}`);
    return false;
  }
}

/** The only time that a secret is written to stdout. If it is outside the record, it is shown with its envelope. */
export function showSecret({out}: Context, answer: Json, {value, field}: SigningSecret): CommandOutcome {
  out.sanitizer.allow(value, field);
  const record = unwrapRecord(answer);
  const created = isObject(record) && record[field] === value ? record : answer;
  out.record(created, webhookEndpointView);
  out.notice('The signing secret is shown only now. Store it where your receiver can read it.');
  return done(created);
}

function showRest(
  {out}: Context,
  rest: Json,
  {secret, file}: {secret: SigningSecret; file: SecretFile},
): CommandOutcome {
  out.sanitizer.conceal(secret.value); // a copy of it in another field stays hidden
  out.record(rest, webhookEndpointView);
  const named = secret.field === SECRET ? '' : ` (sent as ${secret.field})`;
  out.notice(`The signing secret is in ${file.path}${named}.`);
  return done(rest);
}

/** No secret was found. With --secret-file it must not be printed under an unknown name either. */
function showUnknown({out}: Context, created: Json, file: SecretFile | undefined): CommandOutcome {
  const fields = Object.entries(asObject(created));
  const unknown = fields.filter(([field]) => !DOCUMENTED.has(field)).map(([field]) => field);
  const data =
    file === undefined ? created : Object.fromEntries(fields.filter(([field]) => DOCUMENTED.has(field)));
  out.record(data, webhookEndpointView);
  const left =
    file === undefined || unknown.length === 0
      ? ''
      : `; these fields are not shown, because one of them may contain it: ${unknown.join(', ')}`;
  out.warn(`the answer contains no signing secret under a known name${left}`);
  return {data, exitCode: EXIT.PARTIAL};
}

/** Fields of an endpoint that never contain its secret. */
const DOCUMENTED = new Set([
  ...['id', 'url', 'event_types', 'is_active', 'description', 'created_at', 'updated_at'],
]);

/**
 * Enables or disables an endpoint. The value is sent, so that a repetition does not toggle it back (assumption 32).
 */
export function switchEndpoint(
  context: Context,
  request: {id: string; active: boolean; dryRun: boolean | undefined},
): Promise<CommandOutcome> {
  const {id, active} = request;
  return write(context, {
    ...endpointChange(context, id, 'toggle'),
    body: {is_active: active},
    dryRun: request.dryRun,
    facts: {operation: `${active ? 'enable' : 'disable'} the webhook endpoint`, party: ['endpoint', id]},
    done: active ? 'was enabled' : 'was disabled',
    leaves: {is_active: active},
    view: webhookEndpointView,
  });
}

/** A create with this body. */
export const endpointCreation = (body: JsonFields): Omit<Write, 'dryRun'> => ({
  ...{operation: 'webhookEndpoints.create', body, leaves: body},
  facts: {operation: 'create a webhook endpoint', party: ['url', plainValue(body['url'])]},
  noun: 'webhook endpoint',
  checkedBy: ['webhooks', 'endpoints', 'list', '--limit', '5'],
  shownBy: (id) => ['webhooks', 'endpoints', 'get', id],
});

/** A change of a known endpoint. */
export const endpointChange = (
  {client, stop}: Context,
  id: string,
  verb: 'update' | 'toggle',
): Omit<Write, 'dryRun'> => ({
  ...{operation: `webhookEndpoints.${verb}`, params: {id}, noun: 'webhook endpoint', id, done: 'was changed'},
  facts: {operation: 'change the webhook endpoint', party: ['endpoint', id]},
  checkedBy: ['webhooks', 'endpoints', 'get', id],
  read: async () =>
    (await client.record('webhookEndpoints.get', {params: {id}, options: {signal: stop.signal}})).data,
});

export const endpointDeletion = (id: string): Omit<Write, 'dryRun'> => ({
  ...{operation: 'webhookEndpoints.delete', params: {id}, noun: 'webhook endpoint', id, done: 'was deleted'},
  facts: {operation: 'delete the webhook endpoint', party: ['endpoint', id]},
  checkedBy: ['webhooks', 'endpoints', 'get', id],
});

/** Assumption 33, and the shapes that other services use: bare lists, names alone, `event_types`. */
export function readEventTypes(answer: Json): JsonFields[] {
  const {data, event_types: types} = isObject(answer) ? answer : {};
  const list = [answer, data, types].find(isList);
  if (list === undefined)
    throw new RemitError('UNAVAILABLE', 'the service answered without a list of event types', {body: answer});
  return list.map((one) => (isObject(one) ? one : {type: plainValue(one)}));
}
