import {Args} from '@oclif/core';
import {placesFor, uninstall} from '../../cli/completion/install.ts';
import {shellIn, SHELLS} from '../../cli/completion/shells.ts';
import {RemitCommand} from '../../cli/core/command.ts';

export default class CompletionUninstall extends RemitCommand {
  static override summary = 'Remove completion of a shell, and the stored ids';
  static override args = {
    shell: Args.option({
      options: SHELLS,
      description: 'shell to remove it from (default: from $SHELL)',
    })(),
  };
  static override examples = ['<%= config.bin %> completion uninstall zsh'];

  async run() {
    const {args} = await this.parse(CompletionUninstall);
    const {out} = this.openLocal();
    const {env, home} = this.runtime;
    const shell = args.shell ?? shellIn(env);
    const removed = uninstall(placesFor(shell, env, home), env, home);
    out.text(
      removed.length === 0
        ? `Completion is not installed for ${shell}.`
        : removed.map((what) => `Removed ${what}`).join('\n'),
    );
    return {shell, removed};
  }
}
