import {EXIT, type ExitCode} from '../../../errors.ts';
import {RecordReader} from '../../../webhooks/record/reader.ts';
import {collect, type RecordedDelivery} from '../../../webhooks/record/state.ts';
import type {LocalContext} from '../../core/context.ts';
import {eventRow} from './filters.ts';
import {deliveryText, idLines} from '../listen/view.ts';
import {recordFolder} from '../place.ts';

/** Shows the last deliveries that match the filter, then each new one, until the signal to stop or a closed pipe. */
export async function tailRecord(
  local: LocalContext,
  passes: (recorded: RecordedDelivery) => boolean,
  lines: number,
): Promise<ExitCode> {
  const {out, clock, stop} = local;
  const show = (recorded: RecordedDelivery) =>
    out.settings.format === 'ndjson'
      ? out.event(eventRow(recorded))
      : void out.texts([deliveryText(recorded.delivery, out), ...idLines(recorded.delivery, out)]);
  const reader = new RecordReader(recordFolder(local));
  const before = [...collect(reader.more()).values()].filter(passes);
  for (const recorded of lines === 0 ? [] : before.slice(-lines)) await show(recorded);
  for await (const entry of reader.follow(clock, stop.signal)) {
    if (out.closed) return EXIT.OK;
    if (entry.kind !== 'delivery') continue;
    const recorded = {delivery: entry.delivery, targets: new Map()};
    if (passes(recorded)) await show(recorded);
  }
  return stop.reason?.exitCode ?? EXIT.OK;
}
