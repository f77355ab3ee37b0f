import {isId} from '../../contract/ids.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import type {Context} from '../core/context.ts';
import {canAsk} from '../runtime/prompts.ts';
import {tryRead} from './who.ts';

/** More payment methods than this are not read for a hint. */
const MOST_METHODS = 100;

/**
 * After a 422 on a create that uses the default payment method: the command that gives the party one, if it has none.
 * @returns undefined if it has a default, or if its payment methods could not be read
 */
export async function methodFix(
  context: Context,
  label: 'payee' | 'payer',
  owner: string,
): Promise<string | undefined> {
  const {commands, client, runtime, stop} = context;
  if (stop.signal.aborted) return undefined;
  const methods = await tryRead(context, (options) =>
    client
      .records(
        `${label}PaymentMethods.list` satisfies OperationId,
        {[`${label}_id`]: owner},
        {limit: MOST_METHODS, pageSize: MOST_METHODS, ...options},
      )
      .toArray(),
  ).catch(() => undefined); // what the command itself failed with is reported
  if (!Array.isArray(methods)) return undefined;
  if (methods.length === 0) return commands.write('payment-methods', 'add', `--${label}`, owner);
  if (methods.length === MOST_METHODS || methods.some((one) => one.is_default !== false)) return undefined;
  const usable = methods.filter((one) => one.verification_status === 'verified');
  const id = usable[0]?.id;
  const setDefault = (...words: string[]) =>
    commands.write('payment-methods', 'set-default', ...words, `--${label}`, owner);
  if (usable.length === 1 && id !== undefined && isId(id, 'any')) return setDefault(id);
  return usable.length > 1 && canAsk(runtime) ? setDefault() : undefined; // it asks which one
}
