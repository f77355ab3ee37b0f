import {stripVTControlCharacters} from 'node:util';
import type {CommandHelp, Config, Help, Interfaces} from '@oclif/core';
import {RemitError} from '../../errors.ts';
import type {ServiceInForce} from './assumptions.ts';
import {CommandHelpContent, HelpContent} from './help-content.ts';
import {block, layOut, placeOf, type Row} from './layout.ts';
import {type HelpPage, PAGES} from './pages.ts';
import {wrapLines} from '../../output/text/wrap.ts';
import {nearest} from '../../nearest.ts';
import type {Runtime} from '../runtime/runtime.ts';
import {withoutTopic} from '../line/without-topic.ts';

/** The indent of the text below a heading. */
const INDENT = 2;

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

class RemitCommandHelp extends CommandHelpContent {
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
    // eslint-disable-next-line regexp/no-super-linear-move -- the label of one of our flags
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
}

/** The help in a form that `layOut` fits to a terminal. */
class RemitHelp extends HelpContent {
  constructor(config: Interfaces.Config, options: {isShort: boolean}) {
    super(config, options);
    this.CommandHelpClass = RemitCommandHelp;
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

  protected override formatRoute(route: string): string {
    return block({route, less: INDENT});
  }

  override formatRoot(): string {
    const usage = `${this.section('USAGE', '$ remit TOPIC COMMAND [FLAGS]')}`;
    return [this.wrap(String(this.config.pjson.description), 0), usage].join('\n\n');
  }
}

/** Writes what `--help` prints: of the whole tool (empty id), of a topic or command, or one of the pages. */
export async function showHelp(config: Config, id: string, runtime: Runtime): Promise<void> {
  runtime.stdout.write(await helpText(config, id, runtime, {isShort: true}));
}

/**
 * @param options.isShort as `--help` prints it: flags that few people type are only named
 * @throws RemitError USAGE if there is no such command, topic or page
 */
export async function helpText(
  config: Config,
  id: string,
  runtime: {stdout: Pick<Runtime['stdout'], 'isTTY' | 'columns'>; env: Runtime['env']},
  {
    inForce = {service: {}, from: undefined},
    isShort = false,
  }: {inForce?: ServiceInForce | undefined; isShort?: boolean} = {},
): Promise<string> {
  const page = Object.hasOwn(PAGES, id) ? PAGES[id] : undefined;
  const isTerminal = runtime.stdout.isTTY === true && id !== ''; // the first page is written at build time, the same for everyone
  if (page !== undefined)
    return isTerminal ? fitted(page, inForce, runtime.stdout.columns || 80) : page.text(inForce, Infinity);
  const text = layOut(
    await helpForm(config, id, {isShort}),
    placeOf(isTerminal ? runtime.stdout : {isTTY: false}, runtime.env),
  );
  return id === '' ? text + pagesText() : text;
}

/**
 * The help of the whole tool, of a command or of a topic, before it is laid out.
 * @throws RemitError USAGE if there is no such command or topic
 */
export async function helpForm(config: Config, id: string, options: {isShort: boolean}): Promise<string> {
  const help = new RemitHelp(config, options);
  const command = id === '' ? undefined : config.findCommand(id);
  if (command !== undefined) await help.showCommandHelp(command);
  else if (id === '') await help.showHelp([]);
  else if (config.findTopic(id) !== undefined) await help.showHelp([id]);
  else throw unknownSubject(id, config);
  return help.text;
}

const fitted = (page: HelpPage, inForce: ServiceInForce, columns: number): string =>
  wrapLines(page.text(inForce, columns), columns, '');

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
