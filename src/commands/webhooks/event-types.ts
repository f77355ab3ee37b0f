import {RemitCommand} from '../../cli/core/command.ts';
import {readEventTypes} from '../../cli/resources/webhook-endpoints.ts';
import {answered} from '../../cli/resources/reads.ts';
import {eventTypeView} from '../../output/views/webhooks.ts';

export default class WebhooksEventTypes extends RemitCommand {
  static override summary = 'List the event types that can be subscribed to';
  static override examples = [
    '<%= config.bin %> webhooks event-types',
    '<%= config.bin %> webhooks event-types -o csv --fields type',
  ];

  async run() {
    await this.parse(WebhooksEventTypes);
    const context = await this.open();
    const {client, out, stop} = context;
    const data = answered(context, await client.eventTypes.list({signal: stop.signal}));
    await out.list(readEventTypes(data), eventTypeView);
  }
}
