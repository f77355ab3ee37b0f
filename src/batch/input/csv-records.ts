import type {Parser} from 'csv-parse';
import {RemitError} from '../../errors.ts';
import {codeOf} from '../../narrow.ts';
import type {Delimiter} from '../model/plan-facts.ts';
import {startFrom} from './csv-input.ts';
import type {InputRecord} from './record.ts';

const DELIMITERS: readonly Delimiter[] = [',', ';', '\t'];

export interface CsvHeader {
  cells: string[];
  delimiter: Delimiter;
}

/**
 * Streams the records of a CSV text (RFC 4180; CRLF, LF and CR all end a line). Quotes are strict: a stray or
 * unclosed quote stops the reader with an error that names the line, because everything after it would be guesswork.
 * Records with only empty cells are skipped and counted in `emptyRecords`, because spreadsheets leave many.
 */
export class CsvRecords {
  emptyRecords = 0;
  readonly #path: string;
  readonly #template: readonly string[] | undefined;
  readonly #chunks: AsyncGenerator<string>;

  constructor(options: {
    path: string;
    chunks: AsyncGenerator<string>;
    template?: readonly string[] | undefined;
  }) {
    this.#path = options.path;
    this.#template = options.template;
    this.#chunks = options.chunks;
  }

  /** @throws RemitError CSV_INVALID: empty file, ambiguous delimiter, broken quoting */
  async *read(): AsyncGenerator<{header: CsvHeader} | {records: InputRecord[]}> {
    let start = await this.#firstLine('');
    const declared = declaredDelimiter(start);
    if (declared !== undefined) start = await this.#firstLine(withoutLine(start));
    const delimiter = this.#checked(declared) ?? this.#guessDelimiter(start.line.trimEnd());
    const parsed: string[][] = [];
    const parser = await this.#parser(delimiter, parsed);
    let header: CsvHeader | undefined;
    let lastLine = 0;
    let row = 0;
    const take = (): InputRecord[] => {
      const page: InputRecord[] = [];
      for (const cells of parsed.splice(0)) {
        const line = lastLine + 1;
        lastLine = line + lineEndsIn(cells);
        if (cells.some((cell) => cell.trim() !== '')) {
          if (header === undefined) header = {cells, delimiter};
          else page.push({row: ++row, line, cells});
        } else if (header !== undefined) this.emptyRecords++;
      }
      return page;
    };
    let isHeaderGiven = false;
    for await (const chunk of this.#withStart(start)) {
      const fault = chunk === END ? await ended(parser) : await fed(parser, chunk);
      const records = take();
      if (header !== undefined && !isHeaderGiven) yield {header};
      isHeaderGiven = header !== undefined;
      if (records.length > 0) yield {records};
      if (fault !== undefined) throw this.#broken(fault, lastLine + 1);
    }
    if (header === undefined) throw this.#empty();
  }

