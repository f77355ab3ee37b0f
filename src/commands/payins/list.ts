import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {inGroup, listFlags, transferFilters} from '../../cli/input/flags.ts';
import {createdBetween} from '../../cli/input/times.ts';
import {noIds} from '../../cli/input/without-ids.ts';
import {listOptions, showList} from '../../cli/resources/lists.ts';
import {resolveId} from '../../cli/resources/names.ts';
import {payinView} from '../../output/views/transfers.ts';

export default class PayinsList extends RemitCommand {
  static override summary = 'List payins, newest first';
  static override examples = [
    '<%= config.bin %> payins list --status created --limit 10',
    '<%= config.bin %> payins list --all -o csv > payins.csv',
    '<%= config.bin %> payins list --summary --created-from 2026-11-01T00:00:00Z',
  ];
  static override flags = {
    payer: Flags.string({
      helpValue: 'ID',
      description: 'only payins of this payer; at a terminal also a name',
    }),
    ...transferFilters,
    summary: Flags.boolean({
      description:
        'show counts and sums by status, rail and day instead; of all payins, unless --limit is given',
    }),
    ...inGroup('PAGING', listFlags),
  };

  async run() {
    const {flags} = await this.parse(PayinsList);
    if (flags.summary && flags.output === 'id') throw noIds(`${this.id?.replace(':', ' ')} --summary`);
    const context = await this.open();
    const query = {
      payer_id: flags.payer === undefined ? undefined : await resolveId(context, 'payer', flags.payer),
      status: flags.status,
      ...createdBetween(flags),
      order: flags.order,
    };
    const all = flags.all ?? (flags.summary === true && flags.limit === undefined);
    const listing = context.client.records('payins.list', query, listOptions(context, {...flags, all}));
    if (!flags.summary) return showList(context, listing, payinView, this.typed);
    const {showSummary} = await import('../../cli/resources/summary.ts');
    await showSummary(context, payinView, listing);
  }
}
