import {BOOK} from './acquire.ts';
import type {Sql} from './connection.ts';

/** How far a batch was changed. */
export interface BatchMark {
  /** Kind and id. */
  key: string;
  id: string;
  version: number;
  released: 0 | 1;
  moved: string | null;
}

export async function readMarks(sql: Sql): Promise<Map<string, BatchMark>> {
  const marks = await sql<BatchMark>(
    `select kind || ' ' || id as key, id, version, released, moved from @.batches where kind <> $1 and journal is not null`,
    [BOOK.kind],
  );
  return new Map(marks.map((mark) => [mark.key, mark]));
}
