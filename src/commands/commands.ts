import {commandConfigOf} from '../cli/core/app.ts';
import {RemitCommand} from '../cli/core/command.ts';
import {catalogue} from '../cli/help/catalogue.ts';

export default class Commands extends RemitCommand {
  static override summary = 'List all commands; --json adds their arguments, flags and operations';
  static override examples = [
    '<%= config.bin %> commands',
    '<%= config.bin %> commands --json --query "commands[?reads_only].command"',
  ];

  async run() {
    await this.parse(Commands);
    const {out} = this.openLocal();
    const all = catalogue(await commandConfigOf(this).app.config());
    const width = Math.max(...all.commands.map(({command}) => command.length));
    out.text(all.commands.map(({command, summary}) => `${command.padEnd(width)}  ${summary}`).join('\n'));
    return all;
  }
}
