import {readFileSync} from 'node:fs';
import {resolveRoute, type Overrides} from '../client/routes.ts';
import {allOperations, type OperationId} from '../contract/operations.ts';
import {RemitError} from '../errors.ts';
import type {InStream} from './runtime.ts';
import {readStdin} from './stdin.ts';

const MOST_CHARACTERS = 10_000_000;

/**
 * The operation of the contract that a typed request is, if it is one.
 * @param letters `i`: whatever the case of its letters
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

/** The path parameters of a request that `operationAt` has found, decoded. */
export function paramsAt(id: OperationId, path: string, overrides: Overrides): Record<string, string> {
  const [route = ''] = path.split('?');
  const {groups = {}} = routePattern(resolveRoute(id, overrides).path, '').exec(route) ?? {};
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeSegment(value)]));
}

/** One segment of a path as a service reads it; as typed where it is not well-formed. */
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
    throw new RemitError('LOCAL_VALIDATION', `--data is not JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new RemitError('LOCAL_VALIDATION', `${path} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
