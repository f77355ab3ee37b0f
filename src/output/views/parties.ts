import {moment, status, text, time, type View, words, yesNo} from '../records/view.ts';

/** Assumptions 10 and 15: payees, payers and their payment methods. */

function partyView(noun: string, plural: string): View {
  return {
    noun,
    plural,
    card: [
      text('ID', 'id'),
      text('Name', 'name'),
      text('Email', 'email'),
      text('Type', 'type'),
      moment('Created', 'created_at'),
      moment('Updated', 'updated_at'),
    ],
    columns: [
      text('ID', 'id'),
      text('Name', 'name'),
      text('Type', 'type', 2),
      time('Created', 'created_at', 1),
      text('Email', 'email', 2),
    ],
  };
}

export const payeeView = partyView('payee', 'payees');
export const payerView = partyView('payer', 'payers');

export const paymentMethodView: View = {
  noun: 'payment method',
  plural: 'payment methods',
  card: [
    text('ID', 'id'),
    text('Payee', 'payee_id'),
    text('Payer', 'payer_id'),
    text('Type', 'type'),
    status('Verification', 'verification_status'),
    yesNo('Default', 'is_default'),
    text('Last four', 'last4'),
    text('Bank', 'bank_name'),
    text('Brand', 'brand'),
    words('Supported rails', 'supported_rails'),
    text('Country', 'country_code'),
    text('Currency', 'currency_code'),
    moment('Created', 'created_at'),
    moment('Updated', 'updated_at'),
  ],
  columns: [
    text('ID', 'id'),
    text('Type', 'type', 2),
    status('Verification', 'verification_status'),
    yesNo('Default', 'is_default'),
    text('Last four', 'last4', 2),
    words('Supported rails', 'supported_rails', 3),
    time('Created', 'created_at', 1),
  ],
};
