import {isObject} from '../../narrow.ts';
import {field, majorOf, plainValue, text, type Field, type View, words, yesNo} from '../records/view.ts';

/** `live` must stand out. */
const mode = field('Mode', 'mode', (value, _record, {paint}) =>
  value === 'live' ? paint('red', 'live') : plainValue(value),
);

const fields = [
  text('Name', 'name'),
  yesNo('Default', 'default'),
  mode,
  text('Base URL', 'base_url'),
  text('Key', 'key'),
  yesNo('Read-only', 'read_only'),
  yesNo('Approve by ID', 'approve_by_id'),
];

export const profileCard: View = {
  noun: 'profile',
  plural: 'profiles',
  idPath: 'name',
  card: fields,
  columns: fields,
};

/** Amounts by currency, in major units: `5,000.00 USD, 90.00 EUR`. */
const byCurrency = (label: string, path: string): Field =>
  field(label, path, (value) =>
    Object.entries(isObject(value) ? value : {})
      .map(([currency, minor]) => majorOf(minor, currency))
      .join(', '),
  );

/** One profile with its caps. */
export const profileDetails: View = {
  ...profileCard,
  card: [
    ...fields,
    byCurrency('Max amount', 'caps.max_amount_minor'),
    byCurrency('Max batch total', 'caps.max_batch_total_minor'),
    text('Max batch rows', 'caps.max_batch_rows'),
    words('Rails', 'caps.rails'),
    text('Approval policy', 'approval_policy.path'),
    text('SHA-256 of the policy', 'approval_policy.sha256'),
    text('Approval key', 'approval_key'),
    text('CA file', 'tls.ca_file'),
    text('Client cert', 'tls.client_cert'),
    text('Client key', 'tls.client_key'),
  ],
};
