import {RemitError} from '../../errors.ts';

/** Prompts. Every default is no; without a terminal, nothing is ever asked. */
export interface Prompts {
  /** True only after an explicit yes. `flag` is what a script would use instead. */
  confirm(question: string, flag: string): Promise<boolean>;
  /** A line typed visibly; asked again while `wrong` says what is wrong with it. */
  line(question: string, flag: string, wrong?: (typed: string) => string | undefined): Promise<string>;
  /** A line typed invisibly. */
  hidden(question: string, flag: string): Promise<string>;
  /** One of a list, found by typing a part of it. */
  choose(question: string, list: Choices, flag: string): Promise<string>;
  /** Some of a list, at least one. */
  chooseSome(question: string, choices: readonly Choice[], flag: string): Promise<string[]>;
}

/** An item of a list; all texts are safe to show. */
export interface Choice {
  value: string;
  /** What is shown, and found by typing. */
  name: string;
  /** More about the one that is marked. */
  description?: string;
}

export interface Choices {
  choices: readonly Choice[];
  /** A choice that is not in the list, from what was typed. */
  other?: (typed: string) => Choice | undefined;
}

const ROWS_SHOWN = 10;

interface Terminal {
  stdin: NodeJS.ReadableStream & {isTTY?: boolean | undefined};
  stderr: NodeJS.WritableStream & {isTTY?: boolean | undefined};
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
export function terminalPrompts({stdin, stderr, signal}: Terminal): Prompts {
  const need = (question: string, flag: string): void => {
    if (canAsk({stdin, stderr})) return;
    throw new RemitError('NEEDS_TERMINAL', `"${question}" needs an answer, but there is no terminal`, {
      hint: `add ${flag} to the command`,
    });
  };
  const context = {input: stdin, output: stderr, signal};
  const asking = async <T>(question: Promise<T>): Promise<T> => {
    try {
      return await question;
    } catch (error) {
      // The package throws ExitPromptError on Ctrl-C and AbortPromptError on our signal.
      throw new RemitError('INTERRUPTED', 'interrupted at a prompt; nothing was done', {cause: error});
    }
  };
  return {
    async confirm(question, flag) {
      need(question, flag);
      const {confirm} = await import('@inquirer/prompts');
      return asking(confirm({message: question, default: false}, context));
    },
    async line(question, flag, wrong) {
      need(question, flag);
      const {input} = await import('@inquirer/prompts');
      const validate = (typed: string): string | true => wrong?.(typed) ?? true;
      return asking(input({message: question, validate}, context));
    },
    async hidden(question, flag) {
      need(question, flag);
      const {password} = await import('@inquirer/prompts');
      return asking(password({message: question, mask: false, toggleMask: false}, context));
    },
    async choose(question, list, flag) {
      need(question, flag);
      const {search} = await import('@inquirer/prompts');
      const source = (typed: string | undefined) => matching(list, typed ?? '');
      return asking(search({message: question, source, pageSize: ROWS_SHOWN}, context));
    },
    async chooseSome(question, choices, flag) {
      need(question, flag);
      const {checkbox} = await import('@inquirer/prompts');
      return asking(
        checkbox({message: question, choices, required: true, loop: false, pageSize: ROWS_SHOWN}, context),
      );
    },
  };
}

/** The choices that contain every typed word, whatever its case. */
export function matching({choices, other}: Choices, typed: string): Choice[] {
  const words = typed.toLowerCase().split(/\s+/);
  const found = choices.filter(({name, value, description = ''}) => {
    const text = `${name} ${value} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const own = found.length === 0 ? other?.(typed.trim()) : undefined;
  return own === undefined ? found : [own];
}
