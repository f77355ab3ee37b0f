import {RemitCommand} from '../../../cli/core/command.ts';
import {idArg} from '../../../cli/input/global-flags.ts';
import {callControl} from '../../../cli/sandbox/control.ts';
import {sandboxCommand} from '../../../cli/sandbox/target.ts';
import {RemitError} from '../../../errors.ts';
import {must} from '../../../narrow.ts';
import {deliveryView} from '../../../output/views/deliveries.ts';
import {cleanLine} from '../../../sanitize/harmful.ts';
import type {DeliveryRecord} from '../../../sandbox/base/shown-records.ts';

export default class SandboxDeliveriesRedeliver extends RemitCommand {
  static override summary = 'Send a delivery again now, with the same bytes and a new timestamp';
  static override description = 'Scheduled retries are kept unless this attempt succeeds.';
  static override args = {id: idArg('delivery')};
  static override examples = [
    '<%= config.bin %> sandbox deliveries redeliver 019b76da-a800-7000-8235-80d251bba0e9',
  ];

  async run() {
    const {args} = await this.parse(SandboxDeliveriesRedeliver);
    const local = this.openLocal();
    const path = `/sandbox/deliveries/${encodeURIComponent(args.id)}/redeliver` as const;
    const delivery = await callControl<DeliveryRecord>(local, 'POST', path, {});
    const {status, error} = must(delivery.attempts.at(-1), 'attempt that was just made');
    if (status === null || status < 200 || status > 299)
      throw new RemitError(
        'UNAVAILABLE',
        cleanLine(`${delivery.url} did not accept the delivery: ${error ?? `status ${status}`}`),
        {
          hint: sandboxCommand(local, 'deliveries', 'show', delivery.id),
        },
      );
    local.out.record(delivery, deliveryView);
    return delivery;
  }
}
