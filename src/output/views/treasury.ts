import {
  dayInNewYork,
  field,
  money,
  moment,
  remark,
  status,
  text,
  time,
  type View,
  yesNo,
} from '../records/view.ts';
import {failureColumn} from './failure.ts';

/** Interface document: identifier, label, currency; the rest is assumption 19. */
export const treasuryAccountView: View = {
  noun: 'treasury account',
  plural: 'treasury accounts',
  card: [
    text('ID', 'id'),
    text('Label', 'label'),
    text('Currency', 'currency_code'),
    text('Type', 'type'),
    status(),
  ],
  columns: [
    text('ID', 'id'),
    text('Label', 'label'),
    text('Currency', 'currency_code'),
    text('Type', 'type', 2),
    status(),
  ],
};

/** Assumption 20. */
export const balanceView: View = {
  noun: 'balance',
  plural: 'balances',
  card: [
    text('Account', 'account_id'),
    money('Current balance', 'current_balance_in_minor_units'),
    money('Available balance', 'available_balance_in_minor_units'),
    moment('As of', 'as_of'),
  ],
  columns: [text('Account', 'account_id'), money('Current balance', 'current_balance_in_minor_units')],
};

/** Assumption 21; the amount is positive, and `direction` is its direction. */
export const bankTransactionView: View = {
  noun: 'bank transaction',
  plural: 'bank transactions',
  card: [
    text('ID', 'id'),
    text('Account', 'account_id'),
    text('Direction', 'direction'),
    money('Amount'),
    status(),
    text('Description', 'description'),
    text('Bank reference', 'bank_reference'),
    moment('Posted', 'posted_at'),
    field('Value date', 'value_date', dayInNewYork),
  ],
  columns: [
    text('ID', 'id'),
    text('Direction', 'direction'),
    money('Amount'),
    {...status(), rank: 2},
    text('Description', 'description', 2),
    time('Posted', 'posted_at', 1),
    text('Bank reference', 'bank_reference', 3),
  ],
};

/** Assumption 24. */
export const accountTransferView: View = {
  noun: 'account transfer',
  plural: 'account transfers',
  card: [
    text('ID', 'id'),
    status(),
    money('Amount'),
    text('Source', 'source_account_id'),
    text('Destination', 'destination_account_id'),
    text('Rail', 'rail'),
    yesNo('Auto-approve', 'auto_approve'),
    text('Description', 'description'),
    text('Failure reason', 'failure_reason'),
    moment('Created', 'created_at'),
    moment('Updated', 'updated_at'),
  ],
  columns: [
    text('ID', 'id'),
    status(),
    money('Amount'),
    text('Source', 'source_account_id', 2),
    text('Destination', 'destination_account_id', 2),
    remark('Description', 'description'),
    failureColumn('Failure reason', 'failure_reason'),
    time('Created', 'created_at', 1),
    text('Rail', 'rail', 3),
  ],
};
