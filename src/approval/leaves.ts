import {createHash} from 'node:crypto';
import {FIELD_NAMES, type RowContent} from '../batch/model/row-fields.ts';

/** The parts of a row that an approval covers. */
export type ApprovedRow = RowContent & {reference: string; generation: number};

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);
/** Bytes of a hash. */
const SIZE = 32;

const leafOf = (values: readonly (string | number | null)[]): Buffer =>
  createHash('sha256').update(LEAF).update(JSON.stringify(values)).digest();

/** Everything that the request of a row is made of. */
export const rowLeaf = (row: ApprovedRow): Buffer =>
  leafOf([row.reference, row.generation, ...FIELD_NAMES.map((name) => row[name])]);

/** Which record a row has. */
export const idLeaf = ({reference, generation}: ApprovedRow, id: string): Buffer =>
  leafOf([reference, generation, id]);

/** Splits hashes that are stored as one text of base64; undefined if it is not one. */
export function splitLeaves(text: string): Buffer[] | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % SIZE !== 0 || bytes.toString('base64') !== text) return undefined;
  return Array.from({length: bytes.length / SIZE}, (_, at) => bytes.subarray(at * SIZE, (at + 1) * SIZE));
}

/** The root of a Merkle tree in hex; leaves and nodes are hashed differently, so that neither passes for the other. */
export function rootOf(leaves: readonly Buffer[]): string {
  let level = leaves;
  while (level.length > 1) {
    const next: Buffer[] = [];
    for (let at = 0; at < level.length; at += 2) {
      const [left, right] = [level[at], level[at + 1]];
      if (left === undefined) break;
      next.push(
        right === undefined ? left : createHash('sha256').update(NODE).update(left).update(right).digest(),
      );
    }
    level = next;
  }
  return (level[0] ?? createHash('sha256').digest()).toString('hex');
}
