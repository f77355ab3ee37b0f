import {RemitCommand} from '../../../cli/core/command.ts';
import {count} from '../../../cli/input/global-flags.ts';
import {eventFilter, eventFilters} from '../../../cli/webhooks/events/filters.ts';
import {tailRecord} from '../../../cli/webhooks/events/tail.ts';

export default class WebhooksEventsTail extends RemitCommand {
  static override summary = 'Show the latest recorded deliveries, then new ones as they arrive';
  static override description = 'Works while a listener is running. Ctrl-C stops it.';
  static override examples = [
    '<%= config.bin %> webhooks events tail --type "payout.*"',
    '<%= config.bin %> webhooks events tail --lines 0 -o ndjson',
  ];
  static override flags = {
    ...eventFilters,
    lines: count(0, 100_000)({default: 10, description: 'number of earlier deliveries to show first'}),
  };

  async run() {
    const {flags} = await this.parse(WebhooksEventsTail);
    this.exitWith(await tailRecord(this.openLocal(), eventFilter(flags), flags.lines));
  }
}
