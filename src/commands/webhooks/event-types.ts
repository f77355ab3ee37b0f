import {RemitCommand} from '../../cli/core/command.ts';
import {readEventTypes} from '../../cli/resources/webhook-endpoints.ts';
import {eventTypeView} from '../../output/views/webhooks.ts';

export default class WebhooksEventTypes extends RemitCommand {
  static override summary = 'List the event types that can be subscribed to';
  static override examples = [
    '<%= config.bin %> webhooks event-types',
    '<%= config.bin %> webhooks event-types -o csv --fields type',
  ];

  async run() {
    await this.parse(WebhooksEventTypes);
    const {client, out, stop} = await this.open();
    const {data} = await client.eventTypes.list({signal: stop.signal});
    await out.list(readEventTypes(data), eventTypeView);
  }
}
