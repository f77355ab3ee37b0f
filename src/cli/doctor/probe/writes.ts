import {RemitError} from '../../../errors.ts';
import {isUsableId} from '../../../client/answers/readable.ts';
import {isObject} from '../../../narrow.ts';
import {checkHorizon} from './horizon.ts';
import type {Context} from '../../core/context.ts';
import type {Said} from '../survey/asker.ts';
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
 * A live key is refused whatever else was typed.
 * @throws RemitError GUARD_LIVE, and what the guard of a write throws; nothing has been sent
 */
export async function refuseProbe(context: Context): Promise<void> {
  if (context.profile.mode !== 'test')
    throw new RemitError('GUARD_LIVE', 'refused to probe writes with a live key; --live does not allow it', {
      hint: 'name a profile with a test key: -p NAME',
    });
  await context.guardWrite({
    ...{operation: 'create payout', amountMinor: BigInt(AMOUNT_MINOR), currency: 'USD'},
    rail: {value: undefined},
  });
}

/**
 * Creates a payout without approving it, sends the same request again, and cancels it. Then approves a payout that does
 * not exist. What it created and could not cancel is named.
 */
export async function probeWrites(context: Context, survey: Survey): Promise<Probed> {
  const probed: Probed = {created: [], canceled: []};
  const kept = keptKey(context);
  if (kept !== undefined) await checkHorizon({context, survey, probed}, kept);
  else
    survey.found.push(
      unknown('keys.horizon', 'a later --probe-writes replays the key of this one', {row: 46}),
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

/** The first listed payee that can be paid. */
async function createOne(context: Context, survey: Survey, probed: Probed): Promise<Made | undefined> {
  const check = 'routes.payouts.create';
  const payees = survey.samples.get('payees.list')?.canonical ?? [];
  const ids = payees.flatMap(({id}) => (isUsableId(id, context.out.sanitizer) ? [id] : []));
  const [payout] = survey.samples.get('payouts.list')?.canonical ?? [];
  const currency = payout?.['currency_code'];
  let last: Said | undefined;
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
    if (last.errorCode === undefined) break; // the route, not the payee
  }
  if (last === undefined)
    survey.found.push(
      unknown(check, 'there is no payee to pay', {
        row: 1,
        fix: context.commands.write('payees', 'create', '--name', 'Probe'),
      }),
    );
  else noteRefused(context, survey, last);
  return undefined;
}

function noteRefused({commands}: Context, survey: Survey, said: Said): void {
  const check = 'routes.payouts.create';
  const words = said.message === undefined ? '' : `: ${said.message}`;
  const evidence = `${said.asked} answers ${said.status}${words}`;
  if (isGood(said) || said.failure !== undefined || said.status >= 500)
    survey.found.push(
      unknown(check, `${evidence}; a payout may have been created and is not approved`, {
        ...{row: 1, fix: commands.read('payouts', 'list', '--status', 'created')},
      }),
    );
  else if (isMissing(said) && said.errorCode === undefined)
    survey.found.push(differs(check, evidence, {row: 1, fix: `set ${check} in the service file`}));
  else survey.found.push(unknown(check, evidence, {row: 1}));
}

function noteCreated(context: Context, survey: Survey, probed: Probed, said: Said): string | undefined {
  const {status, client_metadata: metadata} = recordIn(said);
  const id = idIn(said);
  if (id === undefined) return undefined;
  tookEffect(context, probed, id);
  survey.found.push(
    holds('routes.payouts.create', `${said.asked} answers ${said.status} (payout ${id})`, {row: 1}),
  );
  if (status !== 'created')
    survey.found.push(
      differs(
        'create without approval',
        `the payout ${id} has status ${JSON.stringify(status)}, not created`,
      ),
    );
  const reference = isObject(metadata) ? metadata['remit_reference'] : undefined;
  survey.found.push(
    reference === REFERENCE
      ? holds('metadata.reference', 'metadata comes back', {row: 51})
      : differs('metadata.reference', 'the metadata of the payout does not come back', {
          ...{
            row: 51,
            fix: 'set fields.payouts.metadata in the service file, for example to payout_metadata',
          },
        }),
  );
  return id;
}

/** The same request with the same key is the same payout. */
async function replay(context: Context, survey: Survey, probed: Probed, made: Made): Promise<void> {
  const said = await survey.ask('payouts.create', {body: bodyFor(made), key: made.idempotency_key});
  const id = idIn(said);
  if (id !== undefined && id !== made.payout_id) tookEffect(context, probed, id);
  const evidence = `the same request with the same key answers ${said.status}`;
  if (isGood(said) && id === made.payout_id)
    survey.found.push(holds('keys', `${evidence} and the same payout`, {row: 45}));
  else if (id !== undefined)
    survey.found.push(
      differs('keys', `${evidence} and another payout (${id}): a repeated request would pay twice`, {
        ...{row: 45, fix: 'set keys.header in the service file to the header of idempotency keys'},
      }),
    );
  else survey.found.push(unknown('keys', evidence, {row: 45}));
}

/** An approve that must be refused. A path that leads nowhere is refused in the same way by some services. */
async function approveNothing(survey: Survey): Promise<void> {
  const check = 'routes.payouts.approve';
  const said = await survey.ask('payouts.approve', {params: {id: NO_SUCH_ID}, body: {}});
  const evidence = `${said.asked} answers ${said.status} for a payout that does not exist`;
  const nowhere = await survey.asker.path(`/remit-doctor/${NO_SUCH_ID}`);
  const isElsewhere = wordsOf(nowhere) === wordsOf(said);
  if (isGood(said)) survey.found.push(differs(check, `${evidence}: it must be refused`, {row: 2}));
  else if (said.status === 405 || said.status === 501)
    survey.found.push(differs(check, evidence, {row: 2, fix: `set ${check} in the service file`}));
  else if ((said.status === 404 && !isElsewhere) || said.status === 400 || said.status === 422)
    survey.found.push(holds(check, evidence, {row: 2}));
  else survey.found.push(unknown(check, evidence, {row: 2}));
}

/** A body without paths and ids, which differ from answer to answer. */
const wordsOf = ({wire}: Said): string =>
  (JSON.stringify(wire) ?? '').replaceAll(/[0-9a-f-]{6,}|\/[^\s"]*/g, '');
