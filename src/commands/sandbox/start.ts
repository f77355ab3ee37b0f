import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {hintFreePort} from '../../cli/sandbox/start/again.ts';
import {inGroup, rarely} from '../../cli/input/flags.ts';
import {count, duration} from '../../cli/input/global-flags.ts';
import {DEFAULT_PORT} from '../../cli/runtime/sandbox-port.ts';
import {BANK_DIALECT_NAMES} from '../../sandbox/base/bank-dialect.ts';
import {withStore} from '../../cli/sandbox/start/options.ts';

export default class SandboxStart extends RemitCommand {
  static override summary = 'Start the sandbox: a local copy of the whole service';
  static override description =
    'Runs until Ctrl-C, SIGTERM or `sandbox stop`, shows each request, and creates the profile "sandbox". It listens on loopback, accepts only its own keys, and moves no real money.';
  static override examples = [
    '<%= config.bin %> sandbox start',
    '<%= config.bin %> sandbox start --detach --balance 5000.00',
    '<%= config.bin %> sandbox start --port 0 --fresh -o ndjson',
    '<%= config.bin %> sandbox start --store postgres://localhost/sandbox',
  ];
  static override flags = {
    port: count(0, 65_535)({default: DEFAULT_PORT, description: 'port to listen on; 0 picks a free one'}),
    detach: Flags.boolean({description: 'keep running in the background'}),
    fresh: Flags.boolean({description: 'use a temporary store, deleted on exit'}),
    store: Flags.string({
      helpValue: 'postgres://…',
      exclusive: ['fresh'],
      description: 'PostgreSQL address, or - to read it from stdin (default: a file)',
    }),
    timing: Flags.option({
      options: ['fast', 'instant', 'real'] as const,
      default: 'fast' as const,
      description: 'speed of the simulated bank: seconds, none, or real hours and days',
    })(),
    service: Flags.string({
      helpValue: 'FILE',
      description:
        'behave like the service that this service file describes: its routes, fields, errors and headers',
    }),
    seed: Flags.string({
      helpValue: 'TEXT',
      description: 'the same seed and calls give the same ids and keys',
    }),
    balance: Flags.string({
      helpValue: '5000.00',
      description: 'USD balance of each main account in a new or reset sandbox',
    }),
    ...inGroup('CLOCK', {
      'freeze-at': Flags.string({
        helpValue: 'TIME',
        description: 'freeze the clock of a new sandbox at this time; `sandbox advance` moves it',
      }),
      clock: Flags.string({
        helpValue: 'MODE',
        description: 'real, frozen, or accelerated:60 (a minute per second); default: unchanged',
      }),
    }),
    ...inGroup('SIMULATION', {
      'no-magic-amounts': Flags.boolean({description: 'treat magic amounts as ordinary ones'}),
      'bank-dialect': Flags.option({
        options: BANK_DIALECT_NAMES,
        helpValue: 'NAME',
        description: 'texts of bank lines (default id)',
      })(),
      'private-receivers': Flags.boolean({
        description: 'also deliver webhooks to private addresses',
      }),
    }),
    ...rarely('SIMULATION', {
      'strict-idempotency': Flags.boolean({
        description: 'answer 409 if a used key has another body',
      }),
      'idempotency-ttl': duration({description: 'forget idempotency keys after this long (default never)'}),
      'strict-auto-approve': Flags.boolean({
        description: 'the same, also if only auto_approve differs',
      }),
      'async-initiation': Flags.option({
        options: ['test', 'live', 'both'] as const,
        description: 'entities whose account transfers get 202',
      })(),
      'settle-move-207': Flags.boolean({
        description: 'moves answered with 207 are SETTLED instead of CREATED',
      }),
    }),
  };

  async run() {
    const {flags: typed} = await this.parse(SandboxStart);
    const local = this.openLocal();
    const flags = await withStore(typed, local);
    try {
      if (flags.detach) {
        const {startDetached} = await import('../../cli/sandbox/start/detach.ts');
        return await startDetached(local, flags);
      }
      const {serveSandbox} = await import('../../cli/sandbox/start/serve.ts');
      return this.conclude(await serveSandbox(local, flags));
    } catch (error) {
      throw hintFreePort(error, this.typed, flags.store);
    }
  }
}
