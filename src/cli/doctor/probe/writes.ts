import {RemitError} from '../../../errors.ts';
import {isUsableId} from '../../../client/answers/readable.ts';
import {isObject} from '../../../narrow.ts';
import {checkHorizon} from './horizon.ts';
import type {Context} from '../../core/context.ts';
import {outcomeOf, type Reply} from '../survey/asker.ts';
import {NO_SUCH_ID} from '../reads/errors.ts';
import {findings} from '../survey/finding.ts';
import {keepKey, keptKey} from './key-memory.ts';
import {
  AMOUNT_MINOR,
  bodyFor,
  cancel,
  idIn,
  type Made,
  type Probed,
  recordIn,
  REFERENCE,
  tookEffect,
} from './steps.ts';
import {isGood, isMissing, type Survey} from '../survey/survey.ts';

const {holds, differs, unknown} = findings('service');

/**
 * Refuses a live key, with or without `--live`.
 * @throws RemitError GUARD_LIVE, and what the guard of a write throws; nothing has been sent
 */
export async function refuseProbe(context: Context): Promise<void> {
  if (context.profile.mode !== 'test')
    throw new RemitError(
      'GUARD_LIVE',
      '--probe-writes needs a test key; it is refused with a live key, even with --live',
      {
        hint: 'choose a profile with a test key: -p NAME',
      },
    );
  await context.guardWrite({
    ...{operation: 'create payout', amountMinor: BigInt(AMOUNT_MINOR), currency: 'USD'},
    rail: {value: undefined},
  });
}

/**
 * Creates a payout without approving it, sends the same request again, and cancels it. Then tries to approve a payout that
 * does not exist. Reports any payout that it could not cancel.
 */
export async function probeWrites(context: Context, survey: Survey): Promise<Probed> {
  const probed: Probed = {created: [], canceled: []};
  const kept = keptKey(context);
  if (kept !== undefined) await checkHorizon({context, survey, probed}, kept);
  else
    survey.found.push(
      unknown('keys.horizon', 'not known yet; run --probe-writes again later to measure it', {row: 46}),
    );
  const made = await createOne(context, survey, probed);
  if (made !== undefined) {
    await replay(context, survey, probed, made);
    for (const id of probed.created.filter((one) => !probed.canceled.includes(one)))
      await cancel(context, survey, probed, id);
    if (keptKey(context) === undefined && isUsableId(made.payout_id, context.out.sanitizer))
      keepKey(context, {...made, at_ms: context.clock.now(), known_ms: 0});
  }
  await approveNothing(survey);
  return probed;
}

/** Creates a payout for the first listed payee that can be paid. */
async function createOne(context: Context, survey: Survey, probed: Probed): Promise<Made | undefined> {
  const check = 'routes.payouts.create';
  const payees = survey.samples.get('payees.list')?.canonical ?? [];
  const ids = payees.flatMap(({id}) => (isUsableId(id, context.out.sanitizer) ? [id] : []));
  const [payout] = survey.samples.get('payouts.list')?.canonical ?? [];
  const currency = payout?.['currency_code'];
  let last: Reply | undefined;
  for (const payee_id of ids) {
    const key = context.runtime.uuid();
    const money = {
      payee_id,
      currency_code: typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) ? currency : 'USD',
    };
    last = await survey.ask('payouts.create', {body: bodyFor(money), key});
    const made = isGood(last) ? noteCreated(context, survey, probed, last) : undefined;
    if (made !== undefined) return {...money, idempotency_key: key, payout_id: made};
    if (last.status !== 404 && last.status !== 422) break;
    if (last.errorCode === undefined) break; // the route is wrong, not the payee
  }
  if (last === undefined)
    survey.found.push(
      unknown(check, 'no payee to create a payout for', {
        row: 1,
        fix: context.commands.write('payees', 'create', '--name', 'Probe'),
      }),
    );
  else noteRefused(context, survey, last);
  return undefined;
}

