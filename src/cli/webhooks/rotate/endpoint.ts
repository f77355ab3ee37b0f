import {unwrapRecord} from '../../../client/answers/envelope.ts';
import {RemitError} from '../../../errors.ts';
import {selectedValue} from '../../../output/records/select.ts';
import type {Context} from '../../core/context.ts';

/** The fields of an endpoint that a rotation needs. */
export interface Endpoint {
  url: string;
  eventTypes: string[];
  /** Undefined if the service does not say it. */
  active: boolean | undefined;
  description: string;
}

/** Undefined if it may be missing and is. */
export async function findEndpoint(
  {client, stop}: Context,
  id: string,
  mayBeMissing: boolean,
): Promise<Endpoint | undefined> {
  let record: unknown;
  try {
    record = unwrapRecord((await client.webhookEndpoints.get({id}, {signal: stop.signal})).data);
  } catch (error) {
    if (mayBeMissing && error instanceof RemitError && error.httpStatus === 404) return undefined;
    throw error;
  }
  const [url, types, active, description] = ['url', 'event_types', 'is_active', 'description'].map((field) =>
    selectedValue(record, field),
  );
  if (typeof url !== 'string' || !Array.isArray(types) || !types.every((type) => typeof type === 'string'))
    throw new RemitError('UNAVAILABLE', `the URL and event types of the endpoint ${id} cannot be read`);
  return {
    ...{url, eventTypes: types, active: typeof active === 'boolean' ? active : undefined},
    description: typeof description === 'string' ? description : '',
  };
}
