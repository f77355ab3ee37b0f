import {RemitCommand} from '../../../cli/core/command.ts';
import {dryRunFlags} from '../../../cli/input/flags.ts';
import {idArg} from '../../../cli/input/global-flags.ts';
import {isGone} from '../../../cli/resources/deletion.ts';
import {sendOnce} from '../../../cli/write/send-once.ts';

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
    const named = `webhook endpoint ${args.id}`;
    const checkedBy = ['webhooks', 'endpoints', 'get', args.id];
    const sent = await sendOnce(context, {
      operation: 'webhookEndpoints.delete',
      params: {id: args.id},
      dryRun: flags['dry-run'],
      facts: {operation: 'delete the webhook endpoint', party: ['endpoint', args.id]},
      noun: 'webhook endpoint',
      id: args.id,
      done: 'was deleted',
      checkedBy,
    });
    if (sent.dryRun) return sent.dryRun;
    const deleted = isGone(context, sent.result, {named, checkedBy});
    if (deleted) context.out.text(`Deleted ${named}.`);
    return {id: args.id, deleted};
  }
}
