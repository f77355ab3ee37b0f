import {RemitCommand} from '../../../cli/core/command.ts';
import {listFlags} from '../../../cli/input/flags.ts';
import {showRecords} from '../../../cli/resources/lists.ts';
import {webhookEndpointView} from '../../../output/views/webhooks.ts';

export default class WebhooksEndpointsList extends RemitCommand {
  static override summary = 'List webhook endpoints, newest first';
  static override examples = [
    '<%= config.bin %> webhooks endpoints list --limit 10',
    '<%= config.bin %> webhooks endpoints list --all -o id',
  ];
  static override flags = {...listFlags};

  async run() {
    const {flags} = await this.parse(WebhooksEndpointsList);
    const query = {order: flags.order};
    await showRecords(await this.open(), 'webhookEndpoints.list', query, {
      view: webhookEndpointView,
      flags,
      typed: this.typed,
    });
  }
}
