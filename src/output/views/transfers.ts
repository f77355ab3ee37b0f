import {isObject} from '../../narrow.ts';
import {valueAt} from '../records/select.ts';
import {
  id,
  money,
  moment,
  plainValue,
  status,
  text,
  time,
  type Eye,
  type Field,
  type View,
} from '../records/view.ts';
import {reason} from './failure.ts';

/** Interface document, "Payin" and "Payout", as shown to people; the contents of the metadata are assumption 58. */

/** `bank_account …6789, verified bank` from the masked details that the service sends. */
function method(path: string): Field {
  const show = (value: unknown) => {
    const details = inner(value, 'payment_method');
    const [type, last4, bank_name, brand] = ['type', 'last4', 'bank_name', 'brand'].map((key) =>
      inner(details, key),
    );
    const tail = typeof last4 === 'string' ? `…${last4}` : undefined;
    const parts = [type, tail, bank_name ?? brand].filter((part) => part !== undefined && part !== null);
    return parts.length === 0 ? plainValue(value) : parts.map(plainValue).join(' ');
  };
  return {label: 'Method', path, rank: 0, show};
}

/** The party's id, with the name from the masked details. */
function party(label: string, path: string, detailsPath: string): Field {
  const show = (value: unknown, record: unknown) => {
    const details = inner(inner(record, detailsPath), label.toLowerCase());
    const name = inner(details, 'name');
    return typeof name === 'string' ? `${plainValue(value)} (${plainValue(name)})` : plainValue(value);
  };
  return {label, path, rank: 0, show};
}

function inner(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}

/** `order=17, team=ops`. */
function metadata(): Field {
  const show = (value: unknown) => {
    if (value === null || typeof value !== 'object') return plainValue(value);
    const entries = Object.entries(value).map(([key, held]) => `${plainValue(key)}=${plainValue(held)}`);
    return entries.length === 0 ? '-' : entries.join(', ');
  };
  return {label: 'Metadata', path: 'client_metadata', rank: 0, show};
}

/** Why it failed: `R01 account closed`. */
function failure(path: string): Field {
  const show = (value: unknown, _record: unknown, eye: Eye) => {
    const {code, message, ...more} = isObject(value) ? value : {message: value ?? undefined};
    const rest = Object.keys(more).length === 0 ? [] : [more];
    const words = [code, message, ...rest].filter((part) => part !== undefined).map(plainValue);
    return eye.paint('red', words.join(' '));
  };
  return {label: 'Failure', path, rank: 0, show};
}

/** The party's name on a terminal, if the masked details have it; otherwise its id, which scripts need. */
function partyColumn(label: string, idPath: string, namePath: string): Field {
  const show = (name: unknown, record: unknown, eye: Eye) =>
    plainValue(eye.terminal && typeof name === 'string' && name !== '' ? name : valueAt(record, idPath));
  return {label, path: namePath, rank: 1, isId: true, show};
}

const amount = money('Amount');
const after = [
  text('Rail', 'rail'),
  text('Subaccount', 'subaccount_id'),
  text('Country', 'country_code'),
  metadata(),
  moment('Created', 'created_at'),
  moment('Updated', 'updated_at'),
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
    text('Settles', 'transfer_details.expected_settlement_date'),
    failure('transfer_details.failure'),
  ],
  columns: [
    id('ID', 'id'),
    status(),
    amount,
    partyColumn('Payee', 'payee_id', 'payout_metadata.payee.name'),
    text('Last four', 'payout_metadata.payment_method.last4', 1),
    reason('transfer_details.failure'),
    time('Created', 'created_at', 2),
    text('Rail', 'rail', 3),
  ],
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
    moment('Status since', 'status_recorded_at'),
    failure('payin_metadata.failure'),
  ],
  columns: [
    id('ID', 'id'),
    status(),
    amount,
    partyColumn('Payer', 'payer_id', 'payin_metadata.payer.name'),
    text('Last four', 'payin_metadata.payment_method.last4', 1),
    reason('payin_metadata.failure'),
    time('Created', 'created_at', 2),
    text('Rail', 'rail', 3),
  ],
};
