import type {OperationId} from '../../../contract/operations/operations.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import {joined} from '../survey/draft.ts';
import {findings, toAdd} from '../survey/finding.ts';
import {isGood, type Survey} from '../survey/survey.ts';
import {ORDER_NAMES, ORDER_WORDS} from '../survey/words.ts';
import {isRefused, itemsOf} from './page-asked.ts';

const {holds, differs} = findings('service');
const row = 40;

/** Checks the parameter of the sort order, and its values. */
export async function checkOrder(survey: Survey, id: OperationId): Promise<void> {
  const check = 'paging.order';
  const tried = await bothOrders(survey, id, survey.draft.file);
  if (tried.differ) {
    survey.found.push(holds(check, 'order=asc and order=desc start with different records', {row}));
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
      const {differ} = await bothOrders(survey, id, joined(survey.draft.file, write));
      if (!differ) continue;
      const evidence = `${name ?? 'order'}=${asc ?? 'asc'} and ${name ?? 'order'}=${desc ?? 'desc'} start with different records`;
      survey.differs(differs(check, evidence, {row, write, sure: true}));
      return;
    }
  }
  const seen = tried.refused ? 'order=asc and order=desc are refused' : 'order has no effect';
  survey.found.push(
    differs(check, seen, {row, fix: toAdd({paging: {order: {name: 'sort', asc: 'oldest', desc: 'newest'}}})}),
  );
}

async function bothOrders(survey: Survey, id: OperationId, file: ServiceFile) {
  const asc = await survey.askList(id, {order: 'asc'}, file);
  if (!isGood(asc)) return {refused: isRefused(asc), differ: false};
  const desc = await survey.askList(id, {order: 'desc'}, file);
  const [a, b] = [itemsOf(id, asc)[0], itemsOf(id, desc)[0]];
  const differ = a !== undefined && b !== undefined && JSON.stringify(a) !== JSON.stringify(b);
  return {refused: isRefused(desc), differ};
}
