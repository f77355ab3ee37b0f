import {Args, Flags} from '@oclif/core';
import {RemitCommand} from '../../../cli/core/command.ts';
import {parseDuration} from '../../../cli/input/durations.ts';
import {count} from '../../../cli/input/flags.ts';
import {callControl} from '../../../cli/sandbox/control.ts';
import {FAULT_KINDS, readFault} from '../../../cli/sandbox/fault-flags.ts';
import {sandboxCommand} from '../../../cli/sandbox/target.ts';
import {faultView} from '../../../output/views/sandbox.ts';

const duration = (description: string) =>
  Flags.custom<number>({
    helpValue: 'TIME',
    description,
    parse: async (text, _context, flag) => parseDuration(text, `--${flag.name}`),
  })();

export default class SandboxFaultsAdd extends RemitCommand {
  static override summary = 'Make the running sandbox misbehave, to see what happens then';
  static override description = '`drop` and the effects after it apply to webhook deliveries.';
  static override args = {
    effect: Args.string({required: true, options: [...FAULT_KINDS], description: 'what goes wrong'}),
  };
  static override examples = [
    '<%= config.bin %> sandbox faults add reset --after --operation payouts.create --times 1',
    '<%= config.bin %> sandbox faults add status --status 429 --retry-after 3 --probability 0.1',
    '<%= config.bin %> sandbox faults add latency --delay 2s --method GET',
    '<%= config.bin %> sandbox faults add duplicate --event payout.settled',
  ];
  static override flags = {
    operation: Flags.string({helpValue: 'payouts.create', description: 'only this operation'}),
    method: Flags.string({helpValue: 'POST', description: 'only this method'}),
    path: Flags.string({helpValue: '/api/payouts', description: 'only paths with this prefix'}),
    mode: Flags.option({
      options: ['test', 'live'] as const,
      description: 'only keys of this mode',
    })(),
    event: Flags.string({helpValue: 'payout.settled', description: 'deliveries: only this event type'}),
    endpoint: Flags.string({helpValue: 'ID', description: 'deliveries: only to this endpoint'}),
    nth: count(1, 1_000_000_000)({description: 'only the n-th that matches'}),
    'after-reads': count(1, 1_000_000)({description: 'only GETs after the first N of the same path'}),
    times: count(1, 1_000_000_000)({description: 'stop after N matches'}),
    probability: Flags.string({helpValue: '0.1', description: 'with this probability, 0 to 1'}),
    after: Flags.boolean({description: 'status, reset: after the request took effect'}),
    status: count(400, 599)({description: 'status: which one (default 503)'}),
    'retry-after': count(0, 86_400)({description: 'status: seconds to wait'}),
    delay: duration(
      'latency: how long (default 1s); slow: until it is whole (10s); delay (10s); reorder (at most, 5s)',
    ),
    jitter: duration('latency, delay: up to this much more'),
    sigma: Flags.string({
      helpValue: '0.5',
      exclusive: ['jitter'],
      description: 'latency: log-normal, --delay its median',
    }),
    age: duration('stale-timestamp: how old (default 1h)'),
    field: Flags.string({helpValue: 'rail', description: 'unknown-value: where (default rail)'}),
    value: Flags.string({helpValue: 'TEXT', description: 'unknown-status, unknown-value: which'}),
    drop: Flags.string({helpValue: 'id,status', description: 'missing-fields: which (default id)'}),
  };

  async run() {
    const {args, flags} = await this.parse(SandboxFaultsAdd);
    const local = this.openLocal();
    const rule = await callControl(local, 'POST', '/sandbox/faults', readFault(args.effect, flags));
    local.out.record(rule, faultView);
    local.out.hint(sandboxCommand(local, 'faults', 'clear'));
    return rule;
  }
}
