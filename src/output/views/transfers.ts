import {asObject, isObject, type Json, type JsonFields} from '../../narrow.ts';
import {selectedValue} from '../records/select.ts';
import {
  dayInNewYork,
  field,
  money,
  moment,
  plainValue,
  status,
  text,
  time,
  type Field,
  type View,
} from '../records/view.ts';
import {failureColumn} from './failure.ts';

/** Interface document, "Payin" and "Payout", as shown to people; the contents of the metadata are assumption 58. */

/** `bank_account …6789, verified bank` from the masked details that the service sends. */
function method(path: string): Field {
  const show = (value: Json) => {
    const {type, last4, bank_name, brand} = asObject(asObject(value)['payment_method']);
    const tail = typeof last4 === 'string' ? `…${last4}` : undefined;
    const parts = [type, tail, bank_name ?? brand].filter((part) => part !== undefined && part !== null);
    return parts.length === 0 ? plainValue(value) : parts.map(plainValue).join(' ');
  };
  return field('Payment method', path, show);
}

/** The party's id, with the name from the masked details. */
function party(label: string, path: string, detailsPath: string): Field {
  const show = (value: Json, record: Json) => {
    const {name} = asObject(asObject(asObject(record)[detailsPath])[label.toLowerCase()]);
    return typeof name === 'string' ? `${plainValue(value)} (${plainValue(name)})` : plainValue(value);
  };
  return field(label, path, show);
}

/** `order=17, team=ops`. */
const metadata = field('Client metadata', 'client_metadata', (value) => {
  if (!isObject(value)) return plainValue(value);
  const entries = Object.entries(value).map(([key, held]) => `${plainValue(key)}=${plainValue(held)}`);
  return entries.length === 0 ? '-' : entries.join(', ');
});

/** Why it failed: `R01 account closed`. */
const failure = (path: string): Field =>
  field('Failure', path, (value, _record, {paint}) => {
    const {code, message, ...more}: JsonFields = isObject(value) ? value : {message: value ?? undefined};
    const rest = Object.keys(more).length === 0 ? [] : [more];
    const words = [code, message, ...rest].filter((part) => part !== undefined).map(plainValue);
    return paint('red', words.join(' '));
  });

/** The party's name on a terminal, if the masked details have it; otherwise its id, which scripts need. */
function partyColumn(label: string, details: string): Field {
  const noun = label.toLowerCase();
  const show: Field['show'] = (name, record, {terminal}) =>
    plainValue(
      terminal && typeof name === 'string' && name !== '' ? name : selectedValue(record, `${noun}_id`),
    );
  return field(label, `${details}.${noun}.name`, show, 2);
}

const amount = money('Amount');
const after = [
  text('Rail', 'rail'),
  text('Subaccount', 'subaccount_id'),
  text('Country', 'country_code'),
  metadata,
  moment('Created', 'created_at'),
  moment('Updated', 'updated_at'),
];

/** @param failing where the service says why the transfer failed */
const columns = (party: 'Payee' | 'Payer', details: string, failing: string): Field[] => [
  text('ID', 'id'),
  status(),
  amount,
  partyColumn(party, details),
  text('Last four', `${details}.payment_method.last4`, 3),
  failureColumn('Failure', `${failing}.failure`),
  time('Created', 'created_at', 1),
  text('Rail', 'rail', 3),
];

export const payoutView: View = {
  noun: 'payout',
  plural: 'payouts',
  card: [
    text('ID', 'id'),
    status(),
    amount,
    party('Payee', 'payee_id', 'payout_metadata'),
    method('payout_metadata'),
    ...after,
    text('Trace', 'transfer_details.trace_number'),
    text('End to end', 'transfer_details.end_to_end_id'),
    moment('Submitted', 'transfer_details.submitted_at'),
    field('Expected settlement', 'transfer_details.expected_settlement_date', dayInNewYork),
    failure('transfer_details.failure'),
  ],
  columns: columns('Payee', 'payout_metadata', 'transfer_details'),
};

export const payinView: View = {
  noun: 'payin',
  plural: 'payins',
  card: [
    text('ID', 'id'),
    status(),
    amount,
    party('Payer', 'payer_id', 'payin_metadata'),
    method('payin_metadata'),
    ...after,
    moment('Status recorded', 'status_recorded_at'),
    failure('payin_metadata.failure'),
  ],
  columns: columns('Payer', 'payin_metadata', 'payin_metadata'),
};
