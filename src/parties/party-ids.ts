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
  const refuse = (why: string): never => {
    throw new RemitError('CSV_INVALID', `${path}: ${why}; nothing was sent`, {
      hint: `name the file with the ids that \`${kind === 'payout' ? 'payees' : 'payers'} import\` has written`,
    });
  };
  if (path === '-') refuse('the ids cannot come from standard input');
  const collected = new CollectedIds(column, ids, refuse);
  const folder = mkdtempSync(join(tmpdir(), 'remit-ids-'));
  try {
    // The flags of the command are about the file of payments, so that none of them could name a sheet of this one.
    const options = {sheet: undefined, retype: bare, spool: join(folder, 'texts')};
    const source = await openSource(openInput(path), options).catch((error: unknown) =>
      refuse(error instanceof RemitError ? error.message : messageOf(error)),
    );
    try {
      for await (const piece of source.read())
        if ('header' in piece) source.beginWith(collected.begin(piece.header));
        else for (const record of piece.records) collected.add(record);
    } finally {
      source.close();
    }
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
  return collected.found;
}

class CollectedIds {
  readonly found = new Map<string, ImportedParty>();
  /**
   * References by their ids. An import never writes one id for two references. A second name for a payee cannot be told
   * from a mistake that pays the wrong account, so it is refused; the rows of payments can share one reference.
   */
  readonly #references = new Map<string, string>();
  readonly #column: string;
  readonly #ids: IdFormat;
  readonly #refuse: (why: string) => never;
  #at = {reference: -1, id: -1, verification: -1};

  constructor(column: string, ids: IdFormat, refuse: (why: string) => never) {
    this.#column = column;
    this.#ids = ids;
    this.#refuse = refuse;
  }

  /** The columns that are read: each is a text. */
  begin(header: readonly string[]): Map<number, 'name'> {
    const names = header.map((name) =>
      name
        .trim()
        .toLowerCase()
        .replace(/[\s-]+/g, '_'),
    );
    const [reference, id] = [names.indexOf('reference'), names.indexOf(this.#column)];
    if (reference < 0 || id < 0) this.#refuse(`it has no columns reference and ${this.#column}`);
    this.#at = {reference, id, verification: names.indexOf('verification')};
    const known = Object.values(this.#at).filter((index) => index >= 0);
    return new Map(known.map((index) => [index, 'name']));
  }

  add({line, cells}: {line: number; cells: readonly string[]}): void {
    const reference = normaliseReference(cells[this.#at.reference] ?? '');
    const id = (cells[this.#at.id] ?? '').trim();
    if (reference === '') this.#refuse(`line ${line} has no reference`);
    if (!isId(id, this.#ids)) this.#refuse(`line ${line}: the ${this.#column} of ${reference} is not an id`);
    if (this.found.has(reference)) this.#refuse(`line ${line}: reference ${reference} is repeated`);
    const known = usualId(id);
    const other = this.#references.get(known);
    if (other !== undefined)
      this.#refuse(
        `line ${line}: ${reference} has the same ${this.#column} as ${other}, so one of them would be paid instead of the other`,
      );
    this.#references.set(known, reference);
    const verification = (cells[this.#at.verification] ?? '').trim().toLowerCase();
    this.found.set(reference, {
      id: known,
      isUnusable: hasFailed(verification),
      isPending: verification === LIFECYCLES.paymentMethod.initial,
    });
  }
}
