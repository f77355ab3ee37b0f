/** The library: `import {RemitClient} from 'remit-cli'`. */
export {RemitClient} from './client.ts';
export type {ClientOptions, WaitForOptions} from './client.ts';
export type {Preview} from './built.ts';
export type {Answered, CallInput, CallOptions, KeyedOptions, ListItem, Result} from './resource.ts';
export {Listing} from './pages.ts';
export type {ListOptions, Page} from './pages.ts';
export type {Waited} from './poll.ts';
export {parseServiceFile} from '../service/parse.ts';
export type {ServiceFile} from '../service/service-file.ts';
export {HttpTransport} from './http-transport.ts';
export {PoolTransport} from './pool-transport.ts';
export {TransportFailure} from './transport.ts';
export type {Timeouts, Transport, TransportAnswer, TransportRequest} from './transport.ts';
export {validateBody} from './validate.ts';
export {ERRORS, EXIT, RemitError} from '../errors.ts';
export type {ErrorCode, ExitCode} from '../errors.ts';
