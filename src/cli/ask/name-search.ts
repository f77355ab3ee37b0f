import type {RemitClient} from '../../client/client.ts';
import {isId} from '../../contract/ids.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {RemitError} from '../../errors.ts';
import {majorOf, plainValue} from '../../output/records/view.ts';
import type {Commands} from '../line/command-line.ts';
import type {Stop} from '../runtime/stop.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/** Records that people know by name, and the list with their names. */
const NAMED = {
  payee: {plural: 'payees', field: 'name', topic: ['payees', 'list'], operation: 'payees.list'},
  payer: {plural: 'payers', field: 'name', topic: ['payers', 'list'], operation: 'payers.list'},
  subaccount: {
    ...{plural: 'subaccounts', field: 'name', topic: ['subaccounts', 'list']},
    operation: 'subaccounts.list',
  },
  'treasury account': {
    ...{plural: 'treasury accounts', field: 'label', topic: ['treasury', 'accounts', 'list']},
    operation: 'treasury.accounts',
  },
} as const satisfies Record<
  string,
  {operation: OperationId; field: 'name' | 'label'; plural: string; topic: readonly string[]}
>;
export type Named = keyof typeof NAMED;

/** The command that lists the records with their ids. */
export const listOf = (commands: Commands, noun: Named): string => commands.read(...NAMED[noun].topic);

/** Records that are searched for a name. */
const MOST_SEARCHED = 10_000;
/** Candidates that are listed. */
const MOST_LISTED = 10;

export interface NamedRecord {
  id: string;
  name: string;
  /** What tells two records of one name apart. */
  more: string;
}

/** What searching needs of the context of a command. */
export interface Searching {
  client: Pick<RemitClient, 'records'>;
  commands: Commands;
  stop: Stop;
}

/**
 * The records with a name: those with the whole name in any case or, if there are none, those with part of it.
 * @throws RemitError NOT_FOUND if there are none
 */
export async function searchName(
  {client, commands, stop}: Searching,
  noun: Named,
  typed: string,
): Promise<{found: NamedRecord[]; isExact: boolean}> {
  const {plural, field, operation} = NAMED[noun];
  const options = {limit: MOST_SEARCHED, pageSize: 100, signal: stop.signal};
  const listing = client.records(operation, {}, options);
  const wanted = fold(typed);
  const same: NamedRecord[] = [];
  const like: NamedRecord[] = [];
  for await (const record of listing) {
    const candidate = namedRecordOf(record, field);
    if (candidate === undefined) continue;
    const name = fold(candidate.name);
    if (name === wanted) same.push(candidate);
    else if (name.includes(wanted)) like.push(candidate);
  }
  const found = same.length > 0 ? same : like;
  if (found.length > 0 && listing.more) throw tooMany(noun, typed, found);
  if (same.length > 0) return {found: same, isExact: true};
  if (like.length > 0) return {found: like, isExact: false};
  const where = listing.more ? `none of the first ${MOST_SEARCHED} ${plural}` : `no ${noun}`;
  throw new RemitError('NOT_FOUND', `${where} has a name like ${JSON.stringify(typed)}`, {
    hint: listOf(commands, noun),
  });
}

/** A record that was not read may have the same name. */
const tooMany = (noun: Named, typed: string, found: readonly NamedRecord[]): RemitError =>
  new RemitError(
    'USAGE',
    `only the first ${MOST_SEARCHED} ${NAMED[noun].plural} were searched, so another one may have the name ${JSON.stringify(typed)}`,
    {hint: 'use the id', details: {candidates: found.slice(0, MOST_LISTED).map(({id}) => id)}},
  );

/** Several records have the name, or only part of it was typed where the whole name is needed. */
export function ambiguous(noun: Named, typed: string, found: readonly NamedRecord[]): RemitError {
  const lines = found
    .slice(0, MOST_LISTED)
    .map(({id, name, more}) => `${plainValue(id)}  ${plainValue(name)}${more}`);
  const rest = found.length > MOST_LISTED ? [`and ${found.length - MOST_LISTED} more`] : [];
  const one = found.length === 1;
  const name = JSON.stringify(typed);
  const which = one
    ? `no ${noun} has the name ${name}, but one has it in its name`
    : `${found.length} ${NAMED[noun].plural} have a name like ${name}`;
  return new RemitError('USAGE', `${which}:\n${[...lines, ...rest].join('\n')}`, {
    hint: one ? 'use its id, or its whole name' : 'use one of these ids',
    details: {candidates: found.map(({id}) => id)},
  });
}

/**
 * The candidate, whose id becomes a word of the command.
 * @throws RemitError LOCAL_VALIDATION if the id is not a plain one: it could be read as a flag
 */
export function withPlainId(noun: Named, candidate: NamedRecord): NamedRecord {
  if (isId(candidate.id, 'any')) return candidate;
  throw new RemitError(
    'LOCAL_VALIDATION',
    `the service sent an id for the ${noun} ${JSON.stringify(plainValue(candidate.name))} that is not a plain one: ${JSON.stringify(plainValue(candidate.id))}; nothing was sent`,
  );
}

const fold = (name: string): string => name.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();

function namedRecordOf(record: ServiceRecord, field: 'name' | 'label'): NamedRecord | undefined {
  const {id, [field]: name, email, balance_in_minor_units: balance, currency_code: currency} = record;
  if (id === undefined || name === undefined) return undefined;
  const more = email ?? (balance === undefined ? currency : majorOf(balance, currency));
  return {id, name, more: more === undefined ? '' : `  ${plainValue(more)}`};
}
