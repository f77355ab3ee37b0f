import {isObject, type Json} from '../narrow.ts';

/**
 * The day on which a payin, payout or account transfer is expected to settle, if the record says so: in the details
 * of the transfer by assumption 58, or in a field of the record itself. It is a day in New York.
 */
export function expectedSettlement(record: Json): string | undefined {
  if (!isObject(record)) return undefined;
  const {transfer_details: details, expected_settlement_date: own} = record;
  const day = (isObject(details) ? details['expected_settlement_date'] : undefined) ?? own;
  return typeof day === 'string' && day !== '' ? day : undefined;
}
