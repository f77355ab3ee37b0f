import type {OperationId} from '../../contract/operations/operations.ts';
import {RemitError} from '../../errors.ts';
import type {Context} from '../core/context.ts';
import {ownerDetails} from '../write/who.ts';
import type {Write} from '../write/write.ts';
import {requireId} from './names.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/** The owner of the payment methods: exactly one of `--payee` and `--payer`. */
export interface MethodOwner {
  label: 'payee' | 'payer';
  id: string;
  resource: 'payeePaymentMethods' | 'payerPaymentMethods';
}

export function readOwner(flags: {payee?: string | undefined; payer?: string | undefined}): MethodOwner {
  const {payee, payer} = flags;
  if (payee !== undefined && payer === undefined)
    return {label: 'payee', id: payee, resource: 'payeePaymentMethods'};
  if (payer !== undefined && payee === undefined)
    return {label: 'payer', id: payer, resource: 'payerPaymentMethods'};
  throw new RemitError('USAGE', 'use exactly one of --payee ID and --payer ID');
}

/** The owner as named in the paths of its payment methods, and one of these methods. */
export const methodParams = (owner: MethodOwner, methodId?: string): Record<string, string> => ({
  [`${owner.label}_id`]: owner.id,
  ...(methodId === undefined ? {} : {payment_method_id: methodId}),
});

export const methodOperation = (
  owner: MethodOwner,
  verb: 'add' | 'list' | 'setDefault' | 'delete',
): OperationId => `${owner.resource}.${verb}`;

/** Finds one payment method in the list, because no operation to read one is documented. */
export async function findMethod(
  {client, stop}: Context,
  owner: MethodOwner,
  id: string,
): Promise<ServiceRecord | undefined> {
  const query = methodParams(owner);
  const options = {all: true, signal: stop.signal};
  for await (const method of client.records(methodOperation(owner, 'list'), query, options))
    if (method.id?.toLowerCase() === id.toLowerCase()) return method;
  return undefined;
}

/** A write on one payment method of a payee or payer. */
export function methodWrite(
  context: Context,
  owner: MethodOwner,
  id: string,
  {verb, operation}: {verb: 'setDefault' | 'delete'; operation: string},
): Omit<Write, 'dryRun'> {
  requireId(context, owner.label, owner.id);
  return {
    operation: methodOperation(owner, verb),
    params: methodParams(owner, id),
    facts: {operation, party: [owner.label, owner.id], details: ownerDetails(context, owner)},
    ...{noun: 'payment method', id},
    checkedBy: ['payment-methods', 'list', `--${owner.label}`, owner.id],
  };
}
