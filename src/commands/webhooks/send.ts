import {Args, Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {RemitError} from '../../errors.ts';
import {shellWord} from '../../shell-word.ts';
import {signatureFormInForce} from '../../cli/core/service-in-force.ts';
import {readPayload} from '../../cli/webhooks/verify/payload.ts';
import {duration} from '../../cli/input/global-flags.ts';
import {readSecrets, secretFlags} from '../../cli/webhooks/secrets.ts';
import {sendSigned, signPayload} from '../../cli/webhooks/verify/sign.ts';

export default class WebhooksSend extends RemitCommand {
  static override summary = 'Sign a body, POST it to a receiver, and show the answer';
  static override description =
    'Exits 0 for a 2XX, 8 for any other answer, and 7 without an answer. Redirects are not followed.';
  static override examples = [
    '<%= config.bin %> webhooks send 3000/hook @body.json --secret-from hook.secret',
    '<%= config.bin %> webhooks send http://localhost:3000/hook - < body.json',
  ];
  static override args = {
    to: Args.string({required: true, description: 'receiver: a port, a port with a path, a host or a URL'}),
    payload: Args.string({required: true, description: '@FILE, or - for stdin; sent byte for byte'}),
  };
  static override flags = {
    timestamp: Flags.string({
      helpValue: 'TS',
      description: 'timestamp to send as given (default: now, in Unix seconds)',
    }),
    header: Flags.string({
      char: 'H',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'NAME: VALUE',
      description: 'extra header; may be repeated',
    }),
    'allow-external': Flags.boolean({description: 'allow an address outside this machine'}),
    timeout: duration({description: 'how long to wait for the answer (default 10s, as the service does)'}),
    ...secretFlags,
  };

  async run() {
    const {args, flags} = await this.parse(WebhooksSend);
    if (args.to.startsWith('@'))
      throw new RemitError(
        'USAGE',
        `${JSON.stringify(args.to)} is not a receiver, which comes before the payload`,
        {
          hint: ['remit', 'webhooks', 'send', args.payload, args.to].map(shellWord).join(' '),
        },
      );
    const local = this.openLocal();
    const body = await readPayload(local, args.payload);
    const signed = signPayload(local, body, await readSecrets(local, flags), {
      timestamp: flags.timestamp,
      form: signatureFormInForce(local, this.project),
    });
    const request = {
      ...{to: args.to, body, header: flags.header ?? []},
      ...{timeoutMs: flags.timeout ?? 10_000, allowExternal: flags['allow-external']},
    };
    return this.conclude(await sendSigned(local, request, signed));
  }
}
