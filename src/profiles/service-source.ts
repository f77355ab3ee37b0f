import {messageOf} from '../narrow.ts';
import {RemitError} from '../errors.ts';
import {checkService, parseServiceFile} from '../service/file/parse.ts';
import {isEmptyService, type ServiceFile} from '../service/service-file.ts';
import {readSmallFile, refuseForeign} from './trusted-file.ts';

/**
 * Reads a service file. It decides what a request does, so its owner and mode must follow the rules for key files.
 * @throws {RemitError} SERVICE_FILE if it cannot be read or has an error; STATE if another user could have written it
 */
export function readServiceFile(path: string): ServiceFile {
  let file: ReturnType<typeof readSmallFile>;
  try {
    file = readSmallFile(path);
  } catch (cause) {
    throw new RemitError('SERVICE_FILE', `the service file ${path} cannot be read: ${messageOf(cause)}`, {
      cause,
      details: {file: path, line: null, key: null},
    });
  }
  refuseForeign(path, file.stats, 'the service file');
  return parseServiceFile(file.text, path);
}

/** The service file stored in a profile, checked again because people edit the config file. */
export const storedService = (service: ServiceFile, name: string, path: string): ServiceFile =>
  isEmptyService(service) ? service : checkService(service, `${path}: profile "${name}", service`);
