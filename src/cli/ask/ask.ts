import type {RemitClient} from '../../client/client.ts';
import {isId} from '../../contract/ids.ts';
import {RemitError} from '../../errors.ts';
import {formatMajor, groupMajor} from '../../money/amount.ts';
import {exponentOf} from '../../money/currencies.ts';
import type {Output} from '../../output/output.ts';
import {valueAt} from '../../output/records/select.ts';
import {plainValue} from '../../output/records/view.ts';
import {isRead} from '../help/answer-fields.ts';
import {commandLine, type Typed} from '../runtime/command-line.ts';
import type {Choice, Prompts} from '../runtime/prompts.ts';
import type {Stop} from '../runtime/stop.ts';
import type {Question, Source} from './questions.ts';

/** Records that a list to choose from has at most; any other one is typed as an id. */
const MOST_RECORDS = 200;

/** What asking needs of the context of a command. */
interface Asking {
  client: Pick<RemitClient, 'list'>;
  out: Output;
  runtime: {prompts: Prompts};
  stop: Stop;
}

interface Parsed {
  flags: Readonly<Record<string, unknown>>;
  args: Readonly<Record<string, unknown>>;
}

/** An answer as it is shown in the summary, and as words of the command. */
interface Answer {
  question: Question;
  words: readonly string[];
  shown: string;
}

/**
 * Asks for the required values that were not typed and, if there are any, for optional ones that people usually
 * choose. Before a command that changes something, the answers are shown and must be confirmed.
 * @returns the whole command line; undefined if nothing is missing
 * @throws RemitError GUARD_CONFIRM if it is not confirmed, INTERRUPTED at a prompt; nothing was sent
 */
export async function askMissing({
  questions,
  typed,
  words,
  open,
}: {
  questions: readonly Question[];
  typed: Parsed;
  words: Typed;
  open: () => Promise<Asking>;
}): Promise<string[] | undefined> {
  const missing = questions.filter((question) => !isGiven(question, typed));
  if (missing.every(({otherwise}) => otherwise !== undefined)) return undefined;
  const asking = await open();
  const answers: Answer[] = [];
  for (const question of missing) {
    const answer = await ask(question, {asking, typed, answers, id: words.id});
    if (answer !== undefined) answers.push(answer);
  }
  const argv = withAnswers(words.argv, questions, typed, answers);
  if (!isRead(words.id)) await confirm(asking, {answers, typed, id: words.id, argv});
  return argv;
}

function isGiven({name, isArgument}: Question, {flags, args}: Parsed): boolean {
  if (isArgument) return args[name] !== undefined;
  return flags[name] !== undefined || (name === 'amount' && flags['amount-minor'] !== undefined);
}

interface Around {
  asking: Asking;
  typed: Parsed;
  answers: readonly Answer[];
  id: string;
}

/** Undefined if the answer is to leave an optional value out. */
async function ask(question: Question, around: Around): Promise<Answer | undefined> {
  const {name, isArgument, label, source, otherwise} = question;
  const {prompts} = around.asking.runtime;
  const flag = isArgument ? name.toUpperCase() : `--${name}`;
  if (source.kind === 'amount') return askAmount(question, around);
  if (source.kind === 'several') {
    const chosen = await prompts.chooseSome(`${label}:`, source.words.map(asChoice), flag);
    return {question, words: [`--${name}=${chosen.join(',')}`], shown: chosen.join(', ')};
  }
  let value: string;
  let shown: string;
  const choices = source.kind === 'text' ? undefined : await choicesOf(source, around);
  if (choices === undefined) {
    value = shown = (await prompts.line(`${label}:`, flag)).trim();
    if (value === '') throw new RemitError('USAGE', `${label.toLowerCase()} is empty`, {hint: `add ${flag}`});
  } else {
    const none = otherwise === undefined ? [] : [{value: '', name: `(${otherwise})`}];
    const list = {
      choices: [...none, ...choices],
      other: (text: string) => (isId(text, 'any') ? asChoice(text) : undefined),
    };
    value = await prompts.choose(`${label}:`, list, flag);
    shown = choices.find((choice) => choice.value === value)?.name ?? value;
  }
  if (value === '') return undefined;
  return {question, words: isArgument ? [value] : [`--${name}=${value}`], shown};
}

const asChoice = (value: string): Choice => ({value, name: value});

