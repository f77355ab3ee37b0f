import {Args} from '@oclif/core';
import {install, placesFor} from '../../cli/completion/install.ts';
import {psQuoted} from '../../cli/completion/powershell.ts';
import {completionScript, shellIn, SHELLS} from '../../cli/completion/script.ts';
import {readCommandConfig} from '../../cli/core/app.ts';
import {RemitCommand} from '../../cli/core/command.ts';
import {PAGES} from '../../cli/help/pages.ts';

export default class CompletionInstall extends RemitCommand {
  static override summary = 'Install completion for a shell of this user';
  static override description =
    'Writes the script. For bash and zsh, adds one line to ~/.bashrc or ~/.zshrc; `remit completion uninstall` removes both. Run it again after an update of remit.';
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
    const config = await readCommandConfig(this.config).app.config();
    install(places, completionScript(shell, config, Object.keys(PAGES)), env, home);
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
