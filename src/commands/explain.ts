import {Args} from '@oclif/core';
import {RemitCommand} from '../cli/core/command.ts';
import {explain, explanationText} from '../cli/help/explain.ts';

export default class Explain extends RemitCommand {
  static override summary = "Explain an error code, a status, an exit code or a bank's reason code";
  static override args = {
    word: Args.string({
      required: true,
      description: 'error code, exit code, HTTP status, status of a record, or bank code',
    }),
  };
  static override examples = [
    '<%= config.bin %> explain IN_DOUBT',
    '<%= config.bin %> explain 12',
    '<%= config.bin %> explain debited',
    '<%= config.bin %> explain R03',
  ];

  async run() {
    const {args} = await this.parse(Explain);
    const {out} = this.openLocal();
    const found = explain(args.word);
    out.text(explanationText(found));
    return found;
  }
}
