import {routePathOf, RouteTable} from '../../sandbox/api/route-table.ts';
import {controlCalls} from '../../sandbox/control/calls.ts';
import type {ControlRequest} from './control-errors.ts';

/**
 * Whether an answer has the fields that the sandbox sends. More fields, and other values in them, are those of another
 * version; what answers without them is another server.
 */
export async function hasDeclaredShape({method, path}: ControlRequest, json: unknown): Promise<boolean> {
  const table = new RouteTable(controlCalls().map(([, declared]) => ({...declared, target: declared})));
  const [, shape] = table.find(method, routePathOf(`http://localhost${path}`))?.target.ok ?? [200, null];
  if (shape === null) return true;
  const {CONTROL_ANSWERS} = await import('../../sandbox/control/answers.ts'); // it loads zod
  const read = CONTROL_ANSWERS[shape].safeParse(json);
  return read.success || read.error.issues.every(({code}) => code !== 'invalid_type');
}
