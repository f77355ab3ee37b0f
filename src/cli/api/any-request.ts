import {readFileSync} from 'node:fs';
import {resolveRoute, type Overrides} from '../../client/routes.ts';
import {unwrapRecord} from '../../client/readable.ts';
import {allOperations, type OperationId} from '../../contract/operations.ts';
import {RemitError} from '../../errors.ts';
import {valueAt} from '../../output/select.ts';
import type {Commands} from '../runtime/command-line.ts';
import type {InStream} from '../runtime/runtime.ts';
import {readStdin} from '../runtime/stdin.ts';

const MOST_CHARACTERS = 10_000_000;

/**
 * The contract's operation that a typed request matches, if any.
 * @param letters `i`: match case-insensitively
 */
export function operationAt(
  method: string,
  path: string,
  overrides: Overrides,
  letters: '' | 'i' = '',
): OperationId | undefined {
  const [route = ''] = path.split('?');
  return allOperations().find(({id}) => {
    const declared = resolveRoute(id, overrides);
    return declared.method === method && routePattern(declared.path, letters).test(route);
  })?.id;
}

/** The path parameters of a request found by `operationAt`, decoded. */
export function paramsAt(id: OperationId, path: string, overrides: Overrides): Record<string, string> {
  const [route = ''] = path.split('?');
  const {groups = {}} = routePattern(resolveRoute(id, overrides).path, '').exec(route) ?? {};
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeSegment(value)]));
}

/** One segment of a path as a service reads it; unchanged if it is not well-formed. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function routePattern(path: string, letters: string): RegExp {
  const escaped = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`, letters);
}

/** `--data` as JSON: the text itself, `@file`, or `-` for stdin. */
export async function readData(data: string | undefined, stdin: InStream): Promise<unknown> {
  if (data === undefined) return undefined;
  const text =
    data === '-'
      ? await readStdin(stdin, MOST_CHARACTERS)
      : data.startsWith('@')
        ? readFile(data.slice(1))
        : data;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new RemitError('LOCAL_VALIDATION', `--data is not JSON: ${withoutSource(error as Error)}`);
  }
}

/** The parser quotes the text around the error, which may be a number or a secret. */
const withoutSource = ({message}: Error): string =>
  message.replace(/,? (?:\.\.\.)?".*" is not valid JSON$/s, '');

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new RemitError('LOCAL_VALIDATION', `${path} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** The path that shows whether a write took effect: its own, or that of the record it acts on. */
export function readPath(method: string, path: string): string {
  const [route = ''] = path.split('?');
  return method === 'POST'
    ? route.replace(/\/[a-z-]+$/, (verb, at: number) => (isId(route, at) ? '' : verb))
    : route;
}

/** Whether the segment before a verb is an id: `/api/payouts/{id}/approve`. */
const isId = (route: string, verbAt: number): boolean => /\/[^/]*\d[^/]*$/.test(route.slice(0, verbAt));

/** The effect of an accepted write, for an error that may follow. */
export function effectOf(
  data: unknown,
  request: {method: string; path: string; idempotencyKey: string | undefined; commands: Commands},
) {
  const {method, path, idempotencyKey, commands} = request;
  const record = unwrapRecord(data);
  const [id, status] = [valueAt(record, 'id'), valueAt(record, 'status')];
  return {
    ...{noun: `request ${method} ${path}`, done: 'was accepted', idempotencyKey},
    id: typeof id === 'string' ? id : null,
    status: typeof status === 'string' ? status : null,
    next: commands.read('api', 'GET', readPath(method, path)),
  };
}
