import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {parseDuration} from '../../cli/input/durations.ts';
import {count, eventTypesFlag} from '../../cli/input/flags.ts';
import {checkListenFlags} from '../../cli/webhooks/listen-options.ts';
import {sizeFlag} from '../../cli/webhooks/size-flag.ts';
import {verifyFlags} from '../../cli/webhooks/verify-flags.ts';

const duration = (name: string, description: string, helpGroup?: string) =>
  Flags.custom<number>({
    ...(helpGroup === undefined ? {} : {helpGroup}),
    helpValue: 'TIME',
    description,
    parse: async (text) => parseDuration(text, `--${name}`),
  })();
const FORWARDING = {helpGroup: 'FORWARDING'};

export default class WebhooksListen extends RemitCommand {
  static override summary = 'Receive webhooks on this machine: verify, record, show and forward them';
  static override description =
    'A local server. Ctrl-C finishes what is under way; a second one stops at once.';
  static override examples = [
    '<%= config.bin %> webhooks listen --register --tls',
    '<%= config.bin %> webhooks listen --port 4600 --secret-from hook.secret --forward-to 3000/hook',
    '<%= config.bin %> webhooks listen --register --tls --expect payout.settled --match payout_id=5f0c --timeout 60s',
  ];
  static override flags = {
    port: count(0, 65_535)({default: 4600, description: '0 takes a free one'}),
    host: Flags.string({default: '127.0.0.1', helpValue: 'ADDRESS', description: 'address to listen on'}),
    path: Flags.string({default: '/', helpValue: 'PATH', description: 'the only path that takes webhooks'}),
    tls: Flags.boolean({description: 'https, certified by the local authority'}),
    register: Flags.boolean({description: 'create an endpoint; delete it at the end'}),
    'public-url': Flags.string({
      helpValue: 'https://…',
      description: 'register the address of your own tunnel',
    }),
    'secret-file': Flags.string({
      helpValue: 'FILE',
      description: 'write the secret of --register there',
    }),
    ui: Flags.boolean({description: 'serve a page that shows deliveries live'}),
    'ui-port': count(0, 65_535)({description: 'its port (default: a free one)'}),
    events: eventTypesFlag({
      description: 'only these; payout.* is a pattern',
    }),
    'allow-unverified': Flags.boolean({description: 'accept what does not verify, and mark it'}),
    expand: Flags.boolean({description: 'read and show the object of each event'}),
    ...verifyFlags,
    'max-body': sizeFlag({description: 'largest body (default 1MB)'}),
    'no-record': Flags.boolean({description: 'do not write deliveries to disk'}),
    'max-record-size': sizeFlag({description: 'bound of the record (default 256MB)'}),
    'max-record-age': duration('max-record-age', 'prune what is older (default 30d)'),
    'forward-to': Flags.string({
      ...FORWARDING,
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'TARGET',
      description: 'a port, path, host or URL',
    }),
    route: Flags.string({
      ...FORWARDING,
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'PATTERN=TARGET',
      description: 'forward these types there',
    }),
    'allow-external': Flags.boolean({
      ...FORWARDING,
      description: 'also to other machines',
    }),
    'forward-attempts': count(1, 50)({...FORWARDING, default: 5, description: 'attempts before giving up'}),
    'forward-concurrency': count(
      1,
      1000,
    )({...FORWARDING, default: 10, description: 'requests at once to one target'}),
    'forward-timeout': duration('forward-timeout', 'for one forward (default 30s)', 'FORWARDING'),
    'max-backlog': count(
      1,
      1_000_000,
    )({
      ...FORWARDING,
      default: 1000,
      description: 'waiting deliveries; beyond: 503',
    }),
    ordered: Flags.boolean({
      ...FORWARDING,
      description: 'one at a time, in order of arrival',
    }),
    resign: Flags.string({
      ...FORWARDING,
      helpValue: 'FILE',
      description: 'sign again, with the secret in FILE',
    }),
    respond: Flags.option({
      ...FORWARDING,
      options: ['at-once', 'downstream'] as const,
      default: 'at-once' as const,
      description: 'when, and with what status',
    })(),
    'show-response': Flags.boolean({...FORWARDING, description: 'show what targets answer'}),
    'no-health-check': Flags.boolean({...FORWARDING, description: 'do not watch whether targets are there'}),
    expect: Flags.string({
      helpValue: 'TYPE',
      description: 'exit 0 once this arrived, 10 if not',
    }),
    match: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'FIELD=VALUE',
      description: '…and its data has this value',
    }),
    timeout: duration('timeout', 'end after this long'),
  };

  async run() {
    const {flags} = await this.parse(WebhooksListen);
    checkListenFlags(flags);
    const context = flags.register || flags.expand ? await this.open() : undefined;
    const {listen} = await import('../../cli/webhooks/listen-action.ts');
    return this.conclude(await listen(this.openLocal(), context, flags));
  }
}
