import {RemitCommand} from '../../../cli/core/command.ts';
import {dryRunFlags} from '../../../cli/input/flags.ts';
import {idArg} from '../../../cli/input/global-flags.ts';
import {switchEndpoint} from '../../../cli/resources/webhook-endpoints.ts';

export default class WebhooksEndpointsDisable extends RemitCommand {
  static override summary = 'Pause deliveries to a webhook endpoint';
  static override args = {id: idArg('endpoint')};
  static override examples = [
    '<%= config.bin %> webhooks endpoints disable 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11',
  ];
  static override flags = {...dryRunFlags};

  async run() {
    const {args, flags} = await this.parse(WebhooksEndpointsDisable);
    const request = {id: args.id, active: false, dryRun: flags['dry-run']};
    return this.conclude(await switchEndpoint(await this.open(), request));
  }
}
