import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {namedAccountArg} from '../../cli/input/flags.ts';
import {count} from '../../cli/input/global-flags.ts';
import {noIds} from '../../cli/input/without-ids.ts';
import {resolveId} from '../../cli/resources/names.ts';
import {noteUnread, readRecord} from '../../cli/resources/reads.ts';
import {balanceView} from '../../output/views/treasury.ts';

export default class TreasuryBalance extends RemitCommand {
  static override summary = 'Show the latest reported balance of a treasury account';
  static override args = {account: namedAccountArg};
  static override examples = [
    '<%= config.bin %> treasury balance 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11',
    '<%= config.bin %> treasury balance ACCOUNT --history --days 14',
    '<%= config.bin %> treasury balance ACCOUNT --history --days 365 --html balance.html',
  ];

  static override flags = {
    history: Flags.boolean({
      description: 'show the balance at the end of each day, as a chart on a terminal',
    }),
    html: Flags.string({
      helpValue: 'FILE',
      description: 'also write the history as a page: a chart and a table',
      dependsOn: ['history'],
    }),
    days: count(1, 3660)({description: 'days of the history (default 30)', dependsOn: ['history']}),
  };

  async run() {
    const {args, flags} = await this.parse(TreasuryBalance);
    if (flags.history && flags.output === 'id') throw noIds('treasury balance --history');
    const context = await this.open();
    const id = await resolveId(context, 'treasury account', args.account);
    if (flags.history) {
      const {showHistory} = await import('../../cli/resources/balance-history.ts');
      return showHistory(context, id, {days: flags.days ?? 30, html: flags.html});
    }
    const data = await readRecord(context, 'treasury.balance', {account_id: id});
    context.out.record(data, balanceView);
    noteUnread(context, data, {
      resource: 'treasury',
      fields: ['current_balance_in_minor_units', 'currency_code'],
    });
    return data;
  }
}
