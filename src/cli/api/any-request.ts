import type {Commands} from '../line/command-line.ts';
import {answeredRecord} from '../../client/answers/record.ts';
import type {Json} from '../../narrow.ts';

/** A request that was typed. */
interface Typed {
  method: string;
  path: string;
  isRaw: boolean;
}

/** The command that shows whether a write took effect. */
export const readCommand = (commands: Commands, {method, path, isRaw}: Typed): string =>
  commands.read('api', 'GET', readPath(method, path), ...(isRaw ? ['--raw'] : []));

/** The path of the write itself, or that of the record it acts on. */
function readPath(method: string, path: string): string {
  const [route = ''] = path.split('?');
  return method === 'POST'
    ? route.replace(/\/[a-z-]+$/, (verb, at: number) => (isId(route, at) ? '' : verb))
    : route;
}

/** Whether the segment before a verb is an id: `/api/payouts/{id}/approve`. */
const isId = (route: string, verbAt: number): boolean => /\/[^/\d]*\d[^/]*$/.test(route.slice(0, verbAt));

/** The effect of an accepted write, for an error that may follow. */
export function effectOf(
  data: Json,
  typed: Typed,
  {idempotencyKey, commands}: {idempotencyKey: string | undefined; commands: Commands},
) {
  const {method, path} = typed;
  const {id = null, status = null} = answeredRecord(data);
  return {
    ...{noun: `request ${method} ${path}`, done: 'was accepted', idempotencyKey},
    ...{id, status},
    next: readCommand(commands, typed),
  };
}
