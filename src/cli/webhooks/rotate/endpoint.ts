import type {ServiceRecord} from '../../../client/answers/record.ts';
import {RemitError} from '../../../errors.ts';
import type {Context} from '../../core/context.ts';
import {readEndpoint} from '../endpoints.ts';

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
  context: Context,
  id: string,
  mayBeMissing: boolean,
): Promise<Endpoint | undefined> {
  let record: ServiceRecord;
  try {
    record = await readEndpoint(context, id, context.stop.signal);
  } catch (error) {
    if (mayBeMissing && error instanceof RemitError && error.httpStatus === 404) return undefined;
    throw error;
  }
  const {url, event_types: types, is_active: active, description} = record;
  if (url === undefined || types === undefined || !types.every((type) => typeof type === 'string'))
    throw new RemitError('UNAVAILABLE', `the URL and event types of the endpoint ${id} cannot be read`);
  return {url, eventTypes: [...types], active, description: description ?? ''};
}
