import {DEFAULT_TIMEOUTS, type Timeouts} from '../../client/transport/transport.ts';
import type {Context} from '../core/context.ts';

/** The time limits of one request, with `--request-timeout`. */
export function timeoutsOf(context: Context): Timeouts {
  const totalMs = context.flags['request-timeout'];
  return totalMs === undefined ? DEFAULT_TIMEOUTS : {...DEFAULT_TIMEOUTS, totalMs};
}
