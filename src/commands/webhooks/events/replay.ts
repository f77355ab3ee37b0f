import {Args, Flags} from '@oclif/core';
import {RemitCommand} from '../../../cli/core/command.ts';
import {localCommands} from '../../../cli/core/context.ts';
import {signatureFormInForce} from '../../../cli/core/service-in-force.ts';
import {inGroup} from '../../../cli/input/flags.ts';
import {duration} from '../../../cli/input/global-flags.ts';
import {eventFilters} from '../../../cli/webhooks/events/filters.ts';
import {replayRecorded} from '../../../cli/webhooks/events/replay.ts';
import {secretFlags} from '../../../cli/webhooks/secrets.ts';

const {type, since, before, verdict, match, failed} = eventFilters;

export default class WebhooksEventsReplay extends RemitCommand {
  static override summary = 'Send recorded deliveries again and compare the answers';
  static override description =
    'Sends the recorded bytes and headers, one delivery at a time, to the targets that the listener forwarded to; with --failed only to those that did not accept it. Exits 8 if a delivery is not accepted. Works while a listener is running.';
  static override examples = [
    '<%= config.bin %> webhooks events replay --failed',
    '<%= config.bin %> webhooks events replay dlv_019b76daa800000012345678 --forward-to 3000/hook',
    '<%= config.bin %> webhooks events replay --type "payout.*" --since 1d --resign --secret-from hook.secret',
  ];
  static override args = {
    ids: Args.string({
      multiple: true,
      description: 'ids of deliveries (dlv_…) or events (default: all that match the filters)',
    }),
  };
  static override flags = {
    'forward-to': Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'TARGET',
      description: 'target to use instead: a port, path, host or URL; may be repeated',
    }),
    'allow-external': Flags.boolean({description: 'allow addresses outside this machine'}),
    timeout: duration({description: 'how long to wait for an answer (default 10s)'}),
    'show-response': Flags.boolean({description: 'show the answer of the target'}),
    ...inGroup('FILTER', {failed, type, since, before, verdict, match}),
    ...inGroup('SIGNATURE', {
      resign: Flags.boolean({description: 'sign again with the current time'}),
      ...secretFlags,
    }),
  };

  async run() {
    const {args, flags} = await this.parse(WebhooksEventsReplay);
    const local = this.openLocal();
    const form = signatureFormInForce(local, this.project);
    const again = (...add: string[]) => localCommands(local.flags).again(this.typed, {add});
    this.exitWith(await replayRecorded(local, args.ids ?? [], {...flags, form}, again));
  }
}