  /**
   * Records are collected as they are parsed: after an error the stream would drop those still waiting to be read.
   */
  async #parser(delimiter: Delimiter, parsed: string[][]): Promise<Parser> {
    const {parse} = await import('csv-parse');
    const parser = parse({
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true, // a ragged row is an error of that row, not the end of the file
      max_record_size: 1024 * 1024,
      on_record: (cells: string[]) => {
        parsed.push(cells);
        return null;
      },
    });
    return parser.on('error', () => undefined); // reported by `fed` and `ended`
  }

  /** Returns the first line with text, and all text read to find it; `text` was read before. */
  async #firstLine(text: string): Promise<FirstLine> {
    for (;;) {
      // Two searches: a single pattern would restart at each character of a line without an end.
      const begin = text.search(/\S/);
      const length = begin === -1 ? -1 : text.slice(begin).search(/[\r\n]/);
      if (length !== -1) return {line: text.slice(begin, begin + length), text, begin};
      if (text.length > LONGEST_HEADER) break;
      const step = await this.#chunks.next();
      if (step.done) break;
      text += step.value;
    }
    if (text.trim() === '') throw this.#empty();
    return {line: text.trimStart(), text, begin: text.search(/\S/)};
  }

  /** @param sign the delimiter from the line `sep=`, which Excel reads at the top of a file */
  #checked(sign: string | undefined): Delimiter | undefined {
    const known = DELIMITERS.find((delimiter) => delimiter === sign);
    if (sign === undefined || known !== undefined) return known;
    throw new RemitError(
      'CSV_INVALID',
      `${this.#path}: its first line declares the delimiter ${JSON.stringify(sign)}, which is not supported`,
      {hint: 'export it with commas, semicolons or tabs between the cells'},
    );
  }

  async *#withStart(start: {text: string}): AsyncGenerator<string> {
    yield start.text;
    yield* this.#chunks;
    yield END;
  }

  #guessDelimiter(headerLine: string): Delimiter {
    const bare = headerLine.replace(/"[^"]*"/g, '');
    const seen = DELIMITERS.filter((delimiter) => bare.includes(delimiter));
    if (seen.length > 1)
      throw new RemitError(
        'CSV_INVALID',
        `${this.#path}: the delimiter is ambiguous: the header contains several candidates`,
        {
          hint: 'put quotes around header cells that contain one, or a line such as sep=; above the header',
        },
      );
    return seen[0] ?? ',';
  }

  #empty(): RemitError {
    return new RemitError('CSV_INVALID', `${this.#path} is empty: it has no header`, {
      hint: this.#template === undefined ? undefined : startFrom(this.#template),
    });
  }

  #broken(cause: Error, line: number): unknown {
    const begins = `the record that begins on line ${line}`;
    const what: Record<string, string> = {
      CSV_QUOTE_NOT_CLOSED: `${begins} has a quote that is never closed: the file was cut, or a " is missing`,
      INVALID_OPENING_QUOTE: `${begins} has a " in the middle of a cell; put the cell in quotes and write the " twice`,
      CSV_INVALID_CLOSING_QUOTE: `${begins} has text after a closing "; write a " inside a cell twice`,
      CSV_MAX_RECORD_SIZE: `${begins} is longer than 1 MiB; a quote is probably not closed`,
    };
    const message = what[codeOf(cause) ?? ''];
    if (message === undefined) return cause;
    return new RemitError('CSV_INVALID', `${this.#path}: ${message}`, {
      cause,
      details: {line},
      hint: 'fix that line and run the same command again; nothing was sent',
    });
  }
}

interface FirstLine {
  line: string;
  /** All text that was read to find the line. */
  text: string;
  /** Offset at which the line begins. */
  begin: number;
}

const LONGEST_HEADER = 1024 * 1024;

/** Excel takes the delimiter from a first line such as `sep=;`, which is not part of the table. */
const declaredDelimiter = ({line}: FirstLine): string | undefined => /^"?sep=(.)"?\s*$/iu.exec(line)?.[1];

/** Replaces the first line with an empty one, so that line numbers do not change. */
const withoutLine = ({line, text, begin}: FirstLine): string =>
  text.slice(0, begin) + text.slice(begin + line.length);

/** The parser's own line count counts a CRLF in a quoted cell twice. */
function lineEndsIn(cells: readonly string[]): number {
  let count = 0;
  for (const cell of cells)
    if (cell.includes('\n') || cell.includes('\r')) count += cell.split(/\r\n|\r|\n/).length - 1;
  return count;
}

/** Marks the end of the input; no other chunk is empty. */
const END = '';

const fed = (parser: Parser, chunk: string): Promise<Error | undefined> =>
  new Promise((resolve) => parser.write(chunk, (error) => resolve(error ?? undefined)));

const ended = (parser: Parser): Promise<Error | undefined> =>
  new Promise((resolve) => {
    parser.once('error', resolve);
    parser.end(() => resolve(undefined));
  });
