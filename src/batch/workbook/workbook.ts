import {messageOf} from '../../narrow.ts';
import {Archive} from './archive.ts';
import type {SheetCell, SheetRow} from './cell.ts';
import type {ShownAs} from './number-format.ts';
import {readParts, type SheetEntry, type WorkbookParts} from './parts.ts';
import {brokenWorkbook, refusedWorkbook} from './refusal.ts';
import {SharedStrings} from './shared-strings.ts';
import {type Range, SheetReader} from './sheet.ts';
import {Styles} from './styles.ts';
import {parseXml, readXml} from './xml.ts';

/** Facts of a sheet that are complete once its rows have been read. */
export interface SheetFacts {
  hiddenColumns: readonly {from: number; to: number}[];
  merged: readonly Range[];
  /** Where rules of conditional formatting strike text through or change how numbers are shown. */
  restyled: readonly Range[];
}

/** An open workbook. Nothing in it is run, and no other file is read. */
export class Workbook {
  readonly #path: string;
  readonly #archive: Archive;
  readonly #parts: WorkbookParts;
  readonly #styles = new Styles();
  #reader: SheetReader | undefined;

  private constructor(path: string, archive: Archive, parts: WorkbookParts) {
    this.#path = path;
    this.#archive = archive;
    this.#parts = parts;
  }

  /** @throws RemitError CSV_INVALID if the archive is something else than a workbook that can be read */
  static async open(path: string, fd: number): Promise<Workbook> {
    const archive = await Archive.open(path, fd);
    try {
      refuseOther(path, archive);
      const workbook = new Workbook(path, archive, await readParts(path, archive));
      const {styles} = workbook.#parts;
      if (styles !== undefined) await readXml(path, styles, archive.bytes(styles, 'small'), workbook.#styles);
      return workbook;
    } catch (cause) {
      archive.close();
      throw cause;
    }
  }

  get is1904(): boolean {
    return this.#parts.is1904;
  }

  get sheets(): readonly SheetEntry[] {
    return this.#parts.sheets;
  }

  /** Whether a cell, or a part of its text, is struck through. */
  isStruck({style, isStruck}: SheetCell): boolean {
    return isStruck || this.#styles.isStruck(style);
  }

  format(style: number): ShownAs {
    return this.#styles.format(style);
  }

  /** @param spool a file that does not exist yet, in a private folder, for the texts of the workbook */
  async *rows({name, part}: SheetEntry, spool: string): AsyncGenerator<SheetRow[]> {
    const what = `sheet ${name}`;
    if (part === undefined || !this.#archive.has(part))
      throw brokenWorkbook(this.#path, `${what} has no rows`);
    const {strings: stringsPart} = this.#parts;
    const strings = stringsPart === undefined ? undefined : this.#spool(spool);
    try {
      if (strings !== undefined && stringsPart !== undefined)
        await readXml(this.#path, stringsPart, this.#archive.bytes(stringsPart, 'large'), strings);
      const reader = new SheetReader(this.#path, what, strings);
      this.#reader = reader;
      for await (const read of parseXml(this.#path, what, this.#archive.bytes(part, 'large'), reader)) {
        const rows = read.take();
        if (rows.length > 0) yield rows;
      }
      if (!reader.hasData) throw brokenWorkbook(this.#path, `${what} has no rows`);
    } finally {
      strings?.end();
    }
  }

  facts(): SheetFacts {
    const {hiddenColumns = [], merged = [], rules = []} = this.#reader ?? {};
    const restyled = rules.flatMap(({dxfId, range}) => (this.#styles.changesValues(dxfId) ? [range] : []));
    return {hiddenColumns, merged, restyled};
  }

  close(): void {
    this.#archive.close();
  }

  #spool(file: string): SharedStrings {
    try {
      return new SharedStrings(file);
    } catch (cause) {
      throw refusedWorkbook(
        this.#path,
        `cannot be read, because ${file} cannot be written: ${messageOf(cause)}`,
        'free some disk space or check the disk, then run the same command again',
        cause,
      );
    }
  }
}

const SAVE_AS =
  'in the program that wrote it, save or export the sheet as .xlsx, or as CSV in UTF-8; then use that file';

/** Names other ZIP files, and workbooks that are not read. */
function refuseOther(path: string, archive: Archive): void {
  const refuse = (what: string, fix = SAVE_AS): never => {
    throw refusedWorkbook(path, `is ${what}`, fix);
  };
  const names = [...archive.names()];
  if (names.some((name) => name.endsWith('vbaproject.bin')))
    refuse(
      'a workbook with macros (.xlsm)',
      'save it as "Excel Workbook (.xlsx)", without macros, and use that file',
    );
  if (archive.has('xl/workbook.bin')) refuse('a binary workbook (.xlsb)');
  if (archive.has('mimetype') && archive.has('content.xml')) refuse('an OpenDocument file (.ods)');
  if (names.some((name) => /^index(?:\.zip$|\/)/u.test(name))) refuse('a Numbers document (.numbers)');
  if (archive.has('word/document.xml')) refuse('a Word document (.docx)');
  if (archive.has('ppt/presentation.xml')) refuse('a presentation (.pptx)');
  if (!archive.has('[Content_Types].xml'))
    refuse('a ZIP archive, not a workbook', 'unpack it, and plan the .xlsx or CSV file in it');
}
