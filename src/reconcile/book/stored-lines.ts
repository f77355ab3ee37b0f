import type {SqliteDatabase} from '../../store/port/port.ts';
import type {BankLine} from '../model/line.ts';
import {BookPart} from './book-part.ts';
import {GoneLines} from './gone-lines.ts';
import {contentOf} from './line-row.ts';
import {type LinesRead, LineWriter} from './line-writer.ts';

/** How the lines of a read differ from those of the reads before it. */
export interface LinesAdded {
  added: number;
  /** With the same content as before. */
  known: number;
  /** With other content than before. */
  changed: number;
  /** No longer there. */
  gone: number;
}

/** The lines of one scope. */
export class StoredLines extends BookPart {
  readonly gone: GoneLines;

  constructor(db: SqliteDatabase, scope: number) {
    super(db, scope);
    this.gone = new GoneLines(db, scope);
  }

  /**
   * Adds what a read returned, in one change. A line of an earlier read of the same source, account and days that it
   * did not return is gone.
   */
  add(lines: Iterable<BankLine>, read: LinesRead): LinesAdded {
    return this.db.transaction(() => {
      const writer = new LineWriter(this.db, this.scope);
      const isStatement = read.source === 'statement';
      if (isStatement) for (const line of lines) writer.putStated(line);
      else for (const line of numbered(lines)) writer.put(line);
      writer.end(read);
      const gone = isStatement ? this.gone.compare(read) : this.gone.mark(read, writer.read);
      return {...writer.counts, gone};
    });
  }

  /**
   * Adds the lines of a statement while it is read: all of them or, if that fails, none.
   * @param read gives the lines to its argument, and returns the days that the statement covers
   * @param after runs in the same change, with the number of the read
   */
  async addStatement<Facts extends {days: Pick<LinesRead, 'from' | 'to'> | undefined}>(
    account: string,
    read: (take: (line: BankLine) => void) => Promise<Facts>,
    after: (facts: Facts, read: number) => void,
  ): Promise<Facts> {
    this.db.begin();
    try {
      const writer = new LineWriter(this.db, this.scope);
      const facts = await read((line) => writer.putStated(line));
      const {days} = facts;
      if (days !== undefined) writer.end({source: 'statement', account, ...days});
      after(facts, writer.read);
      if (days !== undefined) this.gone.compare({account, ...days});
      this.db.commit();
      return facts;
    } catch (error) {
      this.db.rollback(error);
      throw error;
    }
  }
}

/** Equal lines without an id are numbered, so that one that is booked twice is two lines, in any order of the list. */
function* numbered(lines: Iterable<BankLine>): Generator<BankLine> {
  const alike = new Map<string, BankLine[]>();
  for (const line of lines)
    if (line.id !== undefined) yield line;
    else if (!alike.has(line.key)) alike.set(line.key, [line]);
    else alike.get(line.key)?.push(line);
  for (const [key, its] of alike) {
    const all = its.map((line) => ({line, content: contentOf(line)}));
    all.sort((a, b) => (a.content < b.content ? -1 : 1));
    for (const [at, {line}] of all.entries()) yield at === 0 ? line : {...line, key: `${key}/${at + 1}`};
  }
}
