import type {OperationId} from '../contract/operations.ts';
import {RemitError} from '../errors.ts';

/** Whose payment methods are meant: exactly one of `--payee` and `--payer`. */
export interface Owner {
  label: 'payee' | 'payer';
  id: string;
  resource: 'payeePaymentMethods' | 'payerPaymentMethods';
}

export function readOwner(flags: {payee?: string | undefined; payer?: string | undefined}): Owner {
  const {payee, payer} = flags;
  if (payee !== undefined && payer === undefined)
    return {label: 'payee', id: payee, resource: 'payeePaymentMethods'};
  if (payer !== undefined && payee === undefined)
    return {label: 'payer', id: payer, resource: 'payerPaymentMethods'};
  throw new RemitError('USAGE', 'whose payment method? exactly one of --payee ID and --payer ID');
}

export const methodOperation = (owner: Owner, verb: 'add' | 'list' | 'setDefault' | 'delete'): OperationId =>
  `${owner.resource}.${verb}`;
