import {majorOf, plainValue, text, type Field, type View} from '../records/view.ts';

const yes = (label: string, path: string): Field => ({
  label,
  path,
  rank: 0,
  show: (value) => (value === true ? 'yes' : value === false ? 'no' : plainValue(value)),
});

/** `live` must stand out. */
const mode: Field = {
  label: 'Mode',
  path: 'mode',
  rank: 0,
  show: (value, _record, eye) => (value === 'live' ? eye.paint('red', 'live') : plainValue(value)),
};

const fields = [
  text('Name', 'name'),
  yes('Default', 'default'),
  mode,
  text('Base URL', 'base_url'),
  text('Key', 'key'),
  yes('Read-only', 'read_only'),
  yes('Approves by id', 'approve_by_id'),
];

export const profileCard: View = {
  noun: 'profile',
  plural: 'profiles',
  idPath: 'name',
  card: fields,
  columns: fields,
};

/** Amounts by currency, in major units: `5,000.00 USD, 90.00 EUR`. */
const byCurrency = (label: string, path: string): Field => ({
  label,
  path,
  rank: 0,
  show: (value) =>
    Object.entries((value ?? {}) as Record<string, unknown>) // checked when the file was read
      .map(([currency, minor]) => majorOf(minor, currency))
      .join(', '),
});

const list = (label: string, path: string): Field => ({
  label,
  path,
  rank: 0,
  show: (value) => (Array.isArray(value) ? value.map(plainValue).join(', ') : plainValue(value)),
});

/** One profile with its caps. */
export const profileDetails: View = {
  ...profileCard,
  card: [
    ...fields,
    byCurrency('Largest amount', 'caps.max_amount_minor'),
    byCurrency('Largest batch', 'caps.max_batch_total_minor'),
    text('Most rows', 'caps.max_batch_rows'),
    list('Rails', 'caps.rails'),
    text('CA file', 'tls.ca_file'),
    text('Client certificate', 'tls.client_cert'),
    text('Client key', 'tls.client_key'),
  ],
};
