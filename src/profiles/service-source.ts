import {readFileSync} from 'node:fs';
import {messageOf} from '../narrow.ts';
import {RemitError} from '../errors.ts';
import {type KeyLines, keyLines} from '../service/file/lines.ts';
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
export function storedService(service: ServiceFile, name: string, path: string): ServiceFile {
  if (isEmptyService(service)) return service;
  const lines: KeyLines = {
    repeated: undefined,
    lineOf: (key) => keyLines(readFileSync(path, 'utf8')).lineOf(['profiles', name, 'service', ...key]),
  };
  return inUse(
    () => checkService(service, `profile ${name} in ${path}`, lines),
    (key) =>
      key.startsWith('routes.')
        ? `to use the assumed route again: remit profiles unset ${name} --route ${key.slice('routes.'.length)}`
        : `correct the file, then: remit profiles set ${name} --service FILE`,
  );
}

/** What decides the method, path and body of a request. */
const OF_REQUESTS = /^(?:routes|prefixes|bodies)\b/;

/**
 * A service file that is about to be used. A file may have been accepted by an earlier version, or changed since, so a
 * route that could turn a request into another one is refused by a guard.
 * @throws {RemitError} GUARD_WRITE for such a route; otherwise what `read` throws
 */
export function inUse(read: () => ServiceFile, fix: (key: string) => string): ServiceFile {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RemitError)) throw error;
    const key = error.details?.['key'];
    if (typeof key !== 'string' || !OF_REQUESTS.test(key)) throw error;
    throw new RemitError('GUARD_WRITE', `${error.message}; nothing was sent`, {
      ...{cause: error, hint: fix(key), details: error.details},
    });
  }
}
