import {Flags} from '@oclif/core';
import {RemitCommand} from '../../../cli/core/command.ts';
import {signatureFormInForce} from '../../../cli/core/service-in-force.ts';
import {count, duration} from '../../../cli/input/global-flags.ts';
import {inspectRecord} from '../../../cli/webhooks/events/inspect.ts';
import {secretFlags} from '../../../cli/webhooks/secrets.ts';

export default class WebhooksEventsInspect extends RemitCommand {
  static override summary = 'Serve a page that shows the recorded deliveries';
  static override description =
    'The same page as `webhooks listen --ui`, with or without a running listener. It is served on this machine only; open the printed address. Ctrl-C stops it.';
  static override examples = [
    '<%= config.bin %> webhooks events inspect',
    '<%= config.bin %> webhooks events inspect --forward-to 3000/hook --secret-from hook.secret',
  ];
  static override flags = {
    port: count(0, 65_535)({default: 0, description: 'port to listen on (default: a free one)'}),
    'forward-to': Flags.string({
      helpValue: 'TARGET',
      description: 'default target of replays: a port, path, host or URL',
    }),
    'allow-external': Flags.boolean({description: 'allow replays to addresses outside this machine'}),
    ...secretFlags,
    timeout: duration({description: 'how long a replay waits for the answer (default 10s)'}),
  };

  async run() {
    const {flags} = await this.parse(WebhooksEventsInspect);
    const local = this.openLocal();
    this.exitWith(await inspectRecord(local, {...flags, form: signatureFormInForce(local, this.project)}));
  }
}
