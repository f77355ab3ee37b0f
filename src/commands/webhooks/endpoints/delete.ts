import {RemitCommand} from '../../../cli/core/command.ts';
import {dryRunFlags} from '../../../cli/input/flags.ts';
import {idArg} from '../../../cli/input/global-flags.ts';
import {endpointDeletion} from '../../../cli/resources/webhook-endpoints.ts';
import {showDeleted, write} from '../../../cli/write/write.ts';

export default class WebhooksEndpointsDelete extends RemitCommand {
  static override summary = 'Delete a webhook endpoint and stop its deliveries';
  static override args = {id: idArg('endpoint')};
  static override examples = [
    '<%= config.bin %> webhooks endpoints delete 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11',
  ];
  static override flags = {...dryRunFlags};

  async run() {
    const {args, flags} = await this.parse(WebhooksEndpointsDelete);
    const context = await this.open();
    const asked = {...endpointDeletion(args.id), dryRun: flags['dry-run']};
    const show = showDeleted(context, `webhook endpoint ${args.id}`, asked);
    return this.conclude(await write(context, {...asked, show}));
  }
}
