import type {Clock} from '../../clock.ts';
import {capital} from '../../phrases.ts';
import {isId} from '../../contract/ids.ts';
import {RemitError} from '../../errors.ts';
import {AmountError, exampleOf, parseMajor} from '../../money/amount.ts';
import {must, stringOf} from '../../narrow.ts';
import {maskNumber} from '../../sanitize/secret-shapes.ts';
import {guardedAmountText} from '../guard/amount-text.ts';
import {readsRecords} from '../help/answer-fields.ts';
import {amountOfFlags} from '../input/amounts.ts';
import type {Typed} from '../line/command-line.ts';
import {digitsOf} from '../../contract/card-number.ts';
import {inText, withoutBlanks, wrongIn} from '../../contract/markets.ts';
import {askAccountFields} from './account-fields.ts';
import {asChoice, choicesOf, type Choosing} from './choices.ts';
import {OWNERS, type FlagValue, type Question, type TypedFlags} from './questions.ts';
import {type NameSearch, resolveTyped, withIds} from './typed-names.ts';

/** What asking needs of the context of a command. */
type Asking = Choosing & NameSearch & {clock: Pick<Clock, 'now'>};

interface Parsed {
  flags: TypedFlags;
  args: TypedFlags;
}

/** A line of the summary. */
interface Shown {
  label: string;
  shown: string;
}

/** An answer as words of the command, and as it is shown in the summary. */
interface Answer extends Shown {
  question: Question;
  words: readonly string[];
  /** A number that was typed invisibly; the command that is shown does not have it. */
  hidden?: string;
}

/** The whole command line, and what it does not contain: the numbers that were typed invisibly, by flag. */
export interface Asked {
  argv: string[];
  hidden: Readonly<Record<string, string>>;
}

/**
 * Replaces typed names by ids. Asks for the required values that were not typed and, if there are any, for optional
 * ones that people usually choose. Before a command that changes something, names and answers are shown and must be
 * confirmed.
 * @returns undefined if nothing is missing and no name was typed
 * @throws RemitError GUARD_CONFIRM if it is not confirmed, INTERRUPTED at a prompt, GUARD_LIVE instead of the first
 * prompt if the answers would be refused; nothing was sent
 */
export async function askMissing({
  questions,
  typed: {flags, args},
  words,
  open,
}: {
  questions: readonly Question[];
  typed: Parsed;
  words: Typed;
  open: () => Promise<Asking>;
}): Promise<Asked | undefined> {
  const missing = questions.filter(
    (question) => !isGiven(question, {flags, args}) && question.when?.(flags) !== false,
  );
  const isWhole = missing.every(isAskedOnlyWithOthers);
  const refuse = (asking: Asking): void => refuseUnconfirmed(asking, {words, flags});
  const names = await resolveTyped(words.id, {flags, args}, {open, beforeSearch: refuse});
  if (missing.some(({otherwise}) => otherwise === undefined)) refuse(await open());
  if (isWhole && names.length === 0) return undefined;
  const asking = await open();
  const ids = names.map(({name, id}): [string, string] => [name, id]);
  const typed = {flags: {...flags, ...Object.fromEntries(ids)}, args};
  const answers: Answer[] = [];
  for (const question of isWhole ? [] : missing) {
    if (question.source.kind === 'fields') answers.push(...(await askFields(question, asking)));
    else {
      const answer = await ask(question, {asking, typed, answers});
      if (answer !== undefined) answers.push(answer);
    }
  }
  const argv = withAnswers(withIds(words.argv, names), questions, typed, answers);
  if (!readsRecords(words.id))
    await confirm(asking, {
      lines: [...names, ...typedMoney(flags), ...answers],
      ...{flags, id: words.id, argv},
    });
  const hidden = answers.flatMap(({question, hidden}) =>
    hidden === undefined ? [] : [[question.name, hidden] as const],
  );
  return {argv, hidden: Object.fromEntries(hidden)};
}

