import {CommandHelp, Help, type Command, type Interfaces} from '@oclif/core';
import {MORE} from '../input/flags.ts';
import {globalFlags} from '../input/global-flags.ts';
import {routesOf} from './command-operations.ts';

const GLOBAL = 'GLOBAL';

/** Replaces the two placeholders that our texts use; oclif's own templates each cost a compilation. */
const render = (text: string): string =>
  text.replaceAll('<%= config.bin %>', 'remit').replaceAll(/<%= command.id %> ?/g, '');

/** The help of a command: its texts, laid out by oclif. */
export class CommandHelpContent extends CommandHelp {
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
    return super.renderList(input, {...options, indentation: options.indentation + 2});
  }

  protected override flags(flags: Command.Flag.Any[]): [string, string | undefined][] | undefined {
    const own = flags.filter((flag) => flag.helpGroup !== GLOBAL);
    return super.flags(isShort(this.opts) ? own.map((flag) => this.#inShort(flag)) : own);
  }

  /** On the longer page, flags that few people type are shown with the others of their group. */
  protected override groupFlags(flags: Command.Flag.Any[]): ReturnType<CommandHelp['groupFlags']> {
    const shown = isShort(this.opts) ? flags.filter((flag) => !isRare(flag)) : flags;
    return super.groupFlags(shown.map((flag) => ({...flag, ...ownGroup(flag)})));
  }

  /** A list of values is on the longer page. */
  #inShort(flag: Command.Flag.Any): Command.Flag.Any {
    const [first = '', ...more] = flag.description?.split('\n') ?? [];
    if (more.length === 0) return flag;
    return {...flag, description: `${first} (values: remit help ${this.command.id.replaceAll(':', ' ')})`};
  }

  /** A reader copies an example first. */
  protected override sections(): ReturnType<CommandHelp['sections']> {
    const sections = super.sections();
    const early = sections.filter(({header}) => ['USAGE', 'DESCRIPTION', 'EXAMPLES'].includes(header));
    return [...early, ...sections.filter((one) => !early.includes(one))];
  }
}

const isShort = (options: object): boolean => 'isShort' in options && options.isShort === true;

const ownGroup = ({helpGroup}: {helpGroup?: string | undefined}): {helpGroup?: string} =>
  helpGroup === undefined ? {} : {helpGroup: helpGroup.replace(MORE, '').trim()};

const isRare = ({helpGroup}: {helpGroup?: string | undefined}): boolean =>
  helpGroup?.startsWith(MORE) === true;

/** oclif's help with our texts, laid out by oclif, and short enough for a command's own flags to fit on a screen. */
export class HelpContent extends Help {
  readonly #lines: string[] = [];

  /** @param options.isShort flags that few people type are only named */
  constructor(
    config: Interfaces.Config,
    options: Partial<Interfaces.HelpOptions> & {isShort?: boolean} = {},
  ) {
    super(config, {hideCommandSummaryInDescription: true, docopts: false, flagSortOrder: 'none', ...options});
    this.CommandHelpClass = CommandHelpContent;
    this.render = render;
  }

  /** What was shown. */
  get text(): string {
    return this.#lines.join('\n');
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
    const lines = routes.map((route) => this.formatRoute(route)).join('\n');
    const rare = Object.entries(command.flags).filter(([, flag]) => isRare(flag));
    if (isShort(this.opts) && rare.length > 0) {
      const names = rare.map(([name]) => `--${name}`).join(' · ');
      const words = command.id.replaceAll(':', ' ');
      this.#lines.push(`MORE FLAGS (remit help ${words})\n${this.indent(this.wrap(names))}\n`);
    }
    if (routes.length > 0) this.#lines.push(`SERVICE\n${this.indent(lines)}\n`);
    this.#lines.push(`GLOBAL FLAGS (remit help flags)\n${this.indent(this.wrap(globalFlagSummary()))}`);
  }

  protected formatRoute(route: string): string {
    return route;
  }

  protected override log(...lines: string[]): void {
    this.#lines.push(...lines);
  }

  protected override summary(command: Command.Loadable): string | undefined {
    const summary = super.summary(command);
    return summary === undefined ? undefined : this.wrap(summary, 0);
  }

  /** `completion` is a topic and a command: it is listed once, with the topics. */
  protected override formatCommands(commands: Command.Loadable[]): string {
    const isTopic = (id: string) => this.config.commandIDs.some((other) => other.startsWith(`${id}:`));
    return super.formatCommands(commands.filter(({id}) => !isTopic(id)));
  }
}

function globalFlagSummary(): string {
  const names = Object.entries(globalFlags).map(([name, flag]) => {
    const label = flag.char === undefined ? `--${name}` : `-${flag.char}, --${name}`;
    return flag.type === 'option' ? `${label} ${flag.helpValue as string}` : label;
  });
  return names.join(' · ');
}
