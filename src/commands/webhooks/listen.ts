import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {signatureFormInForce} from '../../cli/core/service-in-force.ts';
import {eventTypesFlag, inGroup, rarely} from '../../cli/input/flags.ts';
import {count, duration} from '../../cli/input/global-flags.ts';
import {checkListenFlags} from '../../cli/webhooks/listen/options.ts';
import {sizeFlag} from '../../cli/input/size-flag.ts';
import {secretFlags} from '../../cli/webhooks/secrets.ts';
import {formFlags} from '../../cli/webhooks/verify/flags.ts';

export default class WebhooksListen extends RemitCommand {
  static override summary = 'Receive webhooks on this machine: verify, record, show and forward them';
  static override description =
    'Runs a local server. Ctrl-C finishes the requests in progress; a second Ctrl-C stops at once.';
  static override examples = [
    '<%= config.bin %> webhooks listen --register --tls',
    '<%= config.bin %> webhooks listen --port 4600 --secret-from hook.secret --forward-to 3000/hook',
    '<%= config.bin %> webhooks listen --register --tls --expect payout.settled --match payout_id=5f0c --timeout 60s',
  ];
  static override flags = {
    port: count(0, 65_535)({default: 4600, description: 'port to listen on; 0 picks a free one'}),
    tls: Flags.boolean({description: 'use https with a certificate of the local authority'}),
    events: eventTypesFlag({
      description: 'only these event types; may contain patterns such as payout.*',
    }),
    expand: Flags.boolean({description: 'fetch and show the record of each event'}),
    ui: Flags.boolean({description: 'serve a page that shows deliveries live'}),
    ...rarely('', {
      host: Flags.string({default: '127.0.0.1', helpValue: 'ADDRESS', description: 'address to listen on'}),
      path: Flags.string({default: '/', helpValue: 'PATH', description: 'accept webhooks on this path only'}),
      'ui-port': count(0, 65_535)({description: 'port of the page of --ui (default: a free one)'}),
    }),
    ...inGroup('REGISTRATION', {
      register: Flags.boolean({description: 'create an endpoint and delete it on exit'}),
      'public-url': Flags.string({
        helpValue: 'https://…',
        description: 'URL of your tunnel, to register',
      }),
      'secret-file': Flags.string({
        helpValue: 'FILE',
        description: 'write the secret of --register to this file',
      }),
    }),
    ...inGroup('VERIFICATION', {
      'secret-from': secretFlags['secret-from'],
      'allow-unverified': Flags.boolean({description: 'accept unverified deliveries and mark them'}),
    }),
    ...rarely('VERIFICATION', {
      'secret-encoding': secretFlags['secret-encoding'],
      ...formFlags,
      'max-body': sizeFlag({description: 'maximum body size (default 1MB)'}),
    }),
    ...inGroup('FORWARDING', {
      'forward-to': Flags.string({
        multiple: true,
        multipleNonGreedy: true,
        helpValue: 'TARGET',
        description: 'forward to a port, path, host or URL',
      }),
      route: Flags.string({
        multiple: true,
        multipleNonGreedy: true,
        helpValue: 'PATTERN=TARGET',
        description: 'forward these types to this target',
      }),
      ordered: Flags.boolean({
        description: 'forward one at a time, in order of arrival',
      }),
      'show-response': Flags.boolean({description: 'show the answers of targets'}),
    }),
    ...rarely('FORWARDING', {
      'allow-external': Flags.boolean({
        description: 'allow targets on other machines',
      }),
      'forward-attempts': count(1, 50)({default: 5, description: 'attempts before giving up'}),
      'forward-concurrency': count(1, 1000)({default: 10, description: 'concurrent requests per target'}),
      'forward-timeout': duration({description: 'time limit for each forward (default 30s)'}),
      'max-backlog': count(
        1,
        1_000_000,
      )({
        default: 1000,
        description: 'maximum number of waiting deliveries; beyond it, answer 503',
      }),
      resign: Flags.string({
        helpValue: 'FILE',
        description: 'sign again with the secret in FILE',
      }),
      respond: Flags.option({
        options: ['at-once', 'downstream'] as const,
        default: 'at-once' as const,
        description: 'when to answer, and with which status',
      })(),
      'no-health-check': Flags.boolean({description: 'do not check that targets are reachable'}),
    }),
    ...rarely('RECORD', {
      'no-record': Flags.boolean({description: 'do not write deliveries to disk'}),
      'max-record-size': sizeFlag({description: 'maximum size of the record (default 256MB)'}),
      'max-record-age': duration({description: 'prune older deliveries (default 30d)'}),
    }),
    ...inGroup('TEST', {
      expect: Flags.string({
        helpValue: 'TYPE',
        description: 'exit 0 once this event arrives, 10 if it does not',
      }),
      match: Flags.string({
        multiple: true,
        multipleNonGreedy: true,
        helpValue: 'FIELD=VALUE',
        description: "with --expect: the event's data must have this value",
      }),
      timeout: duration({description: 'stop after this time'}),
    }),
  };

  async run() {
    const {flags} = await this.parse(WebhooksListen);
    checkListenFlags(flags);
    const context = flags.register || flags.expand ? await this.open() : undefined;
    const {listen} = await import('../../cli/webhooks/listen/action.ts');
    const local = this.openLocal();
    return this.conclude(
      await listen(local, context, {...flags, form: signatureFormInForce(local, this.project)}),
    );
  }
}
