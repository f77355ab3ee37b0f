import {Flags} from '@oclif/core';
import {RemitCommand} from '../../../cli/core/command.ts';
import {inGroup} from '../../../cli/input/flags.ts';
import {count} from '../../../cli/input/global-flags.ts';
import {eventFilter, eventFilters, eventRow} from '../../../cli/webhooks/events/filters.ts';
import {readRecorded} from '../../../cli/webhooks/events/read-record.ts';
import {webhookEventView} from '../../../output/views/webhook-events.ts';

const USUAL_LIMIT = 50;

export default class WebhooksEventsList extends RemitCommand {
  static override summary = 'List recorded deliveries, newest first';
  static override examples = [
    '<%= config.bin %> webhooks events list --type "payout.*" --since 2h',
    '<%= config.bin %> webhooks events list --match data.payout_id=5f0c6d3e --json',
    '<%= config.bin %> webhooks events list --verdict rejected --query "[].reason"',
  ];
  static override flags = {
    ...eventFilters,
    ...inGroup('PAGING', {
      limit: count(1, 1_000_000)({description: `maximum number of deliveries (default ${USUAL_LIMIT})`}),
      all: Flags.boolean({description: 'show all deliveries', exclusive: ['limit']}),
    }),
  };

  async run() {
    const {flags} = await this.parse(WebhooksEventsList);
    const local = this.openLocal();
    const found = readRecorded(local).filter(eventFilter(flags));
    const limit = flags.all ? found.length : (flags.limit ?? USUAL_LIMIT);
    const shown = limit === 0 ? [] : found.slice(-limit).reverse();
    await local.out.list(shown.map(eventRow), webhookEventView);
    if (found.length > shown.length)
      local.out.note(
        `${found.length} deliveries match; ${shown.length === 1 ? 'the newest is' : `the newest ${shown.length} are`} shown. --all shows all.`,
      );
  }
}
