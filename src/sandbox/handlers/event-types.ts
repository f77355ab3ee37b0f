import {EVENT_TYPES} from '../../contract/events.ts';
import type {Handler} from './handler.ts';

/** Interface document, "Event types"; the form is assumption 33. */
const list: Handler<'eventTypes.list'> = async () => ({
  status: 200,
  body: {data: Object.entries(EVENT_TYPES).map(([type, {description}]) => ({type, description}))},
});

export const eventTypeHandlers = {list};
