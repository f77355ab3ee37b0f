import {Args} from '@oclif/core';
import {completionScript, SHELLS, type Shell} from '../cli/completion/script.ts';
import {readCommandConfig} from '../cli/core/app.ts';
import {RemitCommand} from '../cli/core/command.ts';
import {PAGES} from '../cli/help/pages.ts';

export default class Completion extends RemitCommand {
  static override summary = 'Print the completion script of a shell';
  static override description =
    '`remit completion install` stores the script and loads it in new shells. Commands and flags are in the script; profiles, batches and ids are read from this machine, and nothing is sent.';
  static override args = {
    shell: Args.custom<Shell>({
      options: [...SHELLS],
      required: true,
      description: 'shell to print it for',
    })({
      required: true,
    }),
  };
  static override examples = [
    '<%= config.bin %> completion zsh > ~/.zfunc/_remit',
    '<%= config.bin %> completion powershell >> $PROFILE',
  ];

  async run() {
    const {args} = await this.parse(Completion);
    const {out} = this.openLocal();
    const config = await readCommandConfig(this.config).app.config();
    const script = completionScript(args.shell, config, Object.keys(PAGES));
    if (!out.forPeople) return {shell: args.shell, script};
    await out.bytes(Buffer.from(script)); // exact: wrapping or masking would break it
    return undefined;
  }
}