function noteRefused({commands}: Context, survey: Survey, reply: Reply): void {
  const check = 'routes.payouts.create';
  const words = reply.message === undefined ? '' : `: ${reply.message}`;
  const evidence = `${outcomeOf(reply)}${words}`;
  if (isGood(reply) || reply.failure !== undefined || reply.status >= 500)
    survey.found.push(
      unknown(check, `${evidence}; a payout may have been created, but it is not approved`, {
        ...{row: 1, fix: commands.read('payouts', 'list', '--status', 'created')},
      }),
    );
  else if (isMissing(reply) && reply.errorCode === undefined)
    survey.found.push(differs(check, evidence, {row: 1, fix: `set ${check} in the service file`}));
  else survey.found.push(unknown(check, evidence, {row: 1}));
}

function noteCreated(context: Context, survey: Survey, probed: Probed, reply: Reply): string | undefined {
  const {status, client_metadata: metadata} = recordIn(reply);
  const id = idIn(reply);
  if (id === undefined) return undefined;
  tookEffect(context, probed, id);
  survey.found.push(holds('routes.payouts.create', `${outcomeOf(reply)} (payout ${id})`, {row: 1}));
  if (status !== 'created')
    survey.found.push(
      differs(
        'create without approval',
        `payout ${id} has status ${JSON.stringify(status)} instead of "created"`,
      ),
    );
  const reference = isObject(metadata) ? metadata['remit_reference'] : undefined;
  survey.found.push(
    reference === REFERENCE
      ? holds('metadata.reference', 'the payout has the metadata that was sent', {row: 51})
      : differs('metadata.reference', 'the payout does not have the metadata that was sent', {
          ...{
            row: 51,
            fix: 'set fields.payouts.metadata in the service file, for example to payout_metadata',
          },
        }),
  );
  return id;
}

/** Sends the same request with the same key again, which must return the same payout. */
async function replay(context: Context, survey: Survey, probed: Probed, made: Made): Promise<void> {
  const reply = await survey.ask('payouts.create', {body: bodyFor(made), key: made.idempotency_key});
  const id = idIn(reply);
  if (id !== undefined && id !== made.payout_id) tookEffect(context, probed, id);
  const evidence = `repeating the request with the same key returned ${reply.status}`;
  if (isGood(reply) && id === made.payout_id)
    survey.found.push(holds('keys', `${evidence} and the same payout`, {row: 45}));
  else if (id !== undefined)
    survey.found.push(
      differs('keys', `${evidence} and another payout (${id}), so a repeated request would pay twice`, {
        ...{row: 45, fix: 'set keys.header in the service file to the name of the idempotency key header'},
      }),
    );
  else survey.found.push(unknown('keys', evidence, {row: 45}));
}

/**
 * Tries to approve a payout that does not exist, which must be refused. Compares the answer with that for a path that cannot
 * exist, because some services refuse both in the same way.
 */
async function approveNothing(survey: Survey): Promise<void> {
  const check = 'routes.payouts.approve';
  const reply = await survey.ask('payouts.approve', {params: {id: NO_SUCH_ID}, body: {}});
  const evidence = `${outcomeOf(reply)} for a payout that does not exist`;
  const nowhere = await survey.asker.path(`/remit-doctor/${NO_SUCH_ID}`, survey.draft.file);
  const isElsewhere = wordsOf(nowhere) === wordsOf(reply);
  if (isGood(reply)) survey.found.push(differs(check, `${evidence}, but must refuse it`, {row: 2}));
  else if (reply.status === 405 || reply.status === 501)
    survey.found.push(differs(check, evidence, {row: 2, fix: `set ${check} in the service file`}));
  else if ((reply.status === 404 && !isElsewhere) || reply.status === 400 || reply.status === 422)
    survey.found.push(holds(check, evidence, {row: 2}));
  else survey.found.push(unknown(check, evidence, {row: 2}));
}

/** The body without paths and ids, which differ between answers. */
const wordsOf = ({wire}: Reply): string =>
  (JSON.stringify(wire) ?? '').replaceAll(/[0-9a-f-]{6,}|\/[^\s"]*/g, '');
