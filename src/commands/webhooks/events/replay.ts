import {Args, Flags} from '@oclif/core';
import {RemitCommand} from '../../../cli/core/command.ts';
import {parseDuration} from '../../../cli/input/durations.ts';
import {eventFilters} from '../../../cli/webhooks/events.ts';
import {replayRecorded} from '../../../cli/webhooks/replay-action.ts';
import {secretFlags} from '../../../cli/webhooks/secrets.ts';

const {type, since, before, verdict, match, failed} = eventFilters;

export default class WebhooksEventsReplay extends RemitCommand {
  static override summary = 'Send recorded deliveries again, and compare with the attempt before';
  static override description =
    'Sends the bytes and headers that arrived, one delivery at a time, to the targets that the listener forwarded to; with --failed only to those where it gave up. Ends with 8 when a delivery that was accepted before is refused now, or one fails that was never sent. Works beside a running listener.';
  static override examples = [
    '<%= config.bin %> webhooks events replay --failed',
    '<%= config.bin %> webhooks events replay dlv_019b76daa800000012345678 --forward-to 3000/hook',
    '<%= config.bin %> webhooks events replay --type "payout.*" --since 1d --resign --secret-from hook.secret',
  ];
  static override args = {
    ids: Args.string({
      multiple: true,
      ignoreStdin: true,
      description: 'deliveries (dlv_…) or events, by id; all that pass the filters when left out',
    }),
  };
  static override flags = {
    failed,
    type,
    since,
    before,
    verdict,
    match,
    'forward-to': Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'TARGET',
      description: 'send there instead: a port, path, host or URL; may be repeated',
    }),
    'allow-external': Flags.boolean({description: 'also to addresses that are not on this machine'}),
    resign: Flags.boolean({description: 'sign again, with the current time'}),
    ...secretFlags,
    timeout: Flags.custom<number>({
      helpValue: 'TIME',
      description: 'how long to wait for an answer (default 10s)',
      parse: async (text) => parseDuration(text, '--timeout'),
    })(),
    'show-response': Flags.boolean({description: 'show what the target answers'}),
  };

  async run() {
    const {args, flags} = await this.parse(WebhooksEventsReplay);
    this.exitWith(await replayRecorded(this.openLocal(), args.ids ?? [], flags));
  }
}
