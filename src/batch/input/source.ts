import {RemitError} from '../../errors.ts';
import {nearest} from '../../nearest.ts';
import type {Retype} from '../model/accept.ts';
import type {Delimiter} from '../model/plan-facts.ts';
import type {SheetEntry} from '../workbook/parts.ts';
import {type InputFile, TextInput} from './csv-input.ts';
import {CsvRecords} from './csv-records.ts';
import {isWorkbook} from './csv-formats.ts';
import type {InputRecord, RecordSource, SourceEnd} from './record.ts';
import {SheetRecords} from './sheet-records.ts';

/** Options for opening a file of records. */
export interface SourceOptions {
  /** Name of the sheet, for a workbook with several. */
  sheet: string | undefined;
  /** The file for the texts of a workbook, which does not exist yet, in a private folder. */
  spool: string;
  retype: Retype;
}

/** The records of a CSV or of a workbook, by what the file contains. */
export async function openSource(input: InputFile, options: SourceOptions): Promise<RecordSource> {
  if (input.file !== undefined && isWorkbook(input.file.head))
    return openSheet(input, input.file.fd, options);
  if (options.sheet !== undefined)
    throw new RemitError('USAGE', `--sheet is for Excel workbooks (.xlsx), but ${input.path} is not one`, {
      hint: 'leave out --sheet',
    });
  return new CsvSource(input);
}

async function openSheet(input: InputFile, fd: number, options: SourceOptions): Promise<SheetRecords> {
  const {Workbook} = await import('../workbook/workbook.ts');
  const workbook = await Workbook.open(input.path, fd);
  try {
    const {sheet, isOneOfSeveral} = chosen(input.path, workbook.sheets, options);
    const {path, template} = input;
    return new SheetRecords({path, fd, workbook, sheet, isOneOfSeveral, spool: options.spool, template});
  } catch (cause) {
    workbook.close();
    throw cause;
  }
}

const LONGEST_NAME = 60;

/** The sheet that is named; without a name, the only one that is shown. */
function chosen(
  path: string,
  sheets: readonly SheetEntry[],
  {sheet: wanted, retype}: SourceOptions,
): {sheet: SheetEntry; isOneOfSeveral: boolean} {
  const tables = sheets.filter(({part}) => part !== undefined);
  const shown = tables.filter(({isHidden}) => !isHidden);
  const isOneOfSeveral = tables.length > 1;
  const names = (shown.length > 0 ? shown : tables).map(({name}) =>
    JSON.stringify(name.slice(0, LONGEST_NAME)),
  );
  const refuse = (what: string): never => {
    const [first = '', ...others] = (shown.length > 0 ? shown : tables).map(({name}) => name);
    const meant = nearest(wanted ?? first, [first, ...others]) ?? first;
    throw new RemitError('USAGE', `${path} ${what}: ${names.join(', ')}`, {
      hint: `name the sheet to read: ${retype(['--sheet', meant], ['--sheet'])}`,
    });
  };
  if (wanted === undefined) {
    const [only, ...others] = shown;
    if (only === undefined || others.length > 0) return refuse(`has ${tables.length} sheets`);
    return {sheet: only, isOneOfSeveral};
  }
  const same = (name: string) => name.trim().toLowerCase() === wanted.trim().toLowerCase();
  const sheet = tables.find(({name}) => name === wanted) ?? tables.find(({name}) => same(name));
  if (sheet === undefined) return refuse(`has no sheet ${JSON.stringify(wanted)}; it has`);
  return {sheet, isOneOfSeveral};
}

class CsvSource implements RecordSource {
  readonly sheet = undefined;
  readonly #text: TextInput;
  readonly #records: CsvRecords;
  delimiter: Delimiter = ',';

  constructor(input: InputFile) {
    const {path, template} = input;
    this.#text = new TextInput(input);
    this.#records = new CsvRecords({path, template, chunks: this.#text.chunks()});
  }

  async *read(): AsyncGenerator<{header: readonly string[]} | {records: InputRecord[]}> {
    for await (const piece of this.#records.read())
      if ('header' in piece) {
        this.delimiter = piece.header.delimiter;
        yield {header: piece.header.cells};
      } else yield piece;
  }

  begin(): void {
    // every cell is text, whatever its column
  }

  beginWith(): void {
    // the same
  }

  end(): SourceEnd {
    return {
      facts: this.#text.facts(),
      emptyRecords: this.#records.emptyRecords,
      hiddenRecords: {count: 0, lines: []},
      warnings: [],
    };
  }

  close(): void {
    // its stream closes the file
  }
}
