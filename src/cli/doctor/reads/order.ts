import type {OperationId} from '../../../contract/operations/operations.ts';
import {orderOf} from '../../../service/paging.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import {joined} from '../survey/draft.ts';
import {toAdd} from '../survey/finding.ts';

import {isGood, isRefused, type ServiceSurvey} from '../survey/survey.ts';
import {ORDER_NAMES, ORDER_WORDS} from '../survey/words.ts';
import {isSameRecord, itemsOf} from './page-asked.ts';
import type {JsonFields} from '../../../narrow.ts';

const row = 40;

/** Checks the parameter of the sort order, and its values. */
export async function checkOrder(survey: ServiceSurvey, id: OperationId): Promise<void> {
  const check = 'paging.order';
  if (survey.draft.file.paging?.order === false)
    return survey.holds(check, 'the service cannot sort, as the service file states', {row});
  const tried = await bothOrders(survey, id, survey.draft.file);
  if (tried.differ) {
    survey.holds(check, 'order=asc and order=desc start with different records', {row});
    await checkDefault(survey, id, tried);
    return;
  }
  const names = tried.refused ? [undefined, ...ORDER_NAMES] : ORDER_NAMES;
  for (const name of names) {
    for (const words of name === undefined ? ORDER_WORDS : [undefined, ...ORDER_WORDS]) {
      const [asc, desc] = words ?? [];
      const write: ServiceFile = {
        paging: {
          order: {
            ...(name === undefined ? {} : {name}),
            ...(asc === undefined || desc === undefined ? {} : {asc, desc}),
          },
        },
      };
      const found = await bothOrders(survey, id, joined(survey.draft.file, write));
      if (!found.differ) continue;
      const evidence = `${name ?? 'order'}=${asc ?? 'asc'} and ${name ?? 'order'}=${desc ?? 'desc'} start with different records`;
      survey.differs(check, evidence, {row, write, sure: true});
      await checkDefault(survey, id, found);
      return;
    }
  }
  const seen = tried.refused ? 'order=asc and order=desc are refused' : 'order has no effect';
  // Right for any service: remit refuses --order then. Another name or other words can be set instead.
  const fix = toAdd({paging: {order: {name: 'sort', asc: 'oldest', desc: 'newest'}}});
  survey.differs(check, seen, {row, write: {paging: {order: false}}, sure: true, fix});
}

/** Checks which records come first in a list without an order. */
async function checkDefault(
  survey: ServiceSurvey,
  id: OperationId,
  {asc, desc}: FirstRecords,
): Promise<void> {
  const check = 'paging.order.default';
  const {file} = survey.draft;
  const own = orderOf(file.paging).default ?? 'desc';
  const plain = await survey.askList(id, {}, joined(file, {paging: {order: {default: 'desc'}}}));
  const [first] = itemsOf(id, plain);
  const found = isSameRecord(first, desc) ? 'desc' : isSameRecord(first, asc) ? 'asc' : undefined;
  const evidence = `a list without an order starts like order=${found}`;
  if (first === undefined || found === undefined)
    survey.unknown(check, 'a list without an order starts with another record', {row});
  else if (found === own) survey.holds(check, evidence, {row});
  else {
    const write: ServiceFile = {paging: {order: {default: found}}};
    survey.differs(check, evidence, {row, write, sure: true});
  }
}

/** The first record in each order. */
interface FirstRecords {
  readonly asc?: JsonFields | undefined;
  readonly desc?: JsonFields | undefined;
}

async function bothOrders(
  survey: ServiceSurvey,
  id: OperationId,
  file: ServiceFile,
): Promise<FirstRecords & {refused: boolean; differ: boolean}> {
  const asc = await survey.askList(id, {order: 'asc'}, file);
  if (!isGood(asc)) return {refused: isRefused(asc), differ: false};
  const desc = await survey.askList(id, {order: 'desc'}, file);
  const [a, b] = [itemsOf(id, asc)[0], itemsOf(id, desc)[0]];
  const differ = a !== undefined && b !== undefined && !isSameRecord(a, b);
  return {refused: isRefused(desc), differ, asc: a, desc: b};
}
