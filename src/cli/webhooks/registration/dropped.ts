import {messageOf} from '../../../narrow.ts';
import {counted} from '../../../phrases.ts';
import type {DroppedLine} from '../../../webhooks/delivery/lines.ts';
import type {Context} from '../../core/context.ts';
import {listCanceled} from '../deliveries.ts';

/** Ids in a message; the line `dropped` and the summary have all of them. */
const MOST_NAMED = 20;
/** Ctrl-C has usually ended the listener by then, and its user waits for the process to end. */
const ASK_MS = 3000;

export type DropReason = DroppedLine['reason'];

export interface DropReport {
  url: string;
  onDropped: (line: DroppedLine) => void;
}

/**
 * Names the deliveries that were canceled with an endpoint that is gone: their events are not sent again. If the
 * service does not list deliveries, this says so, but not for an endpoint that its user has ended or deleted. A second
 * Ctrl-C ends the question.
 */
export async function nameDropped(
  context: Context,
  {url, onDropped}: DropReport,
  {id, reason}: {id: string; reason: DropReason},
): Promise<void> {
  const {out, commands} = context;
  let ids: string[] | undefined;
  try {
    const {second} = context.stop.drain();
    ids = await listCanceled(context, id, AbortSignal.any([second, AbortSignal.timeout(ASK_MS)]));
  } catch (error) {
    onDropped({type: 'dropped', endpoint_id: id, reason, deliveries: null});
    out.warn(
      `whether deliveries were dropped with the endpoint ${id} is not known: ${messageOf(error)}. To list them:`,
    );
    out.hint(commands.read('sandbox', 'deliveries', 'list', '--endpoint', id, '--state', 'canceled'));
    return;
  }
  if (ids?.length !== 0) onDropped({type: 'dropped', endpoint_id: id, reason, deliveries: ids ?? null});
  if (ids === undefined) {
    if (reason !== 'ended' && reason !== 'deleted')
      out.warn(
        `whether deliveries waited for the endpoint ${id} of an earlier listener is not known, because the service has no list of them. Any that did were dropped with it, because ${becauseOf(reason, url)}`,
      );
    return;
  }
  const [first] = ids;
  if (first === undefined) return;
  const {length} = ids;
  const named = ids.slice(0, MOST_NAMED).join(', ');
  const more = length > MOST_NAMED ? ` and ${length - MOST_NAMED} more` : '';
  const whose = reason === 'ended' ? `the endpoint ${id}` : `the endpoint ${id} of an earlier listener`;
  out.warn(
    `${counted(length, 'delivery', 'deliveries')} that waited for ${whose} ${length === 1 ? 'was' : 'were'} dropped with it, because ${becauseOf(reason, url)}: ${named}${more}`,
  );
  out.hint(commands.read('sandbox', 'deliveries', 'show', first));
}

function becauseOf(reason: DropReason, url: string): string {
  switch (reason) {
    case 'address':
      return `this listener has another address (${url})`;
    case 'secret':
      return 'its signing secret is lost';
    case 'second':
      return 'this listener uses another endpoint with the same URL';
    case 'deleted':
      return 'the endpoint was deleted at the service';
    case 'ended':
      return 'this listener has ended';
  }
}
