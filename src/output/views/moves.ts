import {money, moment, remark, status, text, time, type View} from '../records/view.ts';

/** Interface document, "Move". */
export const moveView: View = {
  noun: 'move',
  plural: 'moves',
  card: [
    text('ID', 'id'),
    status(),
    money('Amount'),
    text('Source', 'source_subaccount_id'),
    text('Destination', 'destination_subaccount_id'),
    text('Description', 'description'),
    moment('Created', 'created_at'),
    moment('Settled', 'settled_at'),
  ],
  columns: [
    text('ID', 'id'),
    status(),
    money('Amount'),
    text('Source', 'source_subaccount_id', 2),
    text('Destination', 'destination_subaccount_id', 2),
    remark('Description', 'description'),
    time('Created', 'created_at', 1),
  ],
};

const balance = money('Balance', 'balance_in_minor_units');

/** Assumption 11. */
export const subaccountView: View = {
  noun: 'subaccount',
  plural: 'subaccounts',
  card: [text('ID', 'id'), text('Name', 'name'), balance, status(), moment('Created', 'created_at')],
  columns: [
    text('ID', 'id'),
    text('Name', 'name'),
    {...balance, rank: 2},
    {...status(), rank: 3},
    time('Created', 'created_at', 1),
  ],
};
