import {Flags} from '@oclif/core';
import {RemitCommand} from '../../../cli/core/command.ts';
import {parseDuration} from '../../../cli/input/durations.ts';
import {count} from '../../../cli/input/flags.ts';
import {inspectRecord} from '../../../cli/webhooks/inspect-action.ts';
import {secretFlags} from '../../../cli/webhooks/secrets.ts';

export default class WebhooksEventsInspect extends RemitCommand {
  static override summary = 'Serve a page that shows the recorded deliveries';
  static override description =
    'The page of `webhooks listen --ui`, without a listener or beside one. It is served on this machine only, opens with the printed address, and ends with Ctrl-C.';
  static override examples = [
    '<%= config.bin %> webhooks events inspect',
    '<%= config.bin %> webhooks events inspect --forward-to 3000/hook --secret-from hook.secret',
  ];
  static override flags = {
    port: count(0, 65_535)({default: 0, description: '0 takes a free one'}),
    'forward-to': Flags.string({
      helpValue: 'TARGET',
      description: 'where replays go unless another address is typed: a port, path, host or URL',
    }),
    'allow-external': Flags.boolean({description: 'replay to addresses that are not on this machine, too'}),
    ...secretFlags,
    timeout: Flags.custom<number>({
      helpValue: 'TIME',
      description: 'how long a replay waits for the answer (default 10s)',
      parse: async (text) => parseDuration(text, '--timeout'),
    })(),
  };

  async run() {
    const {flags} = await this.parse(WebhooksEventsInspect);
    this.exitWith(await inspectRecord(this.openLocal(), flags));
  }
}
