import {unwrapRecord} from '../../../client/answers/readable.ts';
import {isObject} from '../../../narrow.ts';
import type {Context} from '../../core/context.ts';
import type {Said} from '../survey/asker.ts';
import {findings} from '../survey/finding.ts';
import type {Survey} from '../survey/survey.ts';

const {holds, differs} = findings('service');

/** What the probe did; every payout that it created is in `created`. */
export interface Probed {
  readonly created: string[];
  readonly canceled: string[];
}

/** One dollar, or the like: nothing of it is ever approved. */
export const AMOUNT_MINOR = 100;
export const REFERENCE = 'remit-doctor';

export interface Made {
  readonly idempotency_key: string;
  readonly payout_id: string;
  readonly payee_id: string;
  readonly currency_code: string;
}

export const bodyFor = ({payee_id, currency_code}: Pick<Made, 'payee_id' | 'currency_code'>) => ({
  ...{payee_id, amount_in_minor_units: AMOUNT_MINOR, currency_code},
  ...{metadata: {remit_reference: REFERENCE}, auto_approve: false},
});

export const recordIn = ({json}: Said): Readonly<Record<string, unknown>> => {
  const record = unwrapRecord(json);
  return isObject(record) ? record : {};
};

export function idIn(said: Said): string | undefined {
  const {id} = recordIn(said);
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** From now on an error that ends the command names the payout. */
export function tookEffect({effects, commands}: Context, probed: Probed, id: string): void {
  probed.created.push(id);
  effects.took({
    ...{noun: 'payout', done: 'was created by the probe', id, status: 'created'},
    next: commands.write('payouts', 'cancel', id),
  });
}

/** Cancels, and reads the payout to see that it is canceled. */
export async function cancel(context: Context, survey: Survey, probed: Probed, id: string): Promise<void> {
  const check = 'routes.payouts.cancel';
  const said = await survey.ask('payouts.cancel', {params: {id}, body: {}});
  const {status} = recordIn(await survey.ask('payouts.get', {params: {id}}));
  if (status === 'canceled') {
    probed.canceled.push(id);
    context.effects.took({
      ...{noun: 'payout', done: 'was canceled by the probe', id, status: 'canceled'},
      next: context.commands.read('payouts', 'get', id),
    });
    if (!survey.found.some((finding) => finding.check === check))
      survey.found.push(
        holds(check, `${said.asked} answers ${said.status}, and the payout is canceled`, {row: 4}),
      );
    return;
  }
  survey.found.push(
    differs(
      check,
      `${said.asked} answers ${said.status}; payout ${id} has status ${JSON.stringify(status)}, and is not approved`,
      {
        ...{
          row: 4,
          fix: `set ${check} in the service file, then ${context.commands.write('payouts', 'cancel', id)}`,
        },
      },
    ),
  );
}
