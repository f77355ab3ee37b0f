import {Args} from '@oclif/core';
import {completionScript, SHELLS, type Shell} from '../cli/completion/shells.ts';
import {RemitCommand} from '../cli/core/command.ts';

export default class Completion extends RemitCommand {
  static override summary = 'Print the completion script of a shell';
  static override description =
    '`remit completion install` stores the script and loads it in new shells. The script asks remit for commands, flags, profiles, batches and ids; they are read from this machine, and nothing is sent.';
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
    const script = completionScript(args.shell);
    if (!out.forPeople) return {shell: args.shell, script};
    await out.bytes(Buffer.from(script)); // exact: wrapping or masking would break it
    return undefined;
  }
}
