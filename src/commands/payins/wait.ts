import {Args} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {waitFlags} from '../../cli/input/flags.ts';
import {PAYIN} from '../../cli/resources/money/transfer-kinds.ts';
import {waitForTyped} from '../../cli/wait/wait-for-many.ts';

export default class PayinsWait extends RemitCommand {
  static override summary = 'Wait until payins are settled, failed or canceled';
  static override description =
    'Several ids are waited for at once, within the same time limit; - reads ids from stdin. With several ids or -, -o ndjson writes a line for each change of a status. The exit code is that of the worst outcome: 9 if one failed, 10 if one is still open.';
  static override strict = false;
  static override args = {
    id: Args.string({required: true, description: 'payin ids (UUID), or -'}),
  };
  static override examples = [
    '<%= config.bin %> payins wait 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11',
    '<%= config.bin %> payins wait ID --until debited --timeout 2m',
    '<%= config.bin %> payins wait - -o ndjson < ids.txt',
  ];
  static override flags = {until: waitFlags.until, timeout: waitFlags.timeout};

  async run() {
    const {argv, flags} = await this.parse(PayinsWait);
    return this.conclude(await waitForTyped(await this.open(), PAYIN, {typed: argv.map(String), flags}));
  }
}
