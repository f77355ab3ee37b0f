import {RemitError} from '../../errors.ts';
import {stringOf, type JsonFields} from '../../narrow.ts';
import {isMethodParameter} from '../../service/file/own-headers.ts';

/** Inserts URL-encoded values into a path template: `/api/payouts/{id}`. */
export function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  const unused = new Set(Object.keys(params));
  const filled = path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    unused.delete(name);
    return encodeSegment(name, Object.hasOwn(params, name) ? params[name] : undefined);
  });
  if (unused.size > 0) throw usage(`${path} has no place for ${[...unused].join(', ')}`);
  return filled;
}

/** Checks a path typed by a person (`remit api`): one leading slash, so that it stays on the base URL's origin. */
export function checkRequestPath(path: string): string {
  const [route = ''] = path.split(/[?#]/, 1);
  if (!path.startsWith('/') || path.startsWith('//'))
    throw refusedPath(path, 'must begin with exactly one /');
  if (/[^\u0021-\u007e]|[\\#]/.test(path))
    throw refusedPath(path, 'must not contain spaces, backslashes, # or unencoded characters');
  const names = [...new URLSearchParams(path.slice(route.length + 1)).keys()];
  if (names.some(isMethodParameter))
    throw refusedPath(path, 'must not have a parameter that many servers read as the method of the request');
  const segments = route.split('/').map((segment) => segment.replace(/%2e/gi, '.'));
  if (segments.includes('.') || segments.includes('..'))
    throw refusedPath(path, 'must not contain . or .. segments');
  return path;
}

function encodeSegment(name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw usage(`${name} is empty`);
  // A server or proxy may resolve these before it routes, and the request would reach another record.
  if (value === '.' || value === '..') throw usage(`${name} cannot be ${value}`);
  try {
    return encodeURIComponent(value);
  } catch (cause) {
    throw new RemitError('USAGE', `${name} is not well-formed text`, {cause}); // half of a surrogate pair
  }
}

/** The id of the record: the one at the end of a path such as `/api/payouts/{id}`. */
export function lastParam(path: string, params: JsonFields): string | undefined {
  const name = /\{(\w+)\}$/.exec(path)?.[1];
  return name === undefined ? undefined : stringOf(params[name]);
}

const usage = (message: string) => new RemitError('USAGE', message);
const refusedPath = (path: string, rule: string) =>
  new RemitError('GUARD_TARGET', `refused the path ${JSON.stringify(path)}: it ${rule}`);