/** The amount that was typed, in both forms, and whether it moves at once. */
function typedMoney(flags: TypedFlags): Shown[] {
  const {amount, 'amount-minor': minor, 'auto-approve': isApproved} = flags;
  const approved = isApproved === true ? [{label: 'Approval', shown: 'at once: money moves'}] : [];
  if (amount === undefined && minor === undefined) return approved;
  const read = amountOfFlags(flags);
  return [{label: 'Amount', shown: guardedAmountText(read.minor, read.currency)}, ...approved];
}

/** If nothing else is missing, the command itself asks for a number. */
const isAskedOnlyWithOthers = ({otherwise, source}: Question): boolean =>
  otherwise !== undefined || source.kind === 'number';

function isGiven({name, isArgument, source}: Question, {flags, args}: Parsed): boolean {
  if (isArgument) return args[name] !== undefined;
  if (source.kind === 'owner') return flags['payee'] !== undefined || flags['payer'] !== undefined;
  if (source.kind === 'number' && flags['number-file'] !== undefined) return true;
  return flags[name] !== undefined || (name === 'amount' && flags['amount-minor'] !== undefined);
}

interface Around {
  asking: Asking;
  typed: Parsed;
  answers: readonly Answer[];
}

/** Undefined if the answer is to leave an optional value out. */
async function ask(question: Question, around: Around): Promise<Answer | undefined> {
  const {name, isArgument, label, source, otherwise} = question;
  if (source.kind === 'amount') return askAmount(question, around);
  if (source.kind === 'owner') return askOwner(around);
  if (source.kind === 'number') return askNumber(question, around);
  const {asking} = around;
  const {prompts} = asking.runtime;
  const flag = isArgument ? name.toUpperCase() : `--${name}`;
  if (source.kind === 'several') {
    const chosen = await prompts.chooseSome(`${label}:`, source.words.map(asChoice), flag);
    return {question, label, words: [`--${name}=${chosen.join(',')}`], shown: chosen.join(', ')};
  }
  const answerOf = (value: string, shown = value): Answer => ({
    ...{question, label, shown},
    words: isArgument ? [value] : [question.wordOf?.(value) ?? `--${name}=${value}`],
  });
  const offered = await choicesOf(question, asking, (name) => valueOf(name, around));
  if (offered === undefined) {
    const so = {nowMs: asking.clock.now(), valueOf: (flag: string) => valueOf(flag, around)};
    const isWrong = (typed: string) =>
      typed.trim() === '' ? 'Type a value' : question.wrong?.(typed.trim(), so);
    return answerOf((await prompts.line(`${label}:`, flag, isWrong)).trim());
  }
  const {choices, isNeeded} = offered;
  if (choices.length === 0) return undefined;
  const none = isNeeded ? [] : [{value: '', name: `(${otherwise})`}];
  const list = {
    choices: [...none, ...choices],
    other: (text: string) => (isId(text, 'any') ? asChoice(text) : undefined),
  };
  const value = await prompts.choose(`${label}:`, list, flag);
  if (value === '') return undefined;
  return answerOf(value, choices.find((choice) => choice.value === value)?.name);
}

/** The value of a flag, as it was typed or answered. */
function valueOf(flag: string, {typed, answers}: Around): FlagValue {
  const start = `--${flag}=`;
  const word = answers.flatMap(({words}) => words).find((one) => one.startsWith(start));
  return typed.flags[flag] ?? word?.slice(start.length);
}

/** First whether it is a payee or a payer, then which one. */
async function askOwner(around: Around): Promise<Answer | undefined> {
  const choices = [OWNERS.payee, OWNERS.payer].map(({name, label}) => ({value: name, name: label}));
  const {prompts} = around.asking.runtime;
  const label = await prompts.choose('Payment method of a:', {choices}, '--payee or --payer');
  return ask(label === 'payer' ? OWNERS.payer : OWNERS.payee, around);
}

async function askNumber(question: Question, {asking}: Around): Promise<Answer> {
  const {label, source} = question;
  const {out, runtime} = asking;
  const field = source.kind === 'number' ? source.field : undefined;
  const wrong = (line: string): string | undefined => {
    if (field === undefined) return digitsOf(line) === undefined ? 'Type only digits' : undefined;
    const why = wrongIn(field, withoutBlanks(line));
    return why === undefined ? undefined : `The ${inText(label)} ${why}`;
  };
  const hidden = withoutBlanks(await runtime.prompts.hidden(`${label}:`, '--number-file FILE', wrong));
  out.sanitizer.conceal(hidden);
  return {question, label, words: [], hidden, shown: maskNumber(hidden)};
}

