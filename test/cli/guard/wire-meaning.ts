import {allOperations, type OperationId} from '../../../src/contract/operations/operations.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';

/** A request as it is sent, with `*` for the ids in its path. */
export interface SentAs {
  readonly id: OperationId;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}

const OPERATIONS = allOperations();
const PREFIXES = {
  api: '/api',
  treasury: '/api/treasury',
  webhookEndpoints: '/api/webhooks/endpoints',
} as const;

/** What a lenient server makes of a path; written again here, so that it does not share a mistake with `src`. */
const plain = (path: string): string =>
  path
    .toLowerCase()
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/$/, '')
    .replace(/(?<=[a-z-])\.[a-z]+$/, '');

const resourceOf = (id: OperationId): string => id.split('.')[0]!; // every id has one
const movesMoney = (id: OperationId): boolean => /\.(approve|cancel|create|simulateInboundCredit)$/.test(id);

/** The paths of an operation in the contract, with the prefixes of a service file and without. */
function usualPaths(path: string, {prefixes = {}}: ServiceFile): string[] {
  const form = path.replaceAll(/\{\w+\}/g, '*');
  const moved = (['webhookEndpoints', 'treasury', 'api'] as const).find(
    (name) =>
      prefixes[name] !== undefined && (form === PREFIXES[name] || form.startsWith(`${PREFIXES[name]}/`)),
  );
  return moved === undefined ? [form] : [form, `${prefixes[moved]}${form.slice(PREFIXES[moved].length)}`];
}

/** Why a service may take a write for another operation than the one that a command has shown; undefined if it cannot. */
export function otherMeaning(own: SentAs, all: readonly SentAs[], file: ServiceFile): string | undefined {
  for (const {id, operation} of OPERATIONS) {
    if (id === own.id) continue;
    const isForeign = resourceOf(id) !== resourceOf(own.id);
    const isDangerous = operation.method !== 'GET' && (movesMoney(id) || movesMoney(own.id));
    const isUsual = usualPaths(operation.path, file).some((path) => plain(path) === plain(own.path));
    if (isUsual && (isForeign || isDangerous)) return `its path is that of ${id}`;
    const other = all.find((one) => one.id === id);
    if (other === undefined || plain(other.path) !== plain(own.path)) continue;
    if (isForeign) return `its path is that which the file gives to ${id}`;
    if (other.method === own.method && !areApart(own, other)) return `it is the same request as ${id}`;
  }
  const words = [own.path.split('/').findLast((part) => part !== '*' && part !== '') ?? '', own.body ?? ''];
  if (!own.id.endsWith('.approve') && words.some((word) => /\b(?:approve|release)/i.test(word)))
    return 'it has a word for an approval';
  return undefined;
}

/** Two constant bodies that contradict each other, or an action that is an update. */
function areApart(a: SentAs, b: SentAs): boolean {
  if (a.id.endsWith('.update') !== b.id.endsWith('.update')) return !movesMoney(a.id) && !movesMoney(b.id);
  if (a.body === undefined || b.body === undefined) return false;
  const [one, other] = [a, b].map(({body = ''}) => JSON.parse(body) as Record<string, unknown>);
  return Object.keys(one!).some((name) => name in other! && one![name] !== other![name]); // two bodies
}
