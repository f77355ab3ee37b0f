import {plainValue, text, type Field, type View} from '../view.ts';

const yes = (label: string, path: string): Field => ({
  label,
  path,
  rank: 0,
  show: (value) => (value === true ? 'yes' : value === false ? 'no' : plainValue(value)),
});

/** `live` must catch the eye. */
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

export const profileCard: View = {noun: 'profile', plural: 'profiles', card: fields, columns: fields};
