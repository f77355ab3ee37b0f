import {allOperations, type OperationId} from '../../../contract/operations/operations.ts';
import {paramsOf, routeOf} from '../../../service/routes.ts';
import type {PrefixName, ServiceFile} from '../../../service/service-file.ts';
import type {DocumentOperation, OpenApiDocument} from './document.ts';
import {findings} from '../survey/finding.ts';
import {sameName} from '../survey/shapes.ts';
import {resourceOf, rowOf, type Survey} from '../survey/survey.ts';
import {COLLECTION_WORDS} from '../survey/words.ts';

const {holds, differs, unknown} = findings('service');

/** Alternative words at the end of a path. */
const VERB_WORDS: Readonly<Record<string, readonly string[]>> = {
  approve: ['approval', 'authorize', 'release', 'confirm'],
  cancel: ['cancellation', 'void'],
  'set-default': ['default', 'make-default'],
  'update-label': ['label', 'rename'],
  'payment-methods': ['payment_methods', 'methods', 'bank-accounts', 'external-accounts'],
  balance: ['balances'],
  transactions: ['bank-transactions', 'entries'],
  toggle: ['activation'],
};

type Match = {readonly found: DocumentOperation; readonly how: 'same path' | 'same words' | 'other words'};

/** Matches the operations of a document with those of the contract, by method, path and name. */
export function matchRoutes(document: OpenApiDocument, survey: Survey): void {
  const matches = new Map<OperationId, Match>();
  for (const {id} of allOperations()) {
    const match = bestMatch(id, document);
    if (match !== undefined) matches.set(id, match);
  }
  notePrefixes(survey, matches);
  for (const {id} of allOperations()) noteMatch(survey, id, matches.get(id));
}

/** The best match; undefined if several operations match equally well. */
function bestMatch(id: OperationId, {operations}: OpenApiDocument): Match | undefined {
  for (const how of ['same path', 'same words', 'other words'] as const) {
    const [found, ...others] = operations.filter((one) => fits(id, one, how));
    if (found !== undefined) return others.length === 0 ? {found, how} : undefined;
  }
  return undefined;
}

const plainPath = (path: string): string => path.replaceAll(/\{[^{}]*\}/g, '{}');

function fits(id: OperationId, {method, path}: DocumentOperation, how: Match['how']): boolean {
  const own = routeOf(id, {});
  const isChange = (verb: string) => verb === 'POST' || verb === 'PUT' || verb === 'PATCH';
  if (
    method !== own.method &&
    !(how !== 'same path' && isTail(own.path) && isChange(method) && isChange(own.method))
  )
    return false;
  const [theirs, ours] = [plainPath(path), plainPath(own.path)];
  if (how === 'same path') return theirs === ours;
  return isSameTail(theirs.split('/').slice(1), tailOf(id, ours), how === 'other words');
}

/** An action on a record, such as `/{id}/approve`, may have another method. */
const isTail = (path: string): boolean => /\}\/[a-z-]+$/.test(path);

/** The path from its noun on: `['payouts', '{}', 'approve']`. */
function tailOf(id: OperationId, path: string): string[] {
  const resource = resourceOf(id);
  const parts = path.split('/').slice(2);
  if (resource === 'treasury' || resource === 'accountTransfers') return parts.slice(1);
  if (resource === 'moves') return parts.slice(1);
  return parts;
}

function isSameTail(theirs: readonly string[], ours: readonly string[], withWords: boolean): boolean {
  if (theirs.length < ours.length) return false;
  const end = theirs.slice(theirs.length - ours.length);
  const before = theirs.slice(0, theirs.length - ours.length);
  if (before.includes('{}')) return false;
  return ours.every((part, at) => {
    const other = end[at] ?? ''; // as long as `ours`
    if (part === '{}' || other === '{}') return part === other;
    return isSameWord(other, part) || (withWords && wordsFor(part).some((word) => isSameWord(other, word)));
  });
}

const isSameWord = (one: string, other: string): boolean =>
  sameName(one, other) || sameName(one.replace(/s$/, ''), other.replace(/s$/, ''));

const NOUNS: Readonly<Record<string, string>> = {
  accounts: 'treasury',
  'account-transfers': 'accountTransfers',
  move: 'moves',
};
const wordsFor = (part: string): readonly string[] => [
  ...(VERB_WORDS[part] ?? []),
  ...(COLLECTION_WORDS[NOUNS[part] ?? part] ?? []),
];

const PREFIXES: readonly (readonly [PrefixName, string, OperationId])[] = [
  ['api', '/api', 'payouts.get'],
  ['treasury', '/api/treasury', 'treasury.accounts'],
  ['webhookEndpoints', '/api/webhooks/endpoints', 'webhookEndpoints.list'],
];

/** Finds prefixes that differ, so that one line in the service file covers all routes below. */
function notePrefixes(survey: Survey, matches: ReadonlyMap<OperationId, Match>): void {
  for (const [name, own, id] of PREFIXES) {
    const path = matches.get(id)?.found.path;
    const rest = plainPath(routeOf(id, {}).path).slice(own.length);
    if (path === undefined || !plainPath(path).endsWith(rest)) continue;
    const prefix = plainPath(path).slice(0, plainPath(path).length - rest.length);
    if (plainPath(routeOf(id, survey.draft.file).path) === plainPath(path)) continue;
    const write: ServiceFile = {prefixes: {[name]: prefix}};
    survey.differs(differs(`prefixes.${name}`, `GET ${path}`, {row: rowOf(id), write, sure: true}));
  }
}

function noteMatch(survey: Survey, id: OperationId, match: Match | undefined): void {
  const check = `routes.${id}`;
  const row = rowOf(id);
  if (match === undefined) {
    survey.found.push(unknown(check, 'none or several operations of the document match', {row}));
    return;
  }
  const {found, how} = match;
  const own = routeOf(id, survey.draft.file);
  const text = `${found.method} ${found.path}`;
  if (found.method === own.method && plainPath(found.path) === plainPath(own.path)) {
    survey.found.push(holds(check, text, {row}));
    return;
  }
  const path = withOwnNames(found.path, paramsOf(routeOf(id, {}).path));
  const evidence = `${text} (${how})`;
  if (path === undefined) survey.found.push(differs(check, `${evidence}, but with other parameters`, {row}));
  else
    survey.differs(
      differs(check, evidence, {
        row,
        write: {routes: {[id]: `${found.method} ${path}`}},
        sure: how === 'same words' || !/POST/.test(own.method),
        when: `if that operation is ${id}`,
      }),
    );
}

/** The path with the contract's parameter names, by position; undefined if it has more parameters. */
function withOwnNames(path: string, names: readonly string[]): string | undefined {
  let at = 0;
  const named = path.replaceAll(/\{[^{}]*\}/g, () => `{${names[at++] ?? ''}}`);
  return at <= names.length ? named : undefined;
}
