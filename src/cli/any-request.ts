import {readFileSync} from 'node:fs';
import {resolveRoute, type Overrides} from '../client/routes.ts';
import {allOperations, type OperationId} from '../contract/operations.ts';
import {RemitError} from '../errors.ts';
import {valueAt} from '../output/select.ts';
import type {WriteFacts} from './guard.ts';
import type {InStream} from './runtime.ts';
import {readStdin} from './stdin.ts';

const MOST_CHARACTERS = 10_000_000;

/** The operation of the contract that a typed request is, if it is one. */
export function operationAt(method: string, path: string, overrides: Overrides): OperationId | undefined {
  const [route = ''] = path.split('?');
  return allOperations().find(({id}) => {
    const declared = resolveRoute(id, overrides);
    const pattern = declared.path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+');
    return declared.method === method && new RegExp(`^${pattern}$`).test(route);
  })?.id;
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

/** What the guard can know of a request that nobody declared: its words, and an amount where the body names one. */
export function factsOf(method: string, path: string, body: unknown): WriteFacts {
  const minor = valueAt(body, 'amount_in_minor_units') ?? valueAt(body, 'amount_in_cents');
  const currency = valueAt(body, 'currency_code');
  const rail = valueAt(body, 'rail');
  const party = ['payee_id', 'payer_id'].find((field) => typeof valueAt(body, field) === 'string');
  return {
    operation: `${method} ${path}`,
    party: party === undefined ? undefined : [party.slice(0, -3), valueAt(body, party) as string],
    amountMinor: typeof minor === 'number' && Number.isSafeInteger(minor) ? BigInt(minor) : undefined,
    currency: typeof currency === 'string' ? currency : undefined,
    rail: minor === undefined ? undefined : {value: typeof rail === 'string' ? rail : undefined},
  };
}
