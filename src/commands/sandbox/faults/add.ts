import {Args, Flags} from '@oclif/core';
import {RemitCommand} from '../../../cli/core/command.ts';
import {COMMAND_OPERATIONS} from '../../../cli/help/command-operations.ts';
import {inGroup} from '../../../cli/input/flags.ts';
import {count, duration} from '../../../cli/input/global-flags.ts';
import {callControl} from '../../../cli/sandbox/control.ts';
import {FAULT_KINDS, readFault} from '../../../cli/sandbox/fault-flags.ts';
import {sandboxCommand} from '../../../cli/sandbox/target.ts';
import {faultView} from '../../../output/views/sandbox.ts';

export default class SandboxFaultsAdd extends RemitCommand {
  static override summary = 'Add a fault to the running sandbox, to test how callers handle it';
  static override description = '`drop` and the effects after it apply to webhook deliveries.';
  static override args = {
    effect: Args.string({required: true, options: [...FAULT_KINDS], description: 'kind of fault'}),
  };
  static override examples = [
    '<%= config.bin %> sandbox faults add reset --after --operation payouts.create --times 1',
    '<%= config.bin %> sandbox faults add status --status 429 --retry-after 3 --probability 0.1',
    '<%= config.bin %> sandbox faults add latency --delay 2s --method GET',
    '<%= config.bin %> sandbox faults add duplicate --event payout.settled',
  ];
  static override flags = {
    times: count(1, 1_000_000_000)({description: 'stop after N matches'}),
    probability: Flags.string({helpValue: '0.1', description: 'probability for each match, 0 to 1'}),
    ...inGroup('MATCH', {
      operation: Flags.string({helpValue: 'payouts.create', description: 'only this operation'}),
      method: Flags.string({helpValue: 'POST', description: 'only this method'}),
      path: Flags.string({helpValue: '/api/payouts', description: 'only paths with this prefix'}),
      mode: Flags.option({
        options: ['test', 'live'] as const,
        description: 'only requests with a key of this mode',
      })(),
      event: Flags.string({helpValue: 'payout.settled', description: 'deliveries: only this event type'}),
      endpoint: Flags.string({helpValue: 'ID', description: 'deliveries: only to this endpoint'}),
      nth: count(1, 1_000_000_000)({description: 'only the Nth match'}),
      'after-reads': count(1, 1_000_000)({description: 'only GETs after the first N of the same path'}),
    }),
    ...inGroup('EFFECT', {
      after: Flags.boolean({description: 'status, reset: let the request take effect first'}),
      status: count(400, 599)({description: 'status: HTTP status to answer (default 503)'}),
      'retry-after': count(0, 86_400)({description: 'status: Retry-After in seconds'}),
      delay: duration({
        description:
          'latency (default 1s); slow: time until the answer is complete (10s); delay (10s); reorder: at most (5s)',
      }),
      jitter: duration({description: 'latency, delay: maximum random extra time'}),
      age: duration({description: 'stale-timestamp: age of the timestamp (default 1h)'}),
      field: Flags.string({helpValue: 'rail', description: 'unknown-value: field to change (default rail)'}),
      value: Flags.string({helpValue: 'TEXT', description: 'unknown-status, unknown-value: value to send'}),
      drop: Flags.string({
        helpValue: 'id,status',
        description: 'missing-fields: fields to leave out (default id)',
      }),
    }),
  };

  async run() {
    const {args, flags} = await this.parse(SandboxFaultsAdd);
    const local = this.openLocal();
    const rule = await callControl(
      local,
      'POST',
      '/sandbox/faults',
      readFault(args.effect, flags, COMMAND_OPERATIONS),
    );
    local.out.record(rule, faultView);
    local.out.hint(sandboxCommand(local, 'faults', 'clear'));
    return rule;
  }
}
