import {RemitCommand} from '../../../cli/core/command.ts';
import {idArg} from '../../../cli/input/global-flags.ts';
import {callControl} from '../../../cli/sandbox/control.ts';
import {deliveryView} from '../../../output/views/deliveries.ts';

export default class SandboxDeliveriesShow extends RemitCommand {
  static override summary = 'Show one delivery of the running sandbox: its payload and every attempt';
  static override args = {id: idArg('delivery')};
  static override examples = [
    '<%= config.bin %> sandbox deliveries show 019b76da-a800-7000-8235-80d251bba0e9',
  ];

  async run() {
    const {args} = await this.parse(SandboxDeliveriesShow);
    const local = this.openLocal();
    const delivery = await callControl(local, 'GET', `/sandbox/deliveries/${encodeURIComponent(args.id)}`);
    local.out.record(delivery, deliveryView);
    return delivery;
  }
}
