import {Args} from '@oclif/core';
import {install, placesFor} from '../../cli/completion/install.ts';
import {completionScript, psQuoted, shellIn, SHELLS} from '../../cli/completion/shells.ts';
import {RemitCommand} from '../../cli/core/command.ts';

export default class CompletionInstall extends RemitCommand {
  static override summary = 'Install completion for a shell of this user';
  static override description =
    'Writes the script. For bash and zsh, adds one line to ~/.bashrc or ~/.zshrc; `remit completion uninstall` removes both.';
  static override args = {
    shell: Args.option({
      options: SHELLS,
      description: 'shell to install it for (default: from $SHELL)',
    })(),
  };
  static override examples = [
    '<%= config.bin %> completion install',
    '<%= config.bin %> completion install fish',
  ];

  async run() {
    const {args} = await this.parse(CompletionInstall);
    const {out} = this.openLocal();
    const {env, home} = this.runtime;
    const shell = args.shell ?? shellIn(env);
    const places = placesFor(shell, env, home);
    install(places, completionScript(shell), env, home);
    out.text(`Wrote ${places.script}`);
    if (places.startup !== null) out.text(`${places.startup} loads it in new shells.`);
    if (shell === 'fish') out.text('fish loads it in new shells.');
    if (shell === 'powershell') {
      out.note('Load it in new shells with:');
      out.hint(`Add-Content $PROFILE ${psQuoted(places.line ?? '')}`);
    }
    return places;
  }
}
