/** The library: `import {RemitClient} from 'remit-cli'`. */
export {RemitClient} from './client.ts';
export type {ClientOptions, WaitForOptions} from './options.ts';
export type {Preview} from './requests/built.ts';
export type {Answered, CallInput, CallOptions, KeyedOptions, ListItem, Result} from './requests/resource.ts';
export {Listing} from './reading/listing.ts';
export type {ListOptions} from './reading/listing.ts';
export type {Page} from './reading/page.ts';
export type {Waited} from './reading/poll.ts';
export {parseServiceFile} from '../service/file/parse.ts';
export type {ServiceFile} from '../service/service-file.ts';
export {HttpTransport} from './transport/http-transport.ts';
export {PoolTransport} from './transport/pool-transport.ts';
export {TransportFailure} from './transport/transport.ts';
export type {Timeouts, Transport, TransportAnswer, TransportRequest} from './transport/transport.ts';
export {validateBody} from './requests/validate.ts';
export {ERRORS, EXIT, RemitError} from '../errors.ts';
export {ExactNumber} from '../narrow.ts';
export type {ErrorCode, ExitCode} from '../errors.ts';
