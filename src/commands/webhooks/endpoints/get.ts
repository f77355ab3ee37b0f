import {RemitCommand} from '../../../cli/core/command.ts';
import {idArg} from '../../../cli/input/global-flags.ts';
import {readRecord} from '../../../cli/resources/reads.ts';
import {webhookEndpointView} from '../../../output/views/webhooks.ts';

export default class WebhooksEndpointsGet extends RemitCommand {
  static override summary = 'Show one webhook endpoint';
  static override args = {id: idArg('endpoint')};
  static override examples = [
    '<%= config.bin %> webhooks endpoints get 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11',
  ];

  async run() {
    const {args} = await this.parse(WebhooksEndpointsGet);
    const context = await this.open();
    const data = await readRecord(context, 'webhookEndpoints.get', {id: args.id});
    context.out.record(data, webhookEndpointView);
    return data;
  }
}
