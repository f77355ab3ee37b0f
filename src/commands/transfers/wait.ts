import {Args} from '@oclif/core';
import {ACCOUNT_TRANSFER} from '../../cli/resources/money/account-transfers.ts';
import {waitForTyped} from '../../cli/wait/wait-for-many.ts';
import {RemitCommand} from '../../cli/core/command.ts';
import {accountTransferWaitFlags} from '../../cli/input/flags.ts';

export default class TransfersWait extends RemitCommand {
  static override summary = 'Wait until account transfers are settled or failed';
  static override description =
    'Several ids are waited for at once, within the same time limit; - reads ids from stdin. With several ids or -, -o ndjson writes a line for each change of a status. The exit code is that of the worst outcome: 9 if one failed, 10 if one is still open.';
  static override strict = false;
  static override args = {
    id: Args.string({required: true, description: 'account transfer ids (UUID), or -'}),
  };
  static override examples = [
    '<%= config.bin %> transfers wait 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11',
    '<%= config.bin %> transfers wait ID --until initiated --timeout 2m',
    '<%= config.bin %> transfers wait - -o ndjson < ids.txt',
  ];
  static override flags = {until: accountTransferWaitFlags.until, timeout: accountTransferWaitFlags.timeout};

  async run() {
    const {argv, flags} = await this.parse(TransfersWait);
    return this.conclude(
      await waitForTyped(await this.open(), ACCOUNT_TRANSFER, {typed: argv.map(String), flags}),
    );
  }
}