/** `125.00 USD`, or only the number if the currency was typed. */
async function askAmount(question: Question, {asking, typed}: Around): Promise<Answer> {
  const {currency} = typed.flags;
  const [example, form] =
    typeof currency === 'string'
      ? [`125.00`, /^(?<amount>[\d.]+)$/]
      : ['125.00 USD', /^(?<amount>[\d.]+)\s*(?<code>[A-Za-z]{3})$/];
  const line = (await asking.runtime.prompts.line(`Amount, such as ${example}:`, '--amount')).trim();
  const {amount, code} = form.exec(line)?.groups ?? {};
  if (amount === undefined)
    throw new RemitError('USAGE', `${JSON.stringify(line)} is not an amount such as ${example}`);
  const words = [`--amount=${amount}`, ...(code === undefined ? [] : [`--currency=${code.toUpperCase()}`])];
  return {question, words, shown: line};
}

/** Undefined if the records cannot be listed: then the id is typed. */
async function choicesOf(
  source: Exclude<Source, {kind: 'text' | 'amount' | 'several'}>,
  {asking, typed, answers}: Around,
): Promise<Choice[] | undefined> {
  if (source.kind === 'words') return source.words.map(asChoice);
  const {operation, noun, owner, status} = source;
  const {client, out, stop} = asking;
  const query: Record<string, unknown> = {};
  if (owner !== undefined) {
    const answered = answers.find(({question}) => question.name === owner.flag)?.words[0];
    query[owner.param] = typed.flags[owner.flag] ?? answered?.slice(answered.indexOf('=') + 1);
  }
  try {
    const found: Choice[] = [];
    const options = {limit: MOST_RECORDS, pageSize: 100, signal: stop.signal};
    for await (const record of client.list(operation, query, options)) {
      out.sanitizer.learn(record);
      if (status === undefined || valueAt(record, 'status') === status)
        found.push(choiceOf(out.sanitizer.value(record, 'line')));
    }
    if (found.length > 0) return found;
    const which = status === undefined ? '' : ` that is ${status}`;
    out.note(`There is no ${noun}${which} to choose from.`);
  } catch (error) {
    if (!(error instanceof RemitError) || stop.signal.aborted) throw error;
    out.note(`The list to choose from could not be read: ${error.message}`);
  }
  return undefined;
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

/** Arguments stay in their order: those that were typed, then those that were asked for. */
function withAnswers(
  argv: readonly string[],
  questions: readonly Question[],
  typed: Parsed,
  answers: readonly Answer[],
): string[] {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  const rest = end === -1 ? [] : argv.slice(end);
  const words = (isArgument: boolean): string[] =>
    answers.filter(({question}) => (question.isArgument ?? false) === isArgument).flatMap((one) => one.words);
  const first = questions.find(({isArgument}) => isArgument);
  const hasFirst = first === undefined || isGiven(first, typed);
  return hasFirst
    ? [...flags, ...words(false), ...words(true), ...rest]
    : [...words(true), ...flags, ...words(false), ...rest];
}

/** A live write is confirmed by the guard, with more facts. */
async function confirm(
  {out, runtime}: Asking,
  {
    answers,
    typed,
    id,
    argv,
  }: {answers: readonly Answer[]; typed: Parsed; id: string; argv: readonly string[]},
): Promise<void> {
  const width = Math.max(...answers.map(({question}) => question.label.length));
  for (const {question, shown} of answers) out.note(`  ${question.label.padEnd(width)}  ${shown}`);
  out.note(`  The same as: ${commandLine(id, argv)}`);
  const {yes, live, 'dry-run': dryRun} = typed.flags;
  if (yes === true || live === true || dryRun === true) return;
  if (!(await runtime.prompts.confirm(`${sentenceOf(id)}?`, '--yes')))
    throw new RemitError('GUARD_CONFIRM', 'not confirmed: nothing was sent');
}

/** `payouts:create` is "Create this payout". */
function sentenceOf(id: string): string {
  const [verb = '', topic = ''] = id.split(':').toReversed();
  if (verb === 'simulate-credit') return 'Simulate this credit';
  const noun = topic === 'treasury' ? 'account' : topic.replace(/s$/, '');
  return `${verb.slice(0, 1).toUpperCase()}${verb.slice(1)} this ${noun}`;
}
