import {Args, Flags} from '@oclif/core';
import {RemitCommand} from '../../../cli/core/command.ts';
import {eventDetails} from '../../../cli/webhooks/events/filters.ts';
import {recordFolder} from '../../../cli/webhooks/place.ts';
import {webhookEventView} from '../../../output/views/webhook-events.ts';
import {findRecorded} from '../../../webhooks/record/find.ts';

export default class WebhooksEventsShow extends RemitCommand {
  static override summary = 'Show a recorded delivery: headers, body, verdict, forwards';
  static override examples = [
    '<%= config.bin %> webhooks events show dlv_019b76daa800000012345678',
    '<%= config.bin %> webhooks events show dlv_019b76daa800000012345678 --raw > body.json',
  ];
  static override args = {
    delivery: Args.string({required: true, description: 'id of a delivery (dlv_…) or event'}),
  };
  static override flags = {raw: Flags.boolean({description: 'write only the body, byte for byte'})};

  async run() {
    const {args, flags} = await this.parse(WebhooksEventsShow);
    const local = this.openLocal();
    const recorded = findRecorded(recordFolder(local), args.delivery);
    if (flags.raw) {
      await local.out.bytes(recorded.delivery.body);
      return undefined;
    }
    const details = eventDetails(recorded);
    local.out.record(details, webhookEventView);
    return details;
  }
}
