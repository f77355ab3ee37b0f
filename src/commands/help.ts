import {Args} from '@oclif/core';
import {commandConfigOf} from '../cli/core/app.ts';
import {RemitCommand} from '../cli/core/command.ts';
import {helpText} from '../cli/help/help.ts';
import {serviceInForce} from '../cli/core/service-in-force.ts';

export default class HelpCommand extends RemitCommand {
  static override summary = 'Show help for a command, a topic, or a page such as exit-codes';
  static override strict = false;
  static override args = {words: Args.string({description: 'command, topic or page'})};
  static override examples = ['<%= config.bin %> help payouts create', '<%= config.bin %> help exit-codes'];

  async run() {
    const {argv} = await this.parse(HelpCommand);
    const local = this.openLocal();
    const {out} = local;
    const id = argv.map(String).join(':');
    const inForce =
      id === 'assumptions' || id === 'operations' ? serviceInForce(local, this.project) : undefined;
    const config = await commandConfigOf(this).app.config();
    const help = await helpText(config, id, this.runtime, {inForce});
    // `--account-number=DIGITS` contains no number; text is written without its last line feed.
    for (const shown of [help, help.trimEnd()]) out.sanitizer.allow(shown, 'help');
    out.text(help);
    return {subject: id.replaceAll(':', ' '), help};
  }
}
