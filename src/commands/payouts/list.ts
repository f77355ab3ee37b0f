import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {inGroup, listFlags, transferFilters} from '../../cli/input/flags.ts';
import {createdBetween} from '../../cli/input/times.ts';
import {noIds} from '../../cli/input/without-ids.ts';
import {listOptions, showList} from '../../cli/resources/lists.ts';
import {resolveId} from '../../cli/resources/names.ts';
import {payoutView} from '../../output/views/transfers.ts';

export default class PayoutsList extends RemitCommand {
  static override summary = 'List payouts, newest first';
  static override examples = [
    '<%= config.bin %> payouts list --status created --limit 10',
    '<%= config.bin %> payouts list --all -o csv > payouts.csv',
    '<%= config.bin %> payouts list --summary --created-from 2026-11-01T00:00:00Z',
  ];
  static override flags = {
    payee: Flags.string({
      helpValue: 'ID',
      description: 'only payouts of this payee; at a terminal also a name',
    }),
    ...transferFilters,
    summary: Flags.boolean({
      description:
        'show counts and sums by status, rail and day instead; of all payouts, unless --limit is given',
    }),
    ...inGroup('PAGING', listFlags),
  };

  async run() {
    const {flags} = await this.parse(PayoutsList);
    if (flags.summary && flags.output === 'id') throw noIds(`${this.id?.replace(':', ' ')} --summary`);
    const context = await this.open();
    const query = {
      payee_id: flags.payee === undefined ? undefined : await resolveId(context, 'payee', flags.payee),
      status: flags.status,
      ...createdBetween(flags),
      order: flags.order,
    };
    const all = flags.all ?? (flags.summary === true && flags.limit === undefined);
    const listing = context.client.records('payouts.list', query, listOptions(context, {...flags, all}));
    if (!flags.summary) return showList(context, listing, payoutView, this.typed);
    const {showSummary} = await import('../../cli/resources/summary.ts');
    await showSummary(context, payoutView, listing);
  }
}
