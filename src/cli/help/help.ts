import {stripVTControlCharacters} from 'node:util';
import {CommandHelp, Help, type Command, type Config, type Interfaces} from '@oclif/core';
import {RemitError} from '../../errors.ts';
import {routesOf} from './command-operations.ts';
import {globalFlags} from '../input/flags.ts';
import type {ServiceInForce} from './assumptions.ts';
import {block, layOut, placeOf, type Row} from './layout.ts';
import {type Page, PAGES} from './pages.ts';
import {wrapLines} from '../../output/text/wrap.ts';
import {nearest} from '../../nearest.ts';
import type {Runtime} from '../runtime/runtime.ts';
import {withoutTopic} from '../runtime/without-topic.ts';

const GLOBAL = 'GLOBAL';
/** Of the text below a heading. */
const INDENT = 2;

/** Replaces the two placeholders that our texts use; oclif's own templates each cost a compilation. */
const render = (text: string): string =>
  text.replaceAll('<%= config.bin %>', 'remit').replaceAll(/<%= command.id %> ?/g, '');

const COMMAND_ID = '<%= command.id %>';

const paragraphBlock = (text: string, less: number): string =>
  text.trim() === '' ? '' : block({wrap: text.normalize(), less});

/** The rows of a list, which `layOut` puts into two columns. */
const listBlock = (rows: readonly (readonly (string | undefined)[])[], less: number): string =>
  block({rows: rows.map(([left = '', right]): Row => [left, right]), less});

/** The heading in bold, whatever oclif thinks of the terminal. */
function styledSection(text: string): string {
  const [heading = '', ...lines] = text.split('\n');
  return [`\u001b[1m${stripVTControlCharacters(heading)}\u001b[22m`, ...lines].join('\n');
}

class RemitCommandHelp extends CommandHelp {
  constructor(...parts: ConstructorParameters<typeof CommandHelp>) {
    super(...parts);
    this.render = (text) => render(text.replaceAll('<%= command.id %>', this.command.id));
  }

  /** oclif joins the values of an argument into one long word, which then breaks anywhere. */
  protected override args(args: Command.Arg.Any[]): [string, string | undefined][] | undefined {
    return super.args(
      args.map(({options, ...arg}) =>
        options === undefined
          ? arg
          : {...arg, description: `${arg.description ?? 'one of'}: ${options.join(', ')}`},
      ),
    );
  }

  protected override defaultUsage(): string {
    return `${super.defaultUsage()} [FLAGS]`;
  }

  /** oclif does not account for the indentation of the list. */
  override renderList(...[input, options]: Parameters<CommandHelp['renderList']>): string {
    return listBlock(input, options.indentation + 2);
  }

  override wrap(text: string, less: number = this.indentSpacing): string {
    return paragraphBlock(this.render(text), less);
  }

  /** oclif measures the line before it fills in the name of the command. */
  protected override usage(): string {
    const words = this.command.id.replaceAll(':', ' ');
    const allowance = COMMAND_ID.length - words.length;
    return [this.command.usage ?? this.defaultUsage()]
      .flat()
      .map((line) =>
        line
          .replace(COMMAND_ID, '')
          .replace(new RegExp(`^${words}`), '')
          .trim(),
      )
      .map((rest) => block({usage: `$ ${this.config.bin} ${words} ${rest}`.trim(), allowance}))
      .join('\n');
  }

  override section(...[header, body]: Parameters<CommandHelp['section']>): string {
    return styledSection(super.section(header, body));
  }

  /** Not oclif's own style, which depends on the terminal. */
  protected override flagHelpLabel(...parts: Parameters<CommandHelp['flagHelpLabel']>): string {
    const label = stripVTControlCharacters(super.flagHelpLabel(...parts));
    return label.replace(/=([^|]+)$/, '=\u001b[4m$1\u001b[24m');
  }

  protected override examples(
    ...[examples]: Parameters<CommandHelp['examples']>
  ): ReturnType<CommandHelp['examples']> {
    return super
      .examples(examples)
      ?.split('\n')
      .map((line) =>
        line.trim() === '' ? '' : block({example: stripVTControlCharacters(line), less: INDENT}),
      )
      .join('\n');
  }

  protected override flags(flags: Command.Flag.Any[]): [string, string | undefined][] | undefined {
    return super.flags(flags.filter((flag) => flag.helpGroup !== GLOBAL));
  }
}

/**
 * oclif's help with our texts, written to our streams, and short enough for a command's own flags to fit on a screen.
 */
class RemitHelp extends Help {
  readonly #lines: string[] = [];

  constructor(config: Interfaces.Config, options: Partial<Interfaces.HelpOptions>) {
    super(config, options);
    this.CommandHelpClass = RemitCommandHelp;
    this.render = render;
  }

  /** To be laid out. */
  get form(): string {
    return this.#lines.join('\n');
  }

  override renderList(...[input, options]: Parameters<Help['renderList']>): string {
    return listBlock(input, options.indentation);
  }

