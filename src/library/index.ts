/** The library: `import {RemitClient} from 'remit-cli'`. */
export {RemitClient} from '../client/client.ts';
export type {ClientOptions, WaitForOptions} from '../client/options.ts';
export type {Preview} from '../client/requests/built.ts';
export type {
  Answered,
  CallInput,
  CallOptions,
  KeyedOptions,
  ListItem,
  RequestMethod,
  Result,
  UnknownFields,
} from '../client/requests/resource.ts';
export {Listing} from '../client/reading/listing.ts';
export type {ListOptions} from '../client/reading/listing.ts';
export type {Page} from '../client/reading/page.ts';
export type {Waited} from '../client/reading/poll.ts';
export type {EventTypeName} from '../contract/events.ts';
export {parseServiceFile} from '../service/file/parse.ts';
export type {ServiceFile} from '../service/service-file.ts';
export {TransportFailure} from '../client/transport/transport.ts';
export type {Timeouts, Transport, TransportAnswer, TransportRequest} from '../client/transport/transport.ts';
export {validateBody} from '../client/requests/validate.ts';
export {ERRORS, EXIT, RemitError} from '../errors.ts';
export {ExactNumber} from '../narrow.ts';
export type {Json, JsonFields, JsonValue} from '../narrow.ts';
export type {ErrorCode, ExitCode} from '../errors.ts';
