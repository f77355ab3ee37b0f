import {Readable} from 'node:stream';
import {RemitError} from '../errors.ts';

export type Delimiter = ',' | ';' | '\t';
export const DELIMITERS: Readonly<Record<string, Delimiter>> = {comma: ',', semicolon: ';', tab: '\t'};

/** One record as it lies in the file; `line` is the physical line on which it begins. */
export interface CsvRecord {
  /** 1 for the first record after the header; empty records take no number. */
  row: number;
  line: number;
  cells: string[];
}

export interface CsvHeader {
  cells: string[];
  delimiter: Delimiter;
}

/**
 * Streams the records of a CSV text (RFC 4180; CRLF, LF and CR all end a line). Quotes are strict: a stray or an open
 * one ends the reading with an error that names the line, because everything behind it would be guesswork.
 * Records in which every cell is empty are skipped; `emptyRecords` counts them, for spreadsheets leave many.
 */
export class CsvRecords {
  emptyRecords = 0;
  readonly #path: string;
  readonly #chunks: AsyncGenerator<string>;
  #delimiter: Delimiter | undefined;

  constructor(options: {path: string; chunks: AsyncGenerator<string>; delimiter?: Delimiter | undefined}) {
    this.#path = options.path;
    this.#chunks = options.chunks;
    this.#delimiter = options.delimiter;
  }

  /** @throws RemitError CSV_INVALID: empty file, ambiguous delimiter, broken quoting */
  async *read(): AsyncGenerator<{header: CsvHeader} | {records: CsvRecord[]}> {
    const start = await this.#firstLine();
    const delimiter = this.#delimiter ?? this.#guessDelimiter(start.line);
    const parser = await this.#parser(delimiter);
    const source = Readable.from(this.#withStart(start), {objectMode: true});
    source.on('error', (error) => parser.destroy(error)); // an undecodable chunk ends the parse with its own error
    source.pipe(parser);

    let header: CsvHeader | undefined;
    let lastLine = 0;
    let row = 0;
    let page: CsvRecord[] = [];
    try {
      for await (const item of parser as AsyncIterable<{record: string[]; info: {lines: number}}>) {
        const line = lastLine + 1;
        lastLine = item.info.lines;
        if (item.record.every((cell) => cell.trim() === '')) {
          if (header !== undefined) this.emptyRecords++;
          continue;
        }
        if (header === undefined) {
          header = {cells: item.record, delimiter};
          yield {header};
          continue;
        }
        page.push({row: ++row, line, cells: item.record});
        if (page.length === 1000) {
          yield {records: page};
          page = [];
        }
      }
    } catch (cause) {
      if (page.length > 0) yield {records: page};
      throw this.#broken(cause, lastLine);
    }
    if (header === undefined) throw this.#empty();
    if (page.length > 0) yield {records: page};
  }

  async #parser(delimiter: Delimiter) {
    const {parse} = await import('csv-parse');
    return parse({
      delimiter,
      info: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true, // a ragged row is one error of ours among others, not the end of the reading
      max_record_size: 1024 * 1024,
    });
  }

  async #firstLine(): Promise<{line: string; text: string}> {
    let text = '';
    for (;;) {
      const next = await this.#chunks.next();
      if (next.done === true) break;
      text += next.value;
      const end = /\S[^\r\n]*[\r\n]/.exec(text);
      if (end) return {line: end[0].trimEnd(), text};
      if (text.length > 1024 * 1024) break;
    }
    if (text.trim() === '') throw this.#empty();
    return {line: text.trim(), text};
  }

  async *#withStart(start: {text: string}): AsyncGenerator<string> {
    yield start.text;
    yield* this.#chunks;
  }

  #guessDelimiter(headerLine: string): Delimiter {
    const bare = headerLine.replace(/"[^"]*"/g, '');
    const seen = Object.values(DELIMITERS).filter((delimiter) => bare.includes(delimiter));
    if (seen.length > 1)
      throw new RemitError('CSV_INVALID', `${this.#path}: the header could be split at more than one sign`, {
        hint: 'say which one: --delimiter comma, --delimiter semicolon or --delimiter tab',
      });
    return seen[0] ?? ',';
  }

  #empty(): RemitError {
    return new RemitError('CSV_INVALID', `${this.#path} is empty: it has not even a header`, {
      hint: 'remit payouts batch template prints a file to start from',
    });
  }

  #broken(cause: unknown, lastLine: number): unknown {
    if (cause instanceof RemitError) return cause;
    const code = (cause as {code?: string}).code ?? '';
    const line = (cause as {lines?: number}).lines ?? lastLine + 1;
    const what: Record<string, string> = {
      CSV_QUOTE_NOT_CLOSED: `the quote opened on line ${line} is never closed: the file was cut, or a " is missing`,
      INVALID_OPENING_QUOTE: `line ${line}: a " stands in the middle of a cell; write the cell in quotes and double it`,
      CSV_INVALID_CLOSING_QUOTE: `line ${line}: something follows a closing "; a " inside a cell is written twice`,
      CSV_MAX_RECORD_SIZE: `line ${line}: a record is longer than 1 MiB; a quote is probably open`,
    };
    const message = what[code];
    if (message === undefined) return cause;
    return new RemitError('CSV_INVALID', `${this.#path}: ${message}`, {
      cause,
      details: {line},
      hint: 'mend that line and plan again; nothing was sent',
    });
  }
}
