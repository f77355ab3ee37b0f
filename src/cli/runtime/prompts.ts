import {isUuid} from '../../contract/ids.ts';
import {RemitError} from '../../errors.ts';
import type {Stop} from './stop.ts';
import {discardTypedAhead} from './typed-ahead.ts';

/**
 * Prompts. Every default is no; without a terminal, nothing is ever asked. What was typed before a question is shown does
 * not answer it.
 */
export interface Prompts {
  /** True only after an explicit yes. `flag` is what a script would use instead. */
  confirm(question: string, flag: string): Promise<boolean>;
  /** A line typed visibly; asked again while `wrong` says what is wrong with it. */
  line(question: string, flag: string, wrong?: (typed: string) => string | undefined): Promise<string>;
  /** Asks for a text that is typed invisibly. */
  hidden(question: string, flag: string, wrong?: (typed: string) => string | undefined): Promise<string>;
  /** One of a list, found by typing a part of it. */
  choose(question: string, list: Choices, flag: string): Promise<string>;
  /** Some of a list, at least one. */
  chooseSome(question: string, choices: readonly PromptChoice[], flag: string): Promise<string[]>;
}

/** An item of a list; all texts are safe to show. */
export interface PromptChoice {
  /** An id is found by typing its beginning or its end. */
  value: string;
  /** What is shown, and found by typing a part of it. */
  name: string;
  /** More about the one that is marked. */
  description?: string;
}

export interface Choices {
  choices: readonly PromptChoice[];
  /** A choice that is not in the list, from what was typed. */
  other?: (typed: string) => PromptChoice | undefined;
}

const ROWS_SHOWN = 10;

interface Terminal {
  stdin: NodeJS.ReadableStream & {
    isTTY?: boolean | undefined;
    setRawMode?: ((raw: boolean) => unknown) | undefined;
  };
  stderr: NodeJS.WritableStream & {isTTY?: boolean | undefined};
  stop: Stop;
}

/** Where the package of the prompts reads and writes. */
interface PromptContext {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
}

/**
 * Whether a prompt is possible. Prompts are written to stderr, because stdout is for the result. It is checked first:
 * Node opens stdin when it is named.
 */
export const canAsk = (streams: {
  readonly stdin: {isTTY?: boolean | undefined};
  readonly stderr: {isTTY?: boolean | undefined};
}): boolean => streams.stderr.isTTY === true && streams.stdin.isTTY === true;

/** Prompts on the terminal; the package loads with the first prompt. */
export function terminalPrompts({stdin, stderr, stop}: Terminal): Prompts {
  const need = (question: string, flag: string): void => {
    if (canAsk({stdin, stderr})) return;
    throw new RemitError('NEEDS_TERMINAL', `"${question}" needs an answer, but there is no terminal`, {
      hint: flag.startsWith('--') ? `add ${flag} to the command` : `use ${flag}`,
    });
  };
  /** Asks, until an answer, Ctrl-C, Ctrl-D, a signal or the end of the terminal. */
  const asking = async <T>(ask: (context: PromptContext) => Promise<T>): Promise<T> => {
    const closed = new AbortController();
    // After Ctrl-D the package waits forever: readline has closed, which pauses its input. It closes after an answer as
    // well, but then the answer arrives before the next turn of the event loop.
    const onPause = () => void setImmediate(() => closed.abort());
    const onEnd = () => stop.hangUp(); // the keys of a terminal end only when it is closed
    discardTypedAhead(stdin);
    stdin.on('pause', onPause).on('end', onEnd);
    try {
      return await ask({input: stdin, output: stderr, signal: AbortSignal.any([stop.signal, closed.signal])});
    } catch (error) {
      throw stop.reason?.code === 'TERMINATED'
        ? new RemitError('TERMINATED', 'terminated at a prompt; nothing was done', {cause: error})
        : new RemitError('INTERRUPTED', 'interrupted at a prompt; nothing was done', {cause: error});
    } finally {
      stdin.removeListener('pause', onPause).removeListener('end', onEnd);
    }
  };
  return {
    async confirm(question, flag) {
      need(question, flag);
      const {confirm} = await import('@inquirer/prompts');
      return asking((context) => confirm({message: question, default: false}, context));
    },
    async line(question, flag, wrong) {
      need(question, flag);
      const {input} = await import('@inquirer/prompts');
      const validate = (typed: string): string | true => wrong?.(typed) ?? true;
      // What was refused may be a number at the wrong prompt.
      const theme = {validationFailureMode: 'clear'} as const;
      return asking((context) => input({message: question, validate, theme}, context));
    },
    async hidden(question, flag, wrong) {
      need(question, flag);
      const {password} = await import('@inquirer/prompts');
      // The package keeps what it refused, unseen, so that the next attempt would be added to it.
      for (;;) {
        const typed = await asking((context) =>
          password({message: question, mask: false, toggleMask: false}, context),
        );
        const refusal = wrong?.(typed);
        if (refusal === undefined) return typed;
        stderr.write(`> ${refusal}\n`);
      }
    },
    async choose(question, list, flag) {
      need(question, flag);
      const {search} = await import('@inquirer/prompts');
      for (;;) {
        let shown: readonly PromptChoice[] = [];
        const source = (typed: string | undefined) => (shown = matching(list, typed ?? ''));
        const chosen = await asking((context) =>
          search({message: question, source, pageSize: ROWS_SHOWN}, context),
        );
        // When a letter and Enter arrive together, the package returns what was marked before the letter.
        if (shown.some(({value}) => value === chosen)) return chosen;
        stderr.write('Enter arrived before the list was up to date. Choose again.\n');
      }
    },
    async chooseSome(question, choices, flag) {
      need(question, flag);
      const {checkbox} = await import('@inquirer/prompts');
      return asking((context) =>
        checkbox({message: question, choices, required: true, loop: false, pageSize: ROWS_SHOWN}, context),
      );
    },
  };
}

/** Shorter parts match too many ids. */
const LEAST_OF_ID = 6;

/**
 * The choices with every typed word in their name, whatever its case, then those where an id begins or ends with one.
 */
export function matching({choices, other}: Choices, typed: string): PromptChoice[] {
  const words = typed.toLowerCase().trim().split(/\s+/);
  const isNamed = (choice: PromptChoice) => words.every(inName(choice));
  const isFound = (choice: PromptChoice) =>
    words.every((word) => inName(choice)(word) || atEndOfId(choice)(word));
  const found = [
    ...choices.filter(isNamed),
    ...choices.filter((choice) => !isNamed(choice) && isFound(choice)),
  ];
  const own = found.length === 0 ? other?.(typed.trim()) : undefined;
  return own === undefined ? found : [own];
}

/** A choice without a name shows its id. */
function inName({name, value}: PromptChoice): (word: string) => boolean {
  const text = name === value && isUuid(value) ? '' : name.toLowerCase();
  return (word) => text.includes(word);
}

function atEndOfId({value}: PromptChoice): (word: string) => boolean {
  const id = value.toLowerCase();
  return (word) => word.length >= LEAST_OF_ID && (id.startsWith(word) || id.endsWith(word));
}