/** An answer for each field, under the name `field konto`. */
async function askFields(question: Question, {out, runtime}: Asking): Promise<Answer[]> {
  const fields = await askAccountFields({out, prompts: runtime.prompts});
  return fields.map(({name, value}) => ({
    ...{question: {...question, name: `field ${name}`}, label: name, words: []},
    ...{hidden: value, shown: maskNumber(value)},
  }));
}

/** `125.00 USD`, or only the number if the currency was typed. */
async function askAmount(question: Question, {asking, typed}: Around): Promise<Answer> {
  const {currency} = typed.flags;
  const example = typeof currency === 'string' ? exampleOf(currency).major : '125.00 USD';
  const read = (line: string): {amount: string; code: string} | undefined => {
    const {amount, code} =
      /^(?<amount>[\d.,']+)(?:\s*(?<code>[A-Za-z]{3}))?$/.exec(line.trim())?.groups ?? {};
    if (amount === undefined || (code === undefined) !== (typeof currency === 'string')) return undefined;
    return {amount, code: code?.toUpperCase() ?? stringOf(currency)};
  };
  const wrong = (line: string): string | undefined => {
    const typedAmount = read(line);
    if (typedAmount === undefined) return `Type an amount such as ${example}`;
    try {
      parseMajor(typedAmount.amount, typedAmount.code);
      return undefined;
    } catch (error) {
      if (error instanceof AmountError) return error.message;
      throw error;
    }
  };
  const line = await asking.runtime.prompts.line(`Amount, such as ${example}:`, '--amount', wrong);
  const {amount, code} = must(read(line), 'an amount that was checked');
  const words = [`--amount=${amount}`, ...(typeof currency === 'string' ? [] : [`--currency=${code}`])];
  return {question, label: question.label, words, shown: guardedAmountText(parseMajor(amount, code), code)};
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

/** The guard would refuse the write after the last answer, and the answers would be lost. */
function refuseUnconfirmed(
  {profile, commands}: Asking,
  {words, flags}: {words: Typed; flags: TypedFlags},
): void {
  const {live, 'dry-run': dryRun} = flags;
  if (readsRecords(words.id) || profile.mode !== 'live' || live === true || dryRun === true) return;
  throw new RemitError('GUARD_LIVE', `refused to ${actionOf(words.id)} with a live key`, {
    hint: `to write to the live service: ${commands.again(words, {add: ['--live']})}`,
  });
}

/** A live write is confirmed by the guard, with more facts. */
async function confirm(
  {out, runtime, profile, commands}: Asking,
  {lines, flags, id, argv}: {lines: readonly Shown[]; flags: TypedFlags; id: string; argv: readonly string[]},
): Promise<void> {
  const {yes, live, 'dry-run': dryRun} = flags;
  const isAskedByGuard = live === true && profile.mode === 'live';
  const isAsked = yes !== true && !isAskedByGuard && dryRun !== true;
  const show = (line: string) => (isAsked ? out.notice(line) : out.note(line)); // what is asked about is shown with --quiet too
  const width = Math.max(...lines.map(({label}) => label.length));
  for (const {label, shown} of lines) show(`  ${label.padEnd(width)}  ${shown}`);
  show(`  The same as: ${commands.again({id, argv})}`);
  if (isAsked && !(await runtime.prompts.confirm(`${capital(actionOf(id))}?`, '--yes')))
    throw new RemitError('GUARD_CONFIRM', 'not confirmed: nothing was sent');
}

/** `payouts:create` is "create this payout". */
function actionOf(id: string): string {
  const [verb = '', topic = ''] = id.split(':').toReversed();
  if (verb === 'simulate-credit') return 'simulate this credit';
  const noun = topic === 'treasury' ? 'account' : topic.replace(/s$/, '').replace('-', ' ');
  if (verb === 'set-default') return `make this ${noun} the default`;
  return `${verb} this ${noun}`;
}
