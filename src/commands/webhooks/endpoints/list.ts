import {RemitCommand} from '../../../cli/core/command.ts';
import {listFlags} from '../../../cli/input/flags.ts';
import {listOptions, showList} from '../../../cli/resources/lists.ts';
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
    const context = await this.open();
    const listing = context.client.webhookEndpoints.list({order: flags.order}, listOptions(context, flags));
    await showList(context, listing, webhookEndpointView, this.typed);
  }
}
