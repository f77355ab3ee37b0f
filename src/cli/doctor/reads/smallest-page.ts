import type {OperationId} from '../../../contract/operations/operations.ts';
import type {ServiceReply} from '../survey/asker.ts';
import {isGood, isRefused, type ServiceSurvey} from '../survey/survey.ts';

/** Page sizes that services have, in addition to those that the refusal names. */
const USUAL = [10, 20, 25, 50, 100, 200, 250, 500, 1000];

/**
 * Finds the smallest page size if the service has refused a page as too small. Otherwise every later list would be refused
 * too, whatever it checks. Returns whether it was found.
 */
export async function findSmallestPage(
  survey: ServiceSurvey,
  lists: ReadonlyMap<OperationId, ServiceReply>,
): Promise<boolean> {
  const [id, reply] = [...lists].find(([, {assumption}]) => assumption?.key === 'paging.min') ?? [];
  if (id === undefined || reply === undefined) return false;
  const named = [...(reply.message ?? '').matchAll(/\b\d{1,5}\b/g)].map(([text]) => Number(text));
  const sizes = [...new Set([...named, ...USUAL])].filter((size) => size > 1).sort((a, b) => a - b);
  for (const min of sizes) {
    if (!isGood(await survey.askList(id, {limit: min}))) continue;
    const before = await survey.askList(id, {limit: min - 1});
    const evidence = `limit=${min} is accepted, limit=${isRefused(before) ? min - 1 : 5} is refused`;
    survey.differs('paging.min', evidence, {row: 41, write: {paging: {min}}, sure: true});
    return true;
  }
  return false;
}
