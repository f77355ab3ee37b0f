import type {IdFormat} from '../../contract/ids.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {RemitError} from '../../errors.ts';
import {operationOf} from '../../service/routes.ts';
import type {Printable} from '../../narrow.ts';

/**
 * Checks a request body against the contract, on this machine and before anything is sent. Loads zod, so use it for a
 * body typed by a person, not for every row.
 *
 * @param ids what the ids of the service look like
 * @throws {RemitError} LOCAL_VALIDATION with `details.fields`, each `{field, issue}`
 */
export async function validateBody(id: OperationId, body: Printable, ids?: IdFormat): Promise<void> {
  const operation = operationOf(id);
  if (operation.body === undefined) return;
  const {check} = await import('../../contract/schemas/registry.ts');
  const checked = check(operation.body, body, ids);
  if (checked.ok) return;
  const issues = checked.issues.map(({field, issue}) => (field === '' ? issue : `${field}: ${issue}`));
  throw new RemitError(
    'LOCAL_VALIDATION',
    `${operation.summary.split(';')[0]}: refused before it was sent: ${issues.join('; ')}`,
    {
      details: {fields: checked.issues},
    },
  );
}
