import {EXIT, RemitError, type ExitCode} from '../errors.ts';
import {valueAt} from '../output/select.ts';
import {plainValue} from '../output/view.ts';
import {webhookEndpointView} from '../output/views/webhooks.ts';
import type {Context} from './context.ts';
import {openSecretFile, type SecretFile} from './secret-file.ts';
import {sendOnce} from './send-once.ts';
import type {Outcome} from './transfers.ts';

const SECRET = 'signing_secret';

/** Registers an endpoint. Its signing secret comes this once: to stdout with the record, or to a file of mode 0600. */
export async function createEndpoint(
  context: Context,
  request: {
    body: Readonly<Record<string, unknown>>;
    dryRun: boolean | undefined;
    secretFile: string | undefined;
  },
): Promise<Outcome> {
  const {body, dryRun, secretFile} = request;
  if (secretFile === undefined && !dryRun) checkShown(context);
  const file =
    secretFile === undefined || dryRun ? undefined : openSecretFile(secretFile, context.runtime.cwd);
  let kept = false;
  try {
    const sent = await sendOnce(context, {
      operation: 'webhookEndpoints.create',
      body,
      dryRun,
      facts: {operation: 'create webhook endpoint', party: ['url', plainValue(body['url'])]},
      noun: 'webhook endpoint',
      checkedBy: ['webhooks', 'endpoints', 'list', '--limit', '5'],
      shownBy: (id) => ['webhooks', 'endpoints', 'get', id],
    });
    if (sent.dryRun) return {data: sent.dryRun, exitCode: EXIT.OK};
    const created = sent.result.data;
    const secret = valueAt(created, SECRET);
    if (typeof secret !== 'string' || secret === '') {
      context.out.record(created, webhookEndpointView);
      context.out.warn('the service sent no signing secret with the new endpoint');
      return {data: created, exitCode: EXIT.PARTIAL};
    }
    if (file === undefined) return showSecret(context, created);
    kept = keep(context, file, secret);
    return kept ? showRest(context, created, file) : showSecret(context, created);
  } finally {
    if (!kept) file?.discard();
  }
}

/** @throws RemitError USAGE where the form of the output would swallow the secret */
function checkShown({out}: Context): void {
  const {format, fields, query} = out.settings;
  const swallowed = format === 'id' || query !== undefined || (fields.length > 0 && !fields.includes(SECRET));
  if (swallowed)
    throw new RemitError(
      'USAGE',
      'the signing secret is shown once, and this form of output would leave it out; nothing was sent',
      {hint: 'add --secret-file FILE to the same command'},
    );
}

/** False, with a word about it, when the disk refuses: then the secret goes to stdout after all. */
function keep({out}: Context, file: SecretFile, secret: string): boolean {
  try {
    file.keep(secret);
    return true;
  } catch (error) {
    out.warn(`the signing secret could not be written to ${file.path}: ${(error as Error).message}`);
    return false;
  }
}

function showSecret({out}: Context, created: unknown): Outcome {
  out.record(created, webhookEndpointView);
  out.notice('The signing secret is shown this once; keep it where your receiver finds it.');
  return {data: created, exitCode: EXIT.OK};
}

function showRest({out}: Context, created: unknown, file: SecretFile): Outcome {
  const rest = Object.fromEntries(
    Object.entries(created as object).filter(([field]) => field !== SECRET), // a record, for it had the secret
  );
  out.record(rest, webhookEndpointView);
  out.notice(`The signing secret is in ${file.path}.`);
  return {data: rest, exitCode: EXIT.OK};
}

/** Switches an endpoint on or off. The value is sent, so that a repetition does not flip it back (assumption 32). */
export async function switchEndpoint(
  context: Context,
  request: {id: string; active: boolean; dryRun: boolean | undefined},
): Promise<Outcome> {
  const {id, active} = request;
  const sent = await sendOnce(context, {
    operation: 'webhookEndpoints.toggle',
    params: {id},
    body: {is_active: active},
    dryRun: request.dryRun,
    facts: {operation: `${active ? 'enable' : 'disable'} webhook endpoint`, party: ['endpoint', id]},
    ...endpointWrite(context, id),
    done: active ? 'was enabled' : 'was disabled',
  });
  if (sent.dryRun) return {data: sent.dryRun, exitCode: EXIT.OK};
  const {data} = sent.result;
  if (sent.unread) return {data, exitCode: EXIT.PARTIAL};
  context.out.record(data, webhookEndpointView);
  const now = valueAt(data, 'is_active');
  let exitCode: ExitCode = EXIT.OK;
  if (typeof now === 'boolean' && now !== active) {
    context.out.warn(
      `the endpoint is ${now ? 'active' : 'inactive'} after all: the service flips it and takes no value`,
    );
    exitCode = EXIT.PARTIAL;
  }
  return {data, exitCode};
}

/** What every write on a known endpoint says of it. */
export const endpointWrite = ({client, stop}: Context, id: string) => ({
  noun: 'webhook endpoint',
  id,
  checkedBy: ['webhooks', 'endpoints', 'get', id],
  read: async () => (await client.webhookEndpoints.get({id}, {signal: stop.signal})).data as unknown,
});

/** Assumption 33, and the shapes that other services have: bare lists, names alone, `event_types`. */
export function readEventTypes(answer: unknown): Record<string, unknown>[] {
  const list = [answer, valueAt(answer, 'data'), valueAt(answer, 'event_types')].find(Array.isArray) as
    unknown[] | undefined;
  if (list === undefined)
    throw new RemitError('UNAVAILABLE', 'the service answered with no list of event types', {body: answer});
  return list.map((one) => (one !== null && typeof one === 'object' ? {...one} : {type: plainValue(one)}));
}
