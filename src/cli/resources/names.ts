import {isId} from '../../contract/ids.ts';
import {RemitError} from '../../errors.ts';
import {isObject} from '../../narrow.ts';
import {majorOf, plainValue} from '../../output/records/view.ts';
import type {Context} from '../core/context.ts';

/** Records that people know by name, and the list with their names. */
const NAMED = {
  payee: {plural: 'payees', field: 'name', topic: ['payees', 'list']},
  payer: {plural: 'payers', field: 'name', topic: ['payers', 'list']},
  subaccount: {plural: 'subaccounts', field: 'name', topic: ['subaccounts', 'list']},
  'treasury account': {plural: 'treasury accounts', field: 'label', topic: ['treasury', 'accounts']},
} as const;
type Named = keyof typeof NAMED;

/** An id of another form has digits and no spaces; most names do not look like that. */
const mayBeId = (typed: string): boolean => /^\S*\d\S*$/.test(typed);
const OTHER_IDS = '; if the ids of this service are not UUIDs, set ids.format to "any" in the service file';

/** Records that are searched for a name. */
const MOST_SEARCHED = 10_000;
/** Candidates that are listed. */
const MOST_LISTED = 10;

interface Candidate {
  id: string;
  name: string;
  /** What tells two records of one name apart. */
  more: string;
}

/**
 * The id that was typed, or at a terminal the id of the only record with that name: the whole name in any case, or
 * part of it. Scripts give ids, because a name can become ambiguous.
 * @throws RemitError USAGE without a terminal, or for several candidates, which it lists; NOT_FOUND for none
 */
export async function resolveId(context: Context, noun: Named, typed: string): Promise<string> {
  const {out, profile, commands} = context;
  if (isId(typed, profile.service.ids?.format ?? 'uuid')) return typed;
  const {plural, topic} = NAMED[noun];
  const list = commands.read(...topic);
  if (!out.isTerminal)
    throw new RemitError(
      'USAGE',
      `${JSON.stringify(typed)} is not the id of a ${noun}; names are looked up only at a terminal`,
      {
        hint: `find the id with ${list}${mayBeId(typed) ? OTHER_IDS : ''}`,
      },
    );
  const {found, isWhole} = await search(context, noun, typed);
  const [only] = found;
  if (found.length === 1 && only !== undefined) {
    out.note(`${noun} ${plainValue(only.name)}: ${plainValue(only.id)}`);
    return only.id;
  }
  if (found.length > 1) {
    const lines = found
      .slice(0, MOST_LISTED)
      .map(({id, name, more}) => `${plainValue(id)}  ${plainValue(name)}${more}`);
    const rest = found.length > MOST_LISTED ? [`and ${found.length - MOST_LISTED} more`] : [];
    throw new RemitError(
      'USAGE',
      `${found.length} ${plural} have a name like ${JSON.stringify(typed)}:\n${[...lines, ...rest].join('\n')}`,
      {hint: 'use one of these ids', details: {candidates: found.map(({id}) => id)}},
    );
  }
  const where = isWhole ? `no ${noun}` : `none of the first ${MOST_SEARCHED} ${plural}`;
  throw new RemitError('NOT_FOUND', `${where} has a name like ${JSON.stringify(typed)}`, {hint: list});
}

async function search(
  {client, stop}: Context,
  noun: Named,
  typed: string,
): Promise<{found: Candidate[]; isWhole: boolean}> {
  const options = {limit: MOST_SEARCHED, pageSize: 100, signal: stop.signal};
  const listing = {
    payee: () => client.payees.list({}, options),
    payer: () => client.payers.list({}, options),
    subaccount: () => client.subaccounts.list({}, options),
    'treasury account': () => client.treasury.accounts({}, options),
  }[noun]();
  const wanted = fold(typed);
  const same: Candidate[] = [];
  const like: Candidate[] = [];
  for await (const record of listing) {
    const candidate = candidateOf(record, NAMED[noun].field);
    if (candidate === undefined) continue;
    const name = fold(candidate.name);
    if (name === wanted) same.push(candidate);
    else if (name.includes(wanted)) like.push(candidate);
  }
  return {found: same.length > 0 ? same : like, isWhole: !listing.more};
}

const fold = (name: string): string => name.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();

function candidateOf(record: unknown, field: string): Candidate | undefined {
  if (!isObject(record)) return undefined;
  const {id, [field]: name, email, balance_in_minor_units: balance, currency_code: currency} = record;
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  const more =
    typeof email === 'string' ? email : balance === undefined ? currency : majorOf(balance, currency);
  return {id, name, more: more === undefined || more === null ? '' : `  ${plainValue(more)}`};
}
