import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {parseDuration} from '../../cli/input/durations.ts';
import {count} from '../../cli/input/flags.ts';
import {DEFAULT_PORT} from '../../cli/runtime/sandbox-port.ts';
import {withStore} from '../../cli/sandbox/start-options.ts';

export default class SandboxStart extends RemitCommand {
  static override summary = 'Start the sandbox: the whole service, on this machine';
  static override description =
    'Runs until Ctrl-C, SIGTERM or `sandbox stop`, shows each request, and makes the profile "sandbox". It listens on loopback, accepts only keys that it issued, and moves no real money.';
  static override examples = [
    '<%= config.bin %> sandbox start',
    '<%= config.bin %> sandbox start --detach --balance 5000.00',
    '<%= config.bin %> sandbox start --port 0 --fresh -o ndjson',
    '<%= config.bin %> sandbox start --store postgres://localhost/sandbox',
  ];
  static override flags = {
    port: count(0, 65_535)({default: DEFAULT_PORT, description: '0 takes a free one'}),
    detach: Flags.boolean({description: 'stay running after this command ends'}),
    fresh: Flags.boolean({description: 'a store of its own, thrown away at the end'}),
    store: Flags.string({
      helpValue: 'postgres://…',
      exclusive: ['fresh'],
      description: 'PostgreSQL address, or - to read it from stdin (default: a file)',
    }),
    timing: Flags.option({
      options: ['fast', 'instant', 'real'] as const,
      default: 'fast' as const,
      description: 'the simulated bank takes seconds, no time, or its real hours and days',
    })(),
    seed: Flags.string({helpValue: 'TEXT', description: 'same seed, same calls: same ids and keys'}),
    balance: Flags.string({
      helpValue: '5000.00',
      description: 'USD in each main account of a new or reset sandbox',
    }),
    'freeze-at': Flags.string({
      helpValue: 'TIME',
      description: "a new sandbox's clock stands still here and moves by `sandbox advance`",
    }),
    clock: Flags.string({
      helpValue: 'MODE',
      description: 'real, frozen, or accelerated:60 (a minute a second); else as it was',
    }),
    'no-magic-amounts': Flags.boolean({description: 'amounts such as 55.01 mean nothing special'}),
    'async-initiation': Flags.option({
      options: ['test', 'live', 'both'] as const,
      description: 'entities whose account transfers go on after a 202',
    })(),
    'settle-move-207': Flags.boolean({description: 'a move that answers 207 is SETTLED, not CREATED'}),
    'private-receivers': Flags.boolean({
      description: 'deliver webhooks to private addresses too',
    }),
    'strict-idempotency': Flags.boolean({
      description: 'another body under a used key: 409, not the first record',
    }),
    'idempotency-ttl': Flags.custom<number>({
      helpValue: 'TIME',
      description: 'forget idempotency keys after this long (default never)',
      parse: async (text) => parseDuration(text, '--idempotency-ttl'),
    })(),
  };

  async run() {
    const {flags: typed} = await this.parse(SandboxStart);
    const local = this.openLocal();
    const flags = await withStore(typed, local);
    if (flags.detach) {
      const {startDetached} = await import('../../cli/sandbox/detach.ts');
      return startDetached(local, flags);
    }
    const {serveSandbox} = await import('../../cli/sandbox/serve.ts');
    return this.conclude(await serveSandbox(local, flags));
  }
}
