import {readPage} from '../../../client/reading/page.ts';
import type {OperationId} from '../../../contract/operations/operations.ts';
import {isObject} from '../../../narrow.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import type {Reply} from '../survey/asker.ts';
import {findings} from '../survey/finding.ts';
import {isPath, itemsIn, type Json} from '../survey/shapes.ts';
import {isGood, resourceOf, type Survey} from '../survey/survey.ts';

const {holds, differs} = findings('service');
const check = 'envelopes.list';
const row = 39;

interface Items {
  readonly path: string;
  readonly wire: readonly Json[];
  readonly canonical: readonly Json[];
  /** remit finds them there already. */
  readonly isRead: boolean;
}

/** The records of a list, wherever they are in the answer. */
export function recordsIn(id: OperationId, reply: Reply): Items | undefined {
  const seen = isGood(reply) ? itemsIn(reply.wire, resourceOf(id)) : undefined;
  if (seen === undefined) return undefined;
  const page = readPage(reply.json);
  const canonical = (page?.items ?? seen.items).filter(isObject);
  return {path: seen.path, wire: seen.items, canonical, isRead: page !== undefined};
}

/** Reports where lists have their items: at one path, or each list at its own. */
export function noteItems(survey: Survey, lists: ReadonlyMap<OperationId, Reply>): void {
  const all = Array.from(lists, ([id, reply]) => ({id, reply, items: recordsIn(id, reply)}));
  const known = all.flatMap(({items, ...one}) => (items === undefined ? [] : [{...one, ...items}]));
  const others = known.filter(({isRead}) => !isRead);
  const [first] = others.length > 0 ? others : known;
  if (first === undefined) return;
  const {path, reply} = first;
  if (others.length === 0) {
    if (survey.found.some((finding) => finding.check === check)) return;
    const evidence = path === '' ? 'the answer is the list itself' : `items are in ${path}`;
    survey.found.push(holds(check, evidence, {row}));
    return;
  }
  const own = survey.draft.file.envelopes?.list;
  const areAll = [...survey.samples.keys()].every((id) => lists.has(id));
  const isOne = areAll && own === undefined && known.every((one) => one.path === path || one.path === '');
  const evidence = isOne
    ? `items are in ${path}, not in data (${reply.asked})`
    : others.map((one) => `${one.reply.asked} returns its items in ${one.path}`).join('; ');
  const write: ServiceFile = {
    envelopes: {
      list: isOne
        ? path
        : {
            ...(typeof own === 'string' ? keyed([...survey.samples.keys()], () => own) : {}),
            ...keyed(others, (one) => one.path),
          },
    },
  };
  survey.differs(differs(check, evidence, {row, write, sure: others.every((one) => isPath(one.path))}));
}

const keyed = <T extends {id: OperationId} | OperationId>(lists: readonly T[], path: (list: T) => string) =>
  Object.fromEntries(lists.map((list) => [keyOf(typeof list === 'string' ? list : list.id), path(list)]));

/** The resource of a list, unless that has more than one. */
const keyOf = (id: OperationId): string => (id.startsWith('treasury.') ? id : resourceOf(id));
