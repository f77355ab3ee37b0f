import {Flags} from '@oclif/core';
import {RemitCommand} from '../../../cli/core/command.ts';
import {dryRunFlag} from '../../../cli/input/flags.ts';
import {duration, idArg} from '../../../cli/input/global-flags.ts';
import {rotateEndpoint} from '../../../cli/webhooks/rotate/action.ts';

export default class WebhooksEndpointsRotate extends RemitCommand {
  static override summary = 'Replace the signing secret of an endpoint; both are valid meanwhile';
  static override description =
    'Creates a second endpoint with the same URL and event types, shows its secret once, waits until `webhooks listen` has recorded a delivery that verifies with it, and that no delivery waits for the old endpoint any more, and then deletes it. The endpoint gets a new id. If interrupted, run the same command again to continue.';
  static override args = {id: idArg('endpoint')};
  static override examples = [
    '<%= config.bin %> webhooks endpoints rotate 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11 --secret-file new.secret',
    '<%= config.bin %> webhooks endpoints rotate 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11 --confirmed --yes',
  ];
  static override flags = {
    'secret-file': Flags.string({
      helpValue: 'FILE',
      description: 'write the new secret to this new file (mode 0600) instead of stdout',
    }),
    confirmed: Flags.boolean({
      description: 'the receiver already has the new secret; do not wait for a delivery',
    }),
    timeout: duration({description: 'how long to wait for each of both (default 10m)'}),
    'dry-run': dryRunFlag,
  };

  async run() {
    const {args, flags} = await this.parse(WebhooksEndpointsRotate);
    const {confirmed, timeout: timeoutMs} = flags;
    const request = {id: args.id, confirmed, timeoutMs, secretFile: flags['secret-file']};
    return this.conclude(await rotateEndpoint(await this.open(), {...request, dryRun: flags['dry-run']}));
  }
}
