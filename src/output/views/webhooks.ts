import {id, moment, plainValue, text, time, type Field, type View} from '../records/view.ts';

const active = (): Field => ({
  label: 'Active',
  path: 'is_active',
  rank: 0,
  show: (value) => (value === true ? 'yes' : value === false ? 'no' : plainValue(value)),
});
const types = (rank = 0): Field => ({
  label: 'Events',
  path: 'event_types',
  rank,
  show: (value) => (Array.isArray(value) ? value.map(plainValue).join(', ') : plainValue(value)),
});

/** Assumption 31. */
export const webhookEndpointView: View = {
  noun: 'webhook endpoint',
  plural: 'webhook endpoints',
  card: [
    text('ID', 'id'),
    text('URL', 'url'),
    active(),
    types(),
    text('Description', 'description'),
    moment('Created', 'created_at'),
    moment('Updated', 'updated_at'),
    text('Signing secret', 'signing_secret'),
  ],
  columns: [id('ID', 'id'), text('URL', 'url'), active(), types(1), time('Created', 'created_at', 2)],
};

/** Assumption 33. */
export const eventTypeView: View = {
  noun: 'event type',
  plural: 'event types',
  idPath: 'type',
  card: [text('Type', 'type'), text('Description', 'description')],
  columns: [text('Type', 'type'), text('Description', 'description', 1)],
};
