import {isObject, type Json} from '../../narrow.ts';

/** Whether a request asks for immediate approval: any value of `auto_approve` that a service may read as yes. */
export function asksForApproval(body: Json): boolean {
  const approve = isObject(body) ? body['auto_approve'] : undefined;
  return approve !== undefined && approve !== null && approve !== false;
}
