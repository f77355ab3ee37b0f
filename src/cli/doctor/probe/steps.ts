import {unwrapRecord} from '../../../client/answers/readable.ts';
import {isObject} from '../../../narrow.ts';
import type {Context} from '../../core/context.ts';
import {outcomeOf, type Reply} from '../survey/asker.ts';
import {findings} from '../survey/finding.ts';
import type {Survey} from '../survey/survey.ts';

const {holds, differs} = findings('service');

/** The ids of all payouts that the probe created, and of those that it canceled. */
export interface Probed {
  readonly created: string[];
  readonly canceled: string[];
}

/** 1.00 in most currencies. The payout is never approved. */
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

export const recordIn = ({json}: Reply): Readonly<Record<string, unknown>> => {
  const record = unwrapRecord(json);
  return isObject(record) ? record : {};
};

export function idIn(reply: Reply): string | undefined {
  const {id} = recordIn(reply);
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Records that a payout was created, so that any later error names it. */
export function tookEffect({effects, commands}: Context, probed: Probed, id: string): void {
  probed.created.push(id);
  effects.took({
    ...{noun: 'payout', done: 'was created by the probe', id, status: 'created'},
    next: commands.write('payouts', 'cancel', id),
  });
}

/** Cancels the payout, then reads it to check that it is canceled. */
export async function cancel(context: Context, survey: Survey, probed: Probed, id: string): Promise<void> {
  const check = 'routes.payouts.cancel';
  const reply = await survey.ask('payouts.cancel', {params: {id}, body: {}});
  const {status} = recordIn(await survey.ask('payouts.get', {params: {id}}));
  if (status === 'canceled') {
    probed.canceled.push(id);
    context.effects.took({
      ...{noun: 'payout', done: 'was canceled by the probe', id, status: 'canceled'},
      next: context.commands.read('payouts', 'get', id),
    });
    if (!survey.found.some((finding) => finding.check === check))
      survey.found.push(holds(check, `${outcomeOf(reply)}, and the payout is canceled`, {row: 4}));
    return;
  }
  survey.found.push(
    differs(
      check,
      `${outcomeOf(reply)}; payout ${id} still has status ${JSON.stringify(status)} and is not approved`,
      {
        ...{
          row: 4,
          fix: `set ${check} in the service file, then run ${context.commands.write('payouts', 'cancel', id)}`,
        },
      },
    ),
  );
}
