import {Args, Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {readSecrets} from '../../cli/webhooks/secrets.ts';
import {parseMoment} from '../../cli/webhooks/moment.ts';
import {concludeVerify, readCandidates, verifyCandidate} from '../../cli/webhooks/verify-action.ts';
import {verifyFlags} from '../../cli/webhooks/verify-flags.ts';

export default class WebhooksVerify extends RemitCommand {
  static override summary = 'Verify the signature of a webhook, and say why it does not match';
  static override description =
    'Takes a payload with its headers, a delivery of the record by its id, or lines of `webhooks listen -o ndjson` on stdin. Ends with 14 when a signature does not verify. Freshness is checked for the time of receipt where that is known.';
  static override examples = [
    '<%= config.bin %> webhooks verify @body.json --signature fef969… --timestamp 1770000000',
    '<%= config.bin %> webhooks verify - --headers @headers.txt < body.json',
    '<%= config.bin %> webhooks verify - --secret-from hook.secret < deliveries.ndjson',
  ];
  static override args = {
    payload: Args.string({
      required: true,
      description: '@FILE, - for stdin, or the id of a recorded delivery or event',
    }),
  };
  static override flags = {
    signature: Flags.string({
      helpValue: 'HEX',
      dependsOn: ['timestamp'],
      exclusive: ['headers'],
      description: 'value of X-Webhook-Signature',
    }),
    timestamp: Flags.string({
      helpValue: 'TS',
      dependsOn: ['signature'],
      description: 'value of X-Webhook-Timestamp',
    }),
    headers: Flags.string({
      helpValue: '@FILE',
      description: 'file with the headers: lines of "Name: value", or JSON',
    }),
    at: Flags.custom<number>({
      helpValue: 'TIME',
      description: 'check freshness for this time (ISO 8601), not for now or the time of receipt',
      parse: async (text) => parseMoment(text, '--at'),
    })(),
    ...verifyFlags,
  };

  async run() {
    const {args, flags} = await this.parse(WebhooksVerify);
    const local = this.openLocal();
    const candidates = await readCandidates(local, {source: args.payload, atMs: flags.at, ...flags});
    const secrets = await readSecrets(local, flags);
    return this.conclude(
      concludeVerify(
        local,
        candidates.map((one) => verifyCandidate(one, secrets, flags)),
      ),
    );
  }
}
