import {Flags} from '@oclif/core';
import {RemitCommand} from '../../../cli/core/command.ts';
import {bodyFlags, eventTypesFlag} from '../../../cli/input/flags.ts';
import {createEndpoint} from '../../../cli/resources/webhook-endpoints.ts';

export default class WebhooksEndpointsCreate extends RemitCommand {
  static override summary = 'Create a webhook endpoint; its signing secret is shown once';
  static override examples = [
    '<%= config.bin %> webhooks endpoints create --url https://example.com/hooks --event-types payout.settled,payout.failed',
    '<%= config.bin %> webhooks endpoints create --url https://example.com/hooks --event-types payin.settled --secret-file hook.secret',
  ];
  static override flags = {
    url: Flags.string({
      required: true,
      helpValue: 'URL',
      description: 'https URL that accepts POST with JSON',
    }),
    'event-types': eventTypesFlag({required: true}),
    description: Flags.string({helpValue: 'TEXT', description: 'free text description'}),
    'secret-file': Flags.string({
      helpValue: 'FILE',
      description: 'write the secret to this new file (mode 0600) instead of stdout',
    }),
    ...bodyFlags,
  };

  async run() {
    const {flags} = await this.parseWithData(WebhooksEndpointsCreate);
    const body = {url: flags.url, event_types: flags['event-types'], description: flags.description};
    const request = {body, dryRun: flags['dry-run'], secretFile: flags['secret-file']};
    return this.conclude(await createEndpoint(await this.open(), request));
  }
}
