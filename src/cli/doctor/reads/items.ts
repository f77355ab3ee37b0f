import {readPage} from '../../../client/reading/page.ts';
import type {OperationId} from '../../../contract/operations/operations.ts';
import {isSameId} from '../../../contract/ids.ts';
import {isObject, type JsonFields} from '../../../narrow.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import type {ServiceReply} from '../survey/asker.ts';
import {toAdd} from '../survey/finding.ts';
import {isPath, itemsIn} from '../survey/shapes.ts';
import {isGood, resourceOf, rowOf, type ServiceSurvey} from '../survey/survey.ts';

const check = 'envelopes.list';
const row = 39;

interface Items {
  readonly path: string;
  readonly wire: readonly JsonFields[];
  readonly canonical: readonly JsonFields[];
  /** remit finds them there already. */
  readonly isRead: boolean;
}

/** The records of a list, wherever they are in the answer. */
export function recordsIn(id: OperationId, reply: ServiceReply): Items | undefined {
  const seen = isGood(reply) ? itemsIn(reply.wire, resourceOf(id)) : undefined;
  if (seen === undefined) return undefined;
  const page = readPage(reply.json);
  const canonical = (page?.items ?? seen.items).filter(isObject);
  return {path: seen.path, wire: seen.items, canonical, isRead: page !== undefined};
}

/** Reports where lists have their items: at one path, or each list at its own. */
export function noteItems(survey: ServiceSurvey, lists: ReadonlyMap<OperationId, ServiceReply>): void {
  const all = Array.from(lists, ([id, reply]) => ({id, reply, items: recordsIn(id, reply)}));
  const known = all.flatMap(({items, ...one}) => (items === undefined ? [] : [{...one, ...items}]));
  const others = known.filter(({isRead}) => !isRead);
  const [first] = others.length > 0 ? others : known;
  if (first === undefined) return;
  for (const one of known) noteOwner(survey, one);
  const {path, reply} = first;
  if (others.length === 0) {
    if (survey.has(check)) return;
    const evidence = path === '' ? 'the answer is the list itself' : `items are in ${path}`;
    return survey.holds(check, evidence, {row});
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
  survey.differs(check, evidence, {row, write, sure: others.every((one) => isPath(one.path))});
}

/** A list below another record has only what belongs to that. */
function noteOwner(
  survey: ServiceSurvey,
  {id, reply, canonical}: Items & {id: OperationId; reply: ServiceReply},
): void {
  const [[name, owner] = []] = Object.entries(survey.samples.get(id)?.params ?? {});
  if (name === undefined || owner === undefined) return;
  const isOther = ({[name]: value}: JsonFields) => typeof value === 'string' && !isSameId(value, owner);
  if (!canonical.some(isOther)) return;
  const route = `routes.${id}`;
  const evidence = `${reply.asked} returned records of another ${name}`;
  const fix = toAdd({routes: {[id]: `GET /path/list/{${name}}`}});
  survey.found = survey.found.filter((finding) => finding.check !== route);
  survey.differs(route, evidence, {row: rowOf(id), fix});
}

const keyed = <T extends {id: OperationId} | OperationId>(lists: readonly T[], path: (list: T) => string) =>
  Object.fromEntries(lists.map((list) => [keyOf(typeof list === 'string' ? list : list.id), path(list)]));

/** The resource of a list, unless that has more than one. */
const keyOf = (id: OperationId): string => (id.startsWith('treasury.') ? id : resourceOf(id));
