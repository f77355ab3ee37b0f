import {Args} from '@oclif/core';
import {RemitCommand} from '../cli/core/command.ts';
import {explain, explanationText} from '../cli/help/explain.ts';

export default class Explain extends RemitCommand {
  static override summary = 'Explain error codes, statuses, exit codes and bank codes';
  static override strict = false;
  static override args = {
    word: Args.string({
      required: true,
      description:
        'error code, exit code, HTTP status, status of a record, state of a row in a batch, bank code, or scenario of the sandbox; several are explained one after the other',
    }),
  };
  static override examples = [
    '<%= config.bin %> explain IN_DOUBT',
    '<%= config.bin %> explain 12',
    '<%= config.bin %> explain debited',
    '<%= config.bin %> explain R01 R03',
  ];

  async run() {
    const {argv} = await this.parse(Explain);
    const {out} = this.openLocal();
    const found = argv.flatMap((word) => explain(String(word)));
    out.text(explanationText(found));
    return found;
  }
}
