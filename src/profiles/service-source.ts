import {RemitError} from '../errors.ts';
import {checkService, parseServiceFile} from '../service/parse.ts';
import {isEmptyService, type ServiceFile} from '../service/service-file.ts';
import {readSmallFile, refuseForeign} from './trusted-file.ts';

/**
 * Reads a service file. It decides what a request does, so the rules for its owner and mode are those of a key file.
 * @throws {RemitError} SERVICE_FILE when it cannot be read or has an error; STATE when another user could have written it
 */
export function readServiceFile(path: string): ServiceFile {
  let file: ReturnType<typeof readSmallFile>;
  try {
    file = readSmallFile(path);
  } catch (cause) {
    throw new RemitError(
      'SERVICE_FILE',
      `the service file ${path} cannot be read: ${(cause as Error).message}`,
      {
        cause,
        details: {file: path, line: null, key: null},
      },
    );
  }
  refuseForeign(path, file.stats, 'the service file');
  return parseServiceFile(file.text, path);
}

/** What a profile holds of a service file, checked again: people edit the file that it stands in. */
export const storedService = (service: ServiceFile, name: string, path: string): ServiceFile =>
  isEmptyService(service) ? service : checkService(service, `${path}: profile "${name}", service`);
