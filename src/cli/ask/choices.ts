import type {RemitClient} from '../../client/client.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {RemitError} from '../../errors.ts';
import {formatMajor, groupMajor} from '../../money/amount.ts';
import {exponentOf} from '../../money/currencies.ts';
import type {Output} from '../../output/output.ts';
import {valueAt} from '../../output/records/select.ts';
import {plainValue} from '../../output/records/view.ts';
import type {Commands} from '../runtime/command-line.ts';
import type {Choice} from '../runtime/prompts.ts';
import type {Stop} from '../runtime/stop.ts';
import type {Question, Source} from './questions.ts';

/** Records that a list to choose from has at most; any other one is typed as an id. */
const MOST_RECORDS = 200;

/** What reading the records to choose from needs of the context of a command. */
export interface Listing {
  client: Pick<RemitClient, 'list'>;
  commands: Commands;
  out: Output;
  stop: Stop;
}

/** The value of a flag, typed or answered. */
type Given = (flag: string) => unknown;

export const asChoice = (value: string): Choice => ({value, name: value});

/**
 * What a question offers; undefined if the answer is typed instead, because it is a text or the list failed.
 * @throws RemitError USAGE if a required record does not exist yet
 */
export async function choicesOf(
  question: Question,
  listing: Listing,
  given: Given,
): Promise<Choice[] | undefined> {
  const {source, otherwise} = question;
  if (source.kind === 'words') return source.words.map(asChoice);
  if (source.kind !== 'records' && source.kind !== 'methods') return undefined;
  let read;
  try {
    read = await readChoices(source, listing, given);
  } catch (error) {
    if (!(error instanceof RemitError) || listing.stop.signal.aborted) throw error;
    listing.out.note(`The list to choose from could not be read: ${error.message}`);
    return otherwise === undefined ? undefined : [];
  }
  const {choices, isWhole} = read;
  if (choices.length > 0) return choices;
  if (!isWhole) return undefined;
  const {message, fix} = nothingToChoose(source, listing.commands, given);
  if (otherwise === undefined) throw new RemitError('USAGE', message, fix === undefined ? {} : {hint: fix});
  listing.out.warn(`${message}${fix === undefined ? '' : `; add one with ${fix}`}`);
  return [];
}

/** `isWhole`: there are no records but those that were read. */
async function readChoices(
  source: RecordSource,
  {client, out, stop}: Listing,
  given: Given,
): Promise<{choices: Choice[]; isWhole: boolean}> {
  const {operation, query, status} = listOf(source, given);
  const choices: Choice[] = [];
  let read = 0;
  const options = {limit: MOST_RECORDS, pageSize: 100, signal: stop.signal};
  for await (const record of client.list(operation, query, options)) {
    read += 1;
    out.sanitizer.learn(record);
    if (status === undefined || valueAt(record, 'status') === status)
      choices.push(choiceOf(out.sanitizer.value(record, 'line')));
  }
  return {choices, isWhole: read < MOST_RECORDS};
}

type RecordSource = Extract<Source, {kind: 'records' | 'methods'}>;

function listOf(
  source: RecordSource,
  given: Given,
): {operation: OperationId; query: Record<string, unknown>; status?: string | undefined} {
  if (source.kind === 'records') return {operation: source.operation, query: {}, status: source.status};
  const {label, id} = ownerOf(given);
  return {operation: `${label}PaymentMethods.list`, query: {[`${label}_id`]: id}};
}

function ownerOf(given: Given): {label: 'payee' | 'payer'; id: unknown} {
  const payer = given('payer');
  return payer === undefined ? {label: 'payee', id: given('payee')} : {label: 'payer', id: payer};
}

/** `fix` is the command that makes the first one. */
function nothingToChoose(
  source: RecordSource,
  commands: Commands,
  given: Given,
): {message: string; fix?: string | undefined} {
  if (source.kind === 'methods') {
    const {label, id} = ownerOf(given);
    const fix = commands.write('payment-methods', 'add', `--${label}`, String(id));
    return {message: `the ${label} has no payment method`, fix};
  }
  const {noun, status, create} = source;
  return {
    message: `there is no ${noun}${status === undefined ? '' : ` with status ${status}`}`,
    fix: create === undefined ? undefined : commands.write(...create),
  };
}

/** What people know a record by, then its id. */
function choiceOf(record: unknown): Choice {
  const at = (path: string): string | undefined => {
    const value = valueAt(record, path);
    return value === undefined || value === null || value === '' ? undefined : plainValue(value);
  };
  const value = at('id') ?? '';
  const parts = [
    at('name') ?? at('label') ?? at('url'),
    amountOf(record),
    at('payout_metadata.payee.name') ?? at('payin_metadata.payer.name'),
    at('last4') === undefined ? undefined : `${at('type') ?? 'payment method'} …${at('last4')}`,
    at('status') ?? at('verification_status'),
    at('description'),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? asChoice(value) : {value, name: parts.join(' · '), description: value};
}

function amountOf(record: unknown): string | undefined {
  const [minor, currency] = ['amount_in_minor_units', 'currency_code'].map((field) => valueAt(record, field));
  if (typeof minor !== 'number' || !Number.isSafeInteger(minor) || typeof currency !== 'string')
    return undefined;
  const exponent = exponentOf(currency);
  return exponent === undefined
    ? undefined
    : `${groupMajor(formatMajor(BigInt(minor), currency))} ${currency}`;
}
