import {Flags} from '@oclif/core';
import {RemitCommand} from '../../../cli/core/command.ts';
import {count} from '../../../cli/input/global-flags.ts';
import {callControl} from '../../../cli/sandbox/control.ts';
import {sandboxCommand} from '../../../cli/sandbox/target.ts';
import {deliveryView} from '../../../output/views/deliveries.ts';

export default class SandboxDeliveriesList extends RemitCommand {
  static override summary = 'List the webhook deliveries of the running sandbox, newest first';
  static override examples = [
    '<%= config.bin %> sandbox deliveries list',
    '<%= config.bin %> sandbox deliveries list --state failed -o id',
  ];
  static override flags = {
    state: Flags.option({
      options: ['pending', 'sending', 'delivered', 'failed', 'dropped', 'canceled'] as const,
      description: 'only deliveries in this state',
    })(),
    event: Flags.string({helpValue: 'payout.settled', description: 'only this event type'}),
    endpoint: Flags.string({helpValue: 'ID', description: 'only deliveries to this endpoint'}),
    before: Flags.string({helpValue: 'ID', description: 'only deliveries older than this one'}),
    limit: count(1, 1000)({default: 50, description: 'maximum number of deliveries'}),
  };

  async run() {
    const {flags} = await this.parse(SandboxDeliveriesList);
    const local = this.openLocal();
    const {state, event, endpoint, before, limit} = flags;
    const asked = Object.entries({state, event, endpoint, limit: String(limit), before}).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    );
    const query = new URLSearchParams(asked);
    const path = `/sandbox/deliveries?${query.toString()}` as const;
    const {data} = await callControl<{data: {id: string}[]}>(local, 'GET', path);
    await local.out.list(data, deliveryView);
    const last = data.at(-1);
    if (data.length < limit || !last) return;
    const shown = data.length === 1 ? '1 is shown' : `${data.length} are shown`;
    local.out.note(`More deliveries may exist; ${shown}. Continue with:`);
    const same = asked.filter(([name]) => name !== 'before').flatMap(([name, value]) => [`--${name}`, value]);
    local.out.hint(sandboxCommand(local, 'deliveries', 'list', ...same, '--before', last.id));
  }
}
