import {Flags} from '@oclif/core';
import {RemitCommand} from '../../../cli/core/command.ts';
import {bodyFlags, eventTypesFlag} from '../../../cli/input/flags.ts';
import {idArg} from '../../../cli/input/global-flags.ts';
import {write} from '../../../cli/write/write.ts';
import {endpointChange} from '../../../cli/resources/webhook-endpoints.ts';
import {RemitError} from '../../../errors.ts';
import {webhookEndpointView} from '../../../output/views/webhooks.ts';

export default class WebhooksEndpointsUpdate extends RemitCommand {
  static override summary = 'Change the URL, event types or description of an endpoint';
  static override args = {id: idArg('endpoint')};
  static override examples = [
    '<%= config.bin %> webhooks endpoints update ID --event-types payout.settled,payin.settled',
    '<%= config.bin %> webhooks endpoints update ID --url https://example.com/new-hooks',
  ];
  static override flags = {
    url: Flags.string({helpValue: 'URL', description: 'https URL that accepts POST with JSON'}),
    'event-types': eventTypesFlag({}),
    description: Flags.string({helpValue: 'TEXT', description: 'free text description'}),
    ...bodyFlags,
  };

  async run() {
    const {args, flags} = await this.parseWithData(WebhooksEndpointsUpdate);
    const body = {url: flags.url, event_types: flags['event-types'], description: flags.description};
    if (Object.values(body).every((value) => value === undefined))
      throw new RemitError('USAGE', 'nothing to change: use --url, --event-types or --description');
    const context = await this.open();
    const outcome = await write(context, {
      ...endpointChange(context, args.id, 'update'),
      ...{body, leaves: body, dryRun: flags['dry-run']},
      view: webhookEndpointView,
    });
    return this.conclude(outcome);
  }
}
