import {Flags} from '@oclif/core';
import {RemitCommand} from '../../../cli/core/command.ts';
import {eventFilter, eventFilters} from '../../../cli/webhooks/events/filters.ts';
import {exportRecord} from '../../../cli/webhooks/events/export.ts';

export default class WebhooksEventsExport extends RemitCommand {
  static override summary = 'Write recorded deliveries as NDJSON, with headers and exact bytes';
  static override description =
    'Writes the same lines as `webhooks listen -o ndjson`, oldest first. `webhooks verify -` reads them.';
  static override examples = [
    '<%= config.bin %> webhooks events export --since 2d --out deliveries.ndjson',
    '<%= config.bin %> webhooks events export --type payin.failed > failed.ndjson',
  ];
  static override flags = {
    ...eventFilters,
    out: Flags.string({helpValue: 'FILE', description: 'write to this file (mode 0600) instead of stdout'}),
  };

  async run() {
    const {flags} = await this.parse(WebhooksEventsExport);
    return exportRecord(this.openLocal(), eventFilter(flags), flags.out);
  }
}
