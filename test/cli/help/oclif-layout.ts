import {CommandHelp, Help, type Command, type Config, type Interfaces} from '@oclif/core';
import {routesOf} from '../../../src/cli/help/command-operations.ts';
import {globalFlagSummary} from '../../../src/cli/help/help.ts';

const render = (text: string): string =>
  text.replaceAll('<%= config.bin %>', 'remit').replaceAll(/<%= command.id %> ?/g, '');

class PeerCommandHelp extends CommandHelp {
  constructor(...parts: ConstructorParameters<typeof CommandHelp>) {
    super(...parts);
    this.render = (text) => render(text.replaceAll('<%= command.id %>', this.command.id));
  }

  protected override args(args: Command.Arg.Any[]): [string, string | undefined][] | undefined {
    return super.args(
      args.map(({options, ...arg}) =>
        options === undefined ? arg : {...arg, description: `${arg.description}: ${options.join(', ')}`},
      ),
    );
  }

  protected override defaultUsage(): string {
    return `${super.defaultUsage()} [FLAGS]`;
  }

  override renderList(...[input, options]: Parameters<CommandHelp['renderList']>): string {
    return super.renderList(input, {...options, indentation: options.indentation + 2});
  }

  protected override flags(flags: Command.Flag.Any[]): [string, string | undefined][] | undefined {
    return super.flags(flags.filter((flag) => flag.helpGroup !== 'GLOBAL'));
  }
}

class PeerHelp extends Help {
  readonly lines: string[] = [];

  constructor(config: Interfaces.Config, options: Partial<Interfaces.HelpOptions>) {
    super(config, options);
    this.CommandHelpClass = PeerCommandHelp;
    this.render = render;
  }

  protected override get sortedCommands(): Command.Loadable[] {
    return super.sortedCommands.map((command) => ({...command}));
  }

  protected override get sortedTopics(): Interfaces.Topic[] {
    return super.sortedTopics.map((topic) => ({...topic}));
  }

  override async showCommandHelp(command: Command.Loadable): Promise<void> {
    await super.showCommandHelp({...command});
    const routes = routesOf(command.id);
    if (routes.length > 0) this.lines.push(`SERVICE\n${this.indent(routes.join('\n'))}\n`);
    this.lines.push(`GLOBAL FLAGS (remit help flags)\n${this.indent(this.wrap(globalFlagSummary()))}`);
  }

  protected override log(...lines: string[]): void {
    this.lines.push(...lines);
  }

  protected override summary(command: Command.Loadable): string | undefined {
    const summary = super.summary(command);
    return summary === undefined ? undefined : this.wrap(summary, 0);
  }
}

/** The same help without styles, laid out by oclif itself. */
export async function oclifHelp(config: Config, id: string, maxWidth: number): Promise<string> {
  const help = new PeerHelp(config, {
    ...{maxWidth, stripAnsi: true, hideCommandSummaryInDescription: true, docopts: false},
    flagSortOrder: 'none',
  });
  const command = config.findCommand(id);
  if (command === undefined) await help.showHelp([id]);
  else await help.showCommandHelp(command);
  return `${help.lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n`;
}
