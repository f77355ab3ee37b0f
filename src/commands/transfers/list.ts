import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {inGroup, listFlags} from '../../cli/input/flags.ts';
import {showRecords} from '../../cli/resources/lists.ts';
import {resolveId} from '../../cli/resources/names.ts';
import {ACCOUNT_TRANSFER_STATUSES} from '../../contract/lifecycle.ts';
import {accountTransferView} from '../../output/views/treasury.ts';

export default class TransfersList extends RemitCommand {
  static override summary = 'List account transfers, newest first';
  static override examples = [
    '<%= config.bin %> transfers list --status initiated',
    '<%= config.bin %> transfers list --account ID --all -o csv',
  ];
  static override flags = {
    status: Flags.option({
      options: ACCOUNT_TRANSFER_STATUSES,
      helpValue: 'STATUS',
      description: `only this status: ${ACCOUNT_TRANSFER_STATUSES.join(', ')}`,
    })(),
    account: Flags.string({
      helpValue: 'ID',
      description: 'only transfers from or to this account; at a terminal also a label',
    }),
    ...inGroup('PAGING', listFlags),
  };

  async run() {
    const {flags} = await this.parse(TransfersList);
    const context = await this.open();
    const account =
      flags.account === undefined ? undefined : await resolveId(context, 'treasury account', flags.account);
    const query = {status: flags.status, account_id: account, order: flags.order};
    const shown = {view: accountTransferView, flags, typed: this.typed};
    await showRecords(context, 'accountTransfers.list', query, shown);
  }
}
