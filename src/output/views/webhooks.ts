import {moment, text, time, type View, words, yesNo} from '../records/view.ts';

const active = yesNo('Active', 'is_active');

/** Assumption 31. */
export const webhookEndpointView: View = {
  noun: 'webhook endpoint',
  plural: 'webhook endpoints',
  card: [
    text('ID', 'id'),
    text('URL', 'url'),
    active,
    words('Event types', 'event_types'),
    text('Description', 'description'),
    moment('Created', 'created_at'),
    moment('Updated', 'updated_at'),
    text('Signing secret', 'signing_secret'),
  ],
  columns: [
    text('ID', 'id'),
    text('URL', 'url'),
    {...active, rank: 3},
    words('Event types', 'event_types', 2),
    time('Created', 'created_at', 1),
  ],
};

/** Assumption 33. */
export const eventTypeView: View = {
  noun: 'event type',
  plural: 'event types',
  idPath: 'type',
  card: [text('Type', 'type'), text('Description', 'description')],
  columns: [text('Type', 'type'), text('Description', 'description', 1)],
};
