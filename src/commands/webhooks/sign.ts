import {Args, Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {signatureFormInForce} from '../../cli/core/service-in-force.ts';
import {readPayload} from '../../cli/webhooks/verify/payload.ts';
import {readSecrets, secretFlags} from '../../cli/webhooks/secrets.ts';
import {signPayload} from '../../cli/webhooks/verify/sign.ts';

export default class WebhooksSign extends RemitCommand {
  static override summary = 'Sign a payload and print the two headers';
  static override examples = [
    '<%= config.bin %> webhooks sign @body.json --secret-from hook.secret',
    '<%= config.bin %> webhooks sign - --timestamp 1770000000 < body.json',
  ];
  static override args = {
    payload: Args.string({required: true, description: '@FILE, or - for stdin; signed byte for byte'}),
  };
  static override flags = {
    timestamp: Flags.string({
      helpValue: 'TS',
      description: 'timestamp to send as given (default: now, in Unix seconds)',
    }),
    ...secretFlags,
  };

  async run() {
    const {args, flags} = await this.parse(WebhooksSign);
    const local = this.openLocal();
    const body = await readPayload(local, args.payload);
    const signed = signPayload(local, body, await readSecrets(local, flags), {
      timestamp: flags.timestamp,
      form: signatureFormInForce(local, this.project),
    });
    local.out.text(
      Object.entries(signed.headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join('\n'),
    );
    return signed;
  }
}
