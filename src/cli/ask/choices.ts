import type {RemitClient} from '../../client/client.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {isId, isSameId} from '../../contract/ids.ts';
import {RemitError} from '../../errors.ts';
import {groupMajor, majorIn} from '../../money/amount.ts';
import type {Output} from '../../output/output.ts';
import {plainValue} from '../../output/records/view.ts';
import type {Commands} from '../line/command-line.ts';
import type {PromptChoice} from '../runtime/prompts.ts';
import type {Stop} from '../runtime/stop.ts';
import type {FlagValue, Question, Source} from './questions.ts';
import {asRecord, type ServiceRecord} from '../../client/answers/record.ts';
import {stringOf, type JsonFields} from '../../narrow.ts';

/** Records that a list to choose from has at most; any other one is typed as an id. */
const MOST_RECORDS = 200;

/** What reading the records to choose from needs of the context of a command. */
export interface Choosing {
  client: Pick<RemitClient, 'records'>;
  commands: Commands;
  out: Output;
  stop: Stop;
}

/** The value of a flag, typed or answered. */
type Given = (flag: string) => FlagValue;

export const asChoice = (value: string): PromptChoice => ({value, name: value});

/**
 * What a question offers; undefined if the answer is typed instead, because it is a text or the list failed.
 * `isNeeded`: the value cannot be left out.
 * @throws RemitError USAGE if a record that is needed does not exist yet
 */
export async function choicesOf(
  question: Question,
  choosing: Choosing,
  given: Given,
): Promise<{choices: PromptChoice[]; isNeeded: boolean} | undefined> {
  const {source, otherwise} = question;
  const isNeeded = otherwise === undefined;
  if (source.kind === 'words') return {choices: source.words.map(asChoice), isNeeded};
  if (source.kind !== 'records' && source.kind !== 'methods') return undefined;
  let read;
  try {
    read = await readChoices(source, choosing, given);
  } catch (error) {
    if (!(error instanceof RemitError) || choosing.stop.signal.aborted) throw error;
    choosing.out.note(`The list to choose from could not be read: ${error.message}`);
    return isNeeded ? undefined : {choices: [], isNeeded};
  }
  const {choices, isWhole, lacksDefault, isCut} = read;
  if (isCut)
    choosing.out.note(
      `Only the newest ${MOST_RECORDS} ${nounOf(source)}s were searched; for another one, type its id.`,
    );
  if (choices.length > 0) return {choices, isNeeded: isNeeded || (isWhole && lacksDefault)};
  if (!isWhole) return undefined;
  const {message, fix} = nothingToChoose(source, choosing.commands, given);
  throw new RemitError('USAGE', message, fix === undefined ? {} : {hint: fix});
}

/**
 * `isWhole`: there are no records but those that were read. `lacksDefault`: each of them says that it is not the
 * default. `isCut`: there are more records than were read.
 */
async function readChoices(
  source: RecordSource,
  {client, out, stop}: Choosing,
  given: Given,
): Promise<{choices: PromptChoice[]; isWhole: boolean; lacksDefault: boolean; isCut: boolean}> {
  const {operation, query, status, except} = listOf(source, given);
  const choices: PromptChoice[] = [];
  let read = 0;
  let lacksDefault = true;
  let areAllOffered = true;
  const options = {limit: MOST_RECORDS, pageSize: 100, signal: stop.signal};
  const listing = client.records(operation, query, options);
  for await (const record of listing) {
    read += 1;
    lacksDefault &&= record.is_default === false;
    out.sanitizer.learn(record);
    const {id} = record; // a word of the command: one that is not plain could be read as a flag
    if (id === undefined || !isId(id, 'any')) {
      areAllOffered = false;
      continue;
    }
    if (except !== undefined && isSameId(id, except)) continue;
    if (status === undefined || record.status === status)
      choices.push(choiceOf(asRecord(out.sanitizer.value(record, 'line'))));
  }
  return {choices, isWhole: read < MOST_RECORDS && areAllOffered, lacksDefault, isCut: listing.more};
}

type RecordSource = Extract<Source, {kind: 'records' | 'methods'}>;

const nounOf = (source: RecordSource): string => (source.kind === 'methods' ? 'payment method' : source.noun);

function listOf(
  source: RecordSource,
  given: Given,
): {operation: OperationId; query: JsonFields; status?: string | undefined; except?: string} {
  if (source.kind === 'records') {
    const other = source.except === undefined ? undefined : given(source.except);
    const except = typeof other === 'string' ? {except: other} : {};
    return {operation: source.operation, query: {}, status: source.status, ...except};
  }
  const {label, id} = ownerOf(given);
  return {operation: `${label}PaymentMethods.list`, query: {[`${label}_id`]: stringOf(id)}};
}

function ownerOf(given: Given): {label: 'payee' | 'payer'; id: FlagValue} {
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
    const fix = commands.write('payment-methods', 'add', `--${label}`, stringOf(id));
    return {message: `the ${label} has no payment method`, fix};
  }
  const {noun, status, create} = source;
  return {
    message: `there is no ${noun}${status === undefined ? '' : ` with status ${status}`}`,
    fix: create === undefined ? undefined : commands.write(...create),
  };
}

/** What people know a record by, then its id. */
function choiceOf(record: ServiceRecord): PromptChoice {
  const value = record.id ?? '';
  const parts = [
    record.name ?? record.label ?? record.url,
    amountOf(record),
    asRecord(record.payout_metadata?.['payee']).name ?? asRecord(record.payin_metadata?.['payer']).name,
    record.last4 && `${record.type ?? 'payment method'} …${record.last4}`,
    record.status ?? record.verification_status,
    record.description,
  ].filter(Boolean);
  return parts.length === 0
    ? asChoice(value)
    : {value, name: parts.map(plainValue).join(' · '), description: value};
}

function amountOf({
  amount_in_minor_units: minor,
  currency_code: currency,
}: ServiceRecord): string | undefined {
  const major = majorIn(minor, currency);
  return major === undefined ? undefined : `${groupMajor(major)} ${plainValue(currency)}`;
}
