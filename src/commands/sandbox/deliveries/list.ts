import {Flags} from '@oclif/core';
import {RemitCommand} from '../../../cli/core/command.ts';
import {inGroup} from '../../../cli/input/flags.ts';
import {count} from '../../../cli/input/global-flags.ts';
import {callControl} from '../../../cli/sandbox/control.ts';
import {sandboxCommand} from '../../../cli/sandbox/target.ts';
import {deliveryView} from '../../../output/views/deliveries.ts';

const USUAL_LIMIT = 50;
/** Deliveries in one answer of the sandbox. */
const MOST_A_PAGE = 1000;

export default class SandboxDeliveriesList extends RemitCommand {
  static override summary = 'List the webhook deliveries of the running sandbox, newest first';
  static override examples = [
    '<%= config.bin %> sandbox deliveries list',
    '<%= config.bin %> sandbox deliveries list --state failed --all -o id',
  ];
  static override flags = {
    state: Flags.option({
      options: ['pending', 'sending', 'delivered', 'failed', 'dropped', 'canceled'] as const,
      description: 'only deliveries in this state',
    })(),
    event: Flags.string({helpValue: 'payout.settled', description: 'only this event type'}),
    endpoint: Flags.string({helpValue: 'ID', description: 'only deliveries to this endpoint'}),
    ...inGroup('PAGING', {
      limit: count(1, 1_000_000_000)({description: `maximum number of deliveries (default ${USUAL_LIMIT})`}),
      all: Flags.boolean({description: 'fetch all deliveries', exclusive: ['limit']}),
      'page-size': count(
        1,
        MOST_A_PAGE,
      )({description: `maximum deliveries per request (default ${MOST_A_PAGE})`}),
      before: Flags.string({helpValue: 'ID', description: 'only deliveries older than this one'}),
    }),
  };

  async run() {
    const {flags} = await this.parse(SandboxDeliveriesList);
    const local = this.openLocal();
    const {state, event, endpoint, all, limit, 'page-size': pageSize = MOST_A_PAGE} = flags;
    const filters = Object.entries({state, event, endpoint}).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    );
    const asked = all ? Infinity : (limit ?? USUAL_LIMIT);
    let {before} = flags;
    let mayHaveMore = true;
    async function* deliveries() {
      for (let left = asked; left > 0 && mayHaveMore;) {
        const size = Math.min(left, pageSize);
        const query = new URLSearchParams([...filters, ['limit', String(size)]]);
        if (before !== undefined) query.set('before', before);
        const path = `/sandbox/deliveries?${query.toString()}` as const;
        const {data} = await callControl<{data: {id: string}[]}>(local, 'GET', path);
        yield* data;
        left -= data.length;
        before = data.at(-1)?.id ?? before;
        mayHaveMore = data.length === size;
      }
    }
    const shown = await local.out.list(deliveries(), deliveryView);
    if (!mayHaveMore || before === undefined || local.out.closed) return;
    local.out.note(
      `More deliveries may exist; ${shown === 1 ? '1 is' : `${shown} are`} shown. Use --all to fetch all of them, or continue with:`,
    );
    const same = filters.flatMap(([name, value]) => [`--${name}`, value]);
    const limited = limit === undefined ? [] : ['--limit', String(limit)];
    local.out.hint(sandboxCommand(local, 'deliveries', 'list', ...same, ...limited, '--before', before));
  }
}
