import {
  type CreatedRecord,
  checkAnswered,
  fieldsNotShown,
  payinCurrency,
  railDifference,
} from '../../client/answers/created-record.ts';
import {selectedValue} from '../../output/records/select.ts';
import {plainValue} from '../../output/records/view.ts';
import type {Context} from '../core/context.ts';
import {noteNotShown} from './fields-not-shown.ts';

/**
 * Compares the answer to a create without an idempotency key with the request; another rail is only a warning.
 * @throws {RemitError} KEY_REUSED if the record is not the requested one
 */
export function checkCreated(
  context: Pick<Context, 'out' | 'commands' | 'effects'>,
  created: Pick<CreatedRecord, 'noun' | 'asked' | 'record'> & {
    resource: string;
    shownBy: (id: string) => readonly string[];
  },
): void {
  const {shownBy, ...answered} = created;
  const id = plainValue(selectedValue(created.record, 'id'));
  const next = context.commands.read(...shownBy(id));
  checkAnswered({...answered, idempotencyKey: null, isNew: true, next});
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
    record,
    next,
  }: Pick<CreatedRecord, 'noun' | 'asked' | 'record' | 'next'> & {resource: string},
): void {
  const {out} = context;
  const named = `${noun} ${plainValue(selectedValue(record, 'id'))}`;
  const rail = railDifference(asked, record);
  if (rail !== undefined)
    out.warn(`the rail of ${named} is ${plainValue(rail.answered)}, requested ${plainValue(rail.asked)}`);
  const currency = payinCurrency(asked, record);
  if (currency !== undefined)
    out.note(
      `${named} is shown in ${plainValue(currency.answered)}, the currency of the destination account; requested in ${plainValue(currency.asked)}.`,
    );
  noteNotShown(context, {named, resource, fields: fieldsNotShown(asked, record), next});
}
