import {hasFailed, LIFECYCLES} from '../contract/lifecycle.ts';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {openInput} from '../batch/input/csv-input.ts';
import type {ImportedParty} from '../batch/input/rows.ts';
import {openSource} from '../batch/input/source.ts';
import {bare} from '../batch/plan/refusals.ts';
import {normaliseReference} from '../batch/model/identity.ts';
import {type IdFormat, isId, usualId} from '../contract/ids.ts';
import {RemitError} from '../errors.ts';
import {messageOf} from '../narrow.ts';

/**
 * Reads the result of an import: the ids of payees or payers by their references. Other columns are ignored.
 * @throws RemitError CSV_INVALID naming the line; nothing was sent
 */
export async function readPartyIds(
  path: string,
  {kind, ids = 'uuid'}: {kind: 'payout' | 'payin'; ids: IdFormat | undefined},
): Promise<Map<string, ImportedParty>> {
  const column = kind === 'payout' ? 'payee_id' : 'payer_id';
  const found = new Map<string, ImportedParty>();
  // An import never writes one id for two references. A second name for a payee cannot be told from a mistake that pays
  // the wrong account, so it is refused; the rows of payments can share one reference.
  const references = new Map<string, string>();
  const refuse = (why: string): never => {
    throw new RemitError('CSV_INVALID', `${path}: ${why}; nothing was sent`, {
      hint: `name the file with the ids that \`${kind === 'payout' ? 'payees' : 'payers'} import\` has written`,
    });
  };
  if (path === '-') refuse('the ids cannot come from standard input');
  const folder = mkdtempSync(join(tmpdir(), 'remit-ids-'));
  try {
    // The flags of the command are about the file of payments, so that none of them could name a sheet of this one.
    const options = {sheet: undefined, retype: bare, spool: join(folder, 'texts')};
    const source = await openSource(openInput(path), options).catch((error: unknown) =>
      refuse(error instanceof RemitError ? error.message : messageOf(error)),
    );
    try {
      let at = {reference: -1, id: -1, verification: -1};
      for await (const piece of source.read()) {
        if ('header' in piece) {
          const names = piece.header.map((name) =>
            name
              .trim()
              .toLowerCase()
              .replace(/[\s-]+/g, '_'),
          );
          at = {
            reference: names.indexOf('reference'),
            id: names.indexOf(column),
            verification: names.indexOf('verification'),
          };
          if (at.reference < 0 || at.id < 0) refuse(`it has no columns reference and ${column}`);
          const known = Object.values(at).filter((index) => index >= 0);
          source.beginWith(new Map(known.map((index) => [index, 'name'])));
          continue;
        }
        for (const {line, cells} of piece.records) {
          const reference = normaliseReference(cells[at.reference] ?? '');
          const id = (cells[at.id] ?? '').trim();
          if (reference === '') refuse(`line ${line} has no reference`);
          if (!isId(id, ids)) refuse(`line ${line}: the ${column} of ${reference} is not an id`);
          if (found.has(reference)) refuse(`line ${line}: reference ${reference} is repeated`);
          const known = usualId(id);
          const other = references.get(known);
          if (other !== undefined)
            refuse(
              `line ${line}: ${reference} has the same ${column} as ${other}, so one of them would be paid instead of the other`,
            );
          references.set(known, reference);
          const verification = (cells[at.verification] ?? '').trim().toLowerCase();
          found.set(reference, {
            id: known,
            isUnusable: hasFailed(verification),
            isPending: verification === LIFECYCLES.paymentMethod.initial,
          });
        }
      }
    } finally {
      source.close();
    }
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
  return found;
}
