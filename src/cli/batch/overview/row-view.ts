import {
  money,
  moment,
  plainValue,
  remark,
  status,
  text,
  time,
  type Field,
  type View,
} from '../../../output/records/view.ts';
import {isList, isObject, type Json} from '../../../narrow.ts';
import {selectedValue} from '../../../output/records/select.ts';

/** `R03 no account`. */
const reason: Field = {
  ...remark('Reason', 'message', 1),
  show: (message, record) => {
    const parts = [selectedValue(record, 'code'), message].filter(
      (part) => part !== null && part !== undefined,
    );
    return parts.length === 0 ? '-' : parts.map(plainValue).join(' ');
  },
};

const state: Field = {...text('State', 'state'), show: (value) => plainValue(value).replaceAll('_', ' ')};

const differencesText = (differences: Json): string =>
  (isList(differences) ? differences : [])
    .filter(isObject)
    .map(
      ({field, asked, answered}) =>
        `${plainValue(field)}: ${answered === null ? 'missing' : plainValue(answered)} (asked: ${plainValue(asked)})`,
    )
    .join('; ') || '-';

/** A row of a batch. */
export const rowView: View = {
  noun: 'row',
  plural: 'rows',
  card: [
    text('Batch', 'batch_id'),
    text('Reference', 'reference'),
    text('Row', 'row'),
    text('Line', 'line'),
    state,
    status(),
    text('Record', 'id'),
    text('Code', 'code'),
    text('Reason', 'message'),
    {...text('Differs', 'differences'), show: differencesText},
    text('Payee', 'payee_id'),
    text('Payer', 'payer_id'),
    money('Amount'),
    text('Rail', 'rail'),
    text('Attempts', 'attempts'),
    text('Request', 'request_id'),
    text('Key', 'idempotency_key'),
    text('Former record', 'former_id'),
    moment('Updated', 'updated_at'),
    moment('Copied', 'published_at'),
  ],
  columns: [
    text('Batch', 'batch_id'),
    text('Reference', 'reference'),
    state,
    {...status(), rank: 2},
    {...money('Amount'), rank: 1},
    text('Record', 'id'),
    reason,
    time('Updated', 'updated_at', 3),
  ],
};