  override wrap(text: string, less: number = this.indentSpacing): string {
    return paragraphBlock(this.render(text), less);
  }

  override section(...[header, body]: Parameters<Help['section']>): string {
    return styledSection(super.section(header, body));
  }

  /** Copies: oclif's help writes the names of what is below a topic with spaces, into what it is given. */
  protected override get sortedCommands(): Command.Loadable[] {
    return super.sortedCommands.map((command) => ({...command}));
  }

  protected override get sortedTopics(): Interfaces.Topic[] {
    return super.sortedTopics.map((topic) => ({...topic}));
  }

  override async showCommandHelp(command: Command.Loadable): Promise<void> {
    await super.showCommandHelp({...command});
    const routes = routesOf(command.id);
    // Given by the service's interface document or assumed: the reader must be able to tell.
    const lines = routes.map((route) => block({route, less: INDENT})).join('\n');
    if (routes.length > 0) this.#lines.push(`SERVICE\n${this.indent(lines)}\n`);
    this.#lines.push(`GLOBAL FLAGS (remit help flags)\n${this.indent(this.wrap(globalFlagSummary()))}`);
  }

  protected override log(...lines: string[]): void {
    this.#lines.push(...lines);
  }

  protected override summary(command: Command.Loadable): string | undefined {
    const summary = super.summary(command);
    return summary === undefined ? undefined : this.wrap(summary, 0);
  }

  override formatRoot(): string {
    const usage = `${this.section('USAGE', '$ remit TOPIC COMMAND [FLAGS]')}`;
    return [this.wrap(String(this.config.pjson.description), 0), usage].join('\n\n');
  }

  /** `completion` is a topic and a command: it is listed once, with the topics. */
  protected override formatCommands(commands: Command.Loadable[]): string {
    const isTopic = (id: string) => this.config.commandIDs.some((other) => other.startsWith(`${id}:`));
    return super.formatCommands(commands.filter(({id}) => !isTopic(id)));
  }
}

/** Exported for its test. */
export function globalFlagSummary(): string {
  const names = Object.entries(globalFlags).map(([name, flag]) => {
    const label = flag.char === undefined ? `--${name}` : `-${flag.char}, --${name}`;
    return flag.type === 'option' ? `${label} ${flag.helpValue as string}` : label;
  });
  return names.join(' · ');
}

/** Writes the help of the whole tool (empty id), of a topic or command, or one of the pages. */
export async function showHelp(config: Config, id: string, runtime: Runtime): Promise<void> {
  runtime.stdout.write(await helpText(config, id, runtime));
}

/** @throws RemitError USAGE if there is no such command, topic or page */
export async function helpText(
  config: Config,
  id: string,
  runtime: {stdout: Pick<Runtime['stdout'], 'isTTY' | 'columns'>; env: Runtime['env']},
  inForce: ServiceInForce = {service: {}, from: undefined},
): Promise<string> {
  const page = Object.hasOwn(PAGES, id) ? PAGES[id] : undefined;
  const isTerminal = runtime.stdout.isTTY === true && id !== ''; // the first page is written at build time, the same for everyone
  if (page !== undefined)
    return isTerminal ? fitted(page, inForce, runtime.stdout.columns || 80) : page.text(inForce, Infinity);
  const text = layOut(
    await helpForm(config, id),
    placeOf(isTerminal ? runtime.stdout : {isTTY: false}, runtime.env),
  );
  return id === '' ? text + pagesText() : text;
}

/**
 * The help of the whole tool, of a command or of a topic, before it is laid out.
 * @throws RemitError USAGE if there is no such command or topic
 */
export async function helpForm(config: Config, id: string): Promise<string> {
  const help = new RemitHelp(config, {
    hideCommandSummaryInDescription: true,
    docopts: false,
    flagSortOrder: 'none',
  });
  const command = id === '' ? undefined : config.findCommand(id);
  if (command !== undefined) await help.showCommandHelp(command);
  else if (id === '') await help.showHelp([]);
  else if (config.findTopic(id) !== undefined) await help.showHelp([id]);
  else throw unknownSubject(id, config);
  return help.form;
}

const fitted = (page: Page, inForce: ServiceInForce, columns: number): string =>
  wrapLines(page.text(inForce, columns), columns);

const pagesText = (): string =>
  `\nMORE\n${Object.entries(PAGES)
    .map(([name, page]) => `  remit help ${name.padEnd(14)}${page.summary}\n`)
    .join('')}`;

function unknownSubject(id: string, config: Config): RemitError {
  const ids = [...new Set([...config.commandIDs, ...config.topics.map(({name}) => name)])];
  const guess = withoutTopic(id, ids) ?? nearest(id, [...config.commandIDs, ...Object.keys(PAGES)]);
  return new RemitError('USAGE', `there is no help for "${id.replaceAll(':', ' ')}"`, {
    hint: guess === undefined ? 'remit --help' : `remit help ${guess.replaceAll(':', ' ')}`,
  });
}
