import {Args, Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {signatureFormInForce} from '../../cli/core/service-in-force.ts';
import {inGroup} from '../../cli/input/flags.ts';
import {readNamedSecrets} from '../../cli/webhooks/secrets.ts';
import {parseMoment} from '../../cli/webhooks/events/moment.ts';
import {readCandidates, verifyCandidate} from '../../cli/webhooks/verify/action.ts';
import {concludeVerify} from '../../cli/webhooks/verify/conclusion.ts';
import {verifyFlags} from '../../cli/webhooks/verify/flags.ts';

export default class WebhooksVerify extends RemitCommand {
  static override summary = 'Verify the signature of a webhook and explain a mismatch';
  static override description =
    'Takes a payload with its headers, the id of a recorded delivery or event (its last delivery), or lines of `webhooks listen -o ndjson` on stdin. Names the secret that matched, or those that were tried. Exits 14 if a signature does not verify. Freshness is checked against the time of receipt, if known.';
  static override examples = [
    '<%= config.bin %> webhooks verify @body.json --signature fef969… --timestamp 1770000000',
    '<%= config.bin %> webhooks verify dlv_019b76daa800000012345678',
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
      description: 'check freshness at this time (ISO 8601) instead of now or the time of receipt',
      parse: async (text) => parseMoment(text, '--at'),
    })(),
    ...inGroup('SIGNATURE', verifyFlags),
  };

  async run() {
    const {args, flags} = await this.parse(WebhooksVerify);
    const local = this.openLocal();
    const request = {...flags, form: signatureFormInForce(local, this.project)};
    const candidates = await readCandidates(local, {source: args.payload, atMs: flags.at, ...request});
    const secrets = await readNamedSecrets(local, flags);
    return this.conclude(
      concludeVerify(
        local,
        candidates.map((one) => verifyCandidate(one, secrets, request)),
        request,
      ),
    );
  }
}
