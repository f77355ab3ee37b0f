import {
  type CreatedRecord,
  checkAnswered,
  fieldsNotShown,
  payinCurrency,
  railDifference,
} from '../../client/answers/created-record.ts';
import type {Difference} from '../../client/answers/difference.ts';
import {minorUnitsIn} from '../../money/amount.ts';
import {exponentOf} from '../../money/currencies.ts';
import {plainValue} from '../../output/records/view.ts';
import {assumedKey} from '../../service/file/assumption.ts';
import type {Context} from '../core/context.ts';
import {guardedAmountText} from '../guard/amount-text.ts';
import {noteNotShown} from './fields-not-shown.ts';
import {type Json, receivedFields} from '../../narrow.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/**
 * Compares the answer to a create without an idempotency key with the request; another rail is only a warning.
 * @throws {RemitError} KEY_REUSED if the record is not the requested one
 */
export function checkCreated(
  context: Pick<Context, 'out' | 'commands' | 'effects'>,
  created: Pick<CreatedRecord, 'noun' | 'asked'> & {
    record: ServiceRecord;
    resource: string;
    shownBy: (id: string) => readonly string[];
  },
): void {
  const {shownBy, ...answered} = created;
  const id = plainValue(created.record.id);
  const next = context.commands.read(...shownBy(id));
  checkAnswered({
    ...answered,
    record: receivedFields(created.record),
    idempotencyKey: null,
    isNew: true,
    next,
  });
  noteCreated(context, {...created, next});
}

/**
 * Reports what differs between a created record and its request without making it another record, and what could not be
 * compared.
 */
export function noteCreated(
  context: Pick<Context, 'out' | 'commands' | 'effects'>,
  {
    noun,
    resource,
    asked,
    record: shown,
    next,
  }: Pick<CreatedRecord, 'noun' | 'asked' | 'next'> & {record: ServiceRecord; resource: string},
): void {
  const {out} = context;
  const record = receivedFields(shown);
  const named = `${noun} ${plainValue(shown.id)}`;
  const rail = railDifference(asked, record);
  if (rail !== undefined)
    out.warn(`the rail of ${named} is ${plainValue(rail.answered)}, requested ${plainValue(rail.asked)}`);
  const currency = payinCurrency({noun, asked, record});
  if (currency !== undefined) noteCurrency(context, {named, currency, minor: asked['amount_in_minor_units']});
  noteNotShown(context, {named, resource, fields: fieldsNotShown({noun, asked, record}), next});
}

const PAYIN_CURRENCY = 'fields.payins.currency_code';

/** The answer has the same number of minor units, which is another amount if the two currencies divide differently. */
function noteCurrency(
  {out, effects}: Pick<Context, 'out' | 'effects'>,
  {named, currency: {asked, answered}, minor}: {named: string; currency: Difference; minor: Json},
): void {
  const [shown, requested] = [plainValue(answered), plainValue(asked)];
  const what = `${named} is shown in ${shown}, the currency of the destination account; requested in ${requested}`;
  const amount = minorUnitsIn(minor);
  if (amount === undefined || exponentOf(shown) === exponentOf(requested)) {
    out.note(`${assumedKey(null, PAYIN_CURRENCY, what).text}.`);
    return;
  }
  const [as, instead] = [guardedAmountText(amount, shown), guardedAmountText(amount, requested)];
  out.warn(
    assumedKey(null, PAYIN_CURRENCY, `${what}. As shown it is ${as}, not ${instead}: check what is collected`)
      .text,
  );
  effects.tookPartly();
}
