import type {Clock} from '../clock.ts';
import type {RemitError} from '../errors.ts';
import {isList, messageOf} from '../narrow.ts';
import {safeJson, Sanitizer} from '../sanitize/sanitizer.ts';
import {cardText} from './card.ts';
import {ansiPaint, plainPaint, wantsColour, type Paint} from './colour.ts';
import {csvColumns, csvLine, csvRow} from './csv.ts';
import {failureLine, failureText} from './failure.ts';
import {isJsonish, type OutputSettings} from './formats.ts';
import {type KnownFields, unknownField, unknownFields} from './known-fields.ts';
import {Progress} from './progress.ts';
import {pickFields, runQuery, valueAt} from './select.ts';
import {Sink, type OutStream} from './sink.ts';
import {TableWriter} from './table.ts';
import type {Eye, View} from './view.ts';
import {wrapHint, wrapLines} from './wrap.ts';
import {safeYaml} from './yaml.ts';

/** Known before anything is read, even for commands that open no profile. */
const SECRET_VARIABLES = ['REMIT_API_KEY', 'REMIT_WEBHOOK_SECRET'];

/** Records collected before a table or CSV chooses its columns. */
const PIECE = 200;

/**
 * A text after a lead that was made here, such as a time. The lead is shown unchanged: its colons would make every
 * line look as if it contained a secret field, which takes ten times as long to rule out.
 */
export interface LedText {
  lead: string;
  text: string;
}

/** A record that is being shown, and what its view calls it. */
export interface ShownRecord {
  noun: string;
  record: unknown;
}

/** Most records of one run that `onShown` is called for. */
const MOST_SHOWN = 100;

export interface OutputOptions {
  stdout: OutStream;
  stderr: OutStream;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  settings: OutputSettings;
  /** Set if the names in `--fields` are checked against the result. */
  knownFields?: KnownFields | undefined;
  /**
   * Set if something was done: a `--query` that does not fit its result causes a warning, and the whole result is
   * written.
   */
  mustTell?: boolean | undefined;
  /** Called for the first records that are shown, in any format. */
  onShown?: ((shown: ShownRecord) => void) | undefined;
}

/**
 * The only writer to stdout and stderr. stdout contains only the result; everything else for people goes to stderr.
 */
export class Output {
  readonly settings: OutputSettings;
  /** All output passes through it. Code that reads a secret adds the secret to it. */
  readonly sanitizer = new Sanitizer();
  readonly #stdout: Sink;
  readonly #stderr: Sink;
  readonly #clock: Clock;
  readonly #progress: Progress;
  readonly #paintOut: Paint;
  readonly #paintErr: Paint;
  readonly #knownFields: KnownFields | undefined;
  readonly #mustTell: boolean;
  readonly #onShown: OutputOptions['onShown'];
  #shown = 0;
  #fieldsChecked = false;
  #resultWritten = false;
  #queryFailed = false;

  constructor({stdout, stderr, env, clock, settings, knownFields, mustTell, onShown}: OutputOptions) {
    this.settings = settings;
    this.#knownFields = knownFields;
    this.#mustTell = mustTell ?? false;
    this.#onShown = onShown;
    this.#stdout = new Sink(stdout);
    this.#stderr = new Sink(stderr);
    this.#clock = clock;
    this.#progress = new Progress(this.#stderr, clock, settings.quiet);
    for (const name of SECRET_VARIABLES) this.sanitizer.conceal(...(env[name] ?? '').split(','));
    const paintOf = (sink: Sink) =>
      wantsColour({setting: settings.colour, env, isTerminal: sink.isTerminal}) ? ansiPaint : plainPaint;
    this.#paintOut = paintOf(this.#stdout);
    this.#paintErr = paintOf(this.#stderr);
  }

  /** True if people read the result: tables and cards, not JSON and similar formats. */
  get forPeople(): boolean {
    return this.settings.format === 'table';
  }

  /** True when stdout is a terminal. */
  get isTerminal(): boolean {
    return this.#stdout.isTerminal;
  }

  /** Width of stdout in characters; 80 in a pipe. */
  get columns(): number {
    return this.#stdout.columns;
  }

  /** True if the reader of stdout has gone: a long list may stop. */
  get closed(): boolean {
    return this.#stdout.closed;
  }

  /** True if the result was written whole, because `--query` did not fit it. */
  get queryFailed(): boolean {
    return this.#queryFailed;
  }

  /** For text on stdout that the caller lays out itself. */
  get paint(): Paint {
    return this.#paintOut;
  }

  /** For people: one record as a card. Silent in machine formats, where the command's return value is the result. */
  record(record: unknown, view?: View): void {
    this.#noteShown(record, view);
    if (!this.forPeople || this.settings.query !== undefined) return;
    this.#checkFields([record], view);
    const card = cardText(this.#clean(record), view, this.settings.fields, this.#eye());
    void this.#stdout.write(this.sanitizer.painted(card));
    this.#resultWritten = true;
  }

  /**
   * The record as last seen, if the command then fails: on stdout in every format except JSON and NDJSON, whose error
   * contains it.
   */
  async unfinished(record: unknown, view?: View): Promise<void> {
    if (record === undefined || record === null || isJsonish(this.settings.format)) return;
    this.record(record, view);
    await this.result(record);
  }

  /** For people: free text on stdout. Silent in machine formats. */
  text(text: string): void {
    void this.texts([text]);
  }

  /**
   * The same for several texts, written at once; each is sanitized separately. Returns a promise if the reader does
   * not keep up.
   */
  texts(texts: readonly (string | LedText)[]): Promise<void> | undefined {
    if (!this.forPeople || this.settings.query !== undefined) return undefined;
    const shown = texts.map((one) => {
      const {lead, text} = typeof one === 'string' ? {lead: '', text: one} : one;
      return wrapFor(this.#stdout, lead + this.sanitizer.painted(text.replace(/\n$/, '')));
    });
    let drained: Promise<void> | undefined;
    this.#progress.around(() => {
      drained = this.#stdout.write(`${shown.join('\n')}\n`);
    });
    this.#resultWritten = true;
    if (this.settings.fields.length > 0 && !this.#fieldsChecked) {
      this.#fieldsChecked = true;
      this.warn(
        '--fields selects fields of records, but this result is text; use -o json --fields to select fields of the result',
      );
    }
    return drained;
  }

  /**
   * A list, in any format, written as it arrives if the format allows it. Returns the number of records. Stops early
   * if the reader of stdout has gone.
   */
  async list(records: AsyncIterable<unknown> | Iterable<unknown>, view?: View): Promise<number> {
    this.#resultWritten = true;
    const {format, query} = this.settings;
    if (query !== undefined || format === 'json' || format === 'yaml') {
      const all: unknown[] = [];
      for await (const record of records) all.push(record);
      for (const record of all.slice(0, MOST_SHOWN)) this.#noteShown(record, view);
      await this.#value(all, view);
      return all.length;
    }
    let count = 0;
    let piece: unknown[] = [];
    const writePiece = this.#pieceWriter(view);
    const write = (records: readonly unknown[]) => {
      this.#checkFields(records, view);
      return writePiece(records.map((record) => this.#clean(record)));
    };
    let stopped: {error: unknown} | undefined;
    for await (const record of untilError(records, (error) => (stopped = {error}))) {
      piece.push(record);
      count += 1;
      this.#noteShown(record, view);
      if (piece.length < (format === 'ndjson' || format === 'id' ? 1 : PIECE)) continue;
      await this.#stdout.write(await write(piece));
      piece = [];
      if (this.closed) return count;
    }
    if (piece.length > 0 || (count === 0 && stopped === undefined))
      await this.#stdout.write(await write(piece));
    if (stopped !== undefined) throw stopped.error;
    return count;
  }

  #noteShown(record: unknown, view: View | undefined): void {
    if (this.#onShown === undefined || view === undefined || this.#shown >= MOST_SHOWN) return;
    this.#shown += 1;
    this.#onShown({noun: view.noun, record});
  }

  /** The command's return value: the whole result for machines, and for people if nothing was shown yet. */
  async result(value: unknown): Promise<void> {
    if (value === undefined || this.#resultWritten) return;
    this.#resultWritten = true;
    await this.#value(value, undefined);
  }

  /** One line of NDJSON now, for commands that stream events. Only with `-o ndjson`. */
  event(value: unknown): Promise<void> | undefined {
    return this.events([value]);
  }

  /** The same for several lines, written at once. */
  events(values: readonly unknown[]): Promise<void> | undefined {
    this.#resultWritten = true;
    const lines = values.map((value) => {
      this.sanitizer.learn(value);
      return `${safeJson(this.sanitizer.value(value))}\n`;
    });
    return this.#stdout.write(lines.join(''));
  }

  /** Raw bytes on stdout, instead of a result in any format. */
  bytes(bytes: Uint8Array): Promise<void> | undefined {
    this.#resultWritten = true;
    return this.#stdout.writeBytes(bytes);
  }

  /** The progress of a long run; one line on stderr. */
  progress(text: string): void {
    this.#progress.show(this.sanitizer.layout(text));
  }

  endProgress(): void {
    this.#progress.end();
  }

  /** A note for a waiting user; hidden with --quiet. */
  note(text: string): void {
    if (!this.settings.quiet) this.#sayWrapped(this.sanitizer.layout(text));
  }

  /** A command to type next; hidden with --quiet. */
  hint(text: string): void {
    if (!this.settings.quiet) this.#say(wrapHint(this.sanitizer.layout(text), widthOf(this.#stderr)));
  }

  /** Something is not as requested. */
  warn(text: string): void {
    this.#sayWrapped(`${this.#paintErr('yellow', 'Warning:')} ${this.sanitizer.layout(text)}`);
  }

  /** Information that is shown even with --quiet: idempotency keys, facts of a live write. */
  notice(text: string): void {
    this.#sayWrapped(this.sanitizer.layout(text));
  }

  /** One line before any other output about a write with a live key. */
  liveBanner(text: string): void {
    this.#say(`${this.#paintErr('liveBanner', ' LIVE ')} ${this.sanitizer.layout(text)}`);
  }

  /** Redacted HTTP and other details, with --debug. */
  debug(text: string): void {
    this.#say(this.#paintErr('dim', this.sanitizer.layout(text)));
  }

  /** The end of a command that failed: one line of JSON or the message, the last output on stderr. */
  failure(error: RemitError): void {
    this.#progress.end();
    const {format} = this.settings;
    void this.#stderr.write(
      isJsonish(format)
        ? `${failureLine(error, this.sanitizer)}\n`
        : failureText(error, this.#paintErr, {sanitizer: this.sanitizer, width: widthOf(this.#stderr)}),
    );
  }

  /**
   * Waits until everything is written. Returns the error of a stream that could not be written, if there was one.
   * @param options.brokenPipeToo a reader that left also counts as a failure: the result of a write must not get lost
   */
  async flush(options: {brokenPipeToo?: boolean} = {}): Promise<RemitError | undefined> {
    this.#progress.end();
    await this.#stdout.flush();
    await this.#stderr.flush();
    return this.#stdout.failure(options);
  }

  #sayWrapped(text: string): void {
    this.#say(wrapFor(this.#stderr, text));
  }

  #say(line: string): void {
    this.#progress.around(() => void this.#stderr.write(`${line}\n`));
  }

  /** Names in `--fields` that no record has: refused before anything is written, or a warning after a write. */
  #checkFields(records: readonly unknown[], view: View | undefined): void {
    if (this.#knownFields === undefined || this.#fieldsChecked) return;
    this.#fieldsChecked = true;
    const known = {paths: this.#knownFields.paths, view};
    for (const field of unknownFields(this.settings.fields, records, known)) {
      const error = unknownField(field, records, known);
      if (this.#knownFields.onUnknown === 'refuse') throw error;
      this.warn(`${error.message}. ${error.hint}`);
    }
  }

  /** What is shown of a record: for machines each text unchanged; for people, CSV and ids on one line. */
  #clean(value: unknown): unknown {
    const {format} = this.settings;
    const isExact = isJsonish(format) || format === 'yaml';
    this.sanitizer.learn(value);
    return this.sanitizer.value(value, isExact ? 'exact' : 'line');
  }

  #eye(): Eye {
    return {
      terminal: this.isTerminal,
      columns: this.columns,
      nowMs: this.#clock.now(),
      paint: this.#paintOut,
    };
  }

  /** Applies query and fields, then writes the whole result in the requested format. */
  async #value(value: unknown, view: View | undefined): Promise<void> {
    const {format, fields, query} = this.settings;
    const clean = this.#clean(value); // before a query, which may rename a field
    const queried = query === undefined ? clean : await this.#queried(clean, query);
    const shown = query === undefined ? view : undefined; // a query may change the shape of a record
    if (query === undefined) this.#checkFields(isList(queried) ? queried : [queried], view);
    switch (format) {
      case 'json':
        await this.#stdout.write(`${safeJson(pickFields(queried, fields), 2)}\n`);
        return;
      case 'yaml':
        await this.#stdout.write(await safeYaml(pickFields(queried, fields) ?? null));
        return;
      case 'ndjson':
      case 'csv':
      case 'id':
      case 'table': {
        const records = isList(queried) ? queried : [queried];
        await this.#stdout.write(await this.#records(records, Array.isArray(queried), shown));
      }
    }
  }

  /** A usage error would imply that nothing was done. */
  async #queried(value: unknown, query: string): Promise<unknown> {
    try {
      return await runQuery(value, query);
    } catch (error) {
      if (!this.#mustTell) throw error;
      this.#queryFailed = true;
      this.warn(`${messageOf(error)}. The operation succeeded; the full result follows`);
      return value;
    }
  }

  async #records(records: readonly unknown[], isList: boolean, view: View | undefined): Promise<string> {
    const scalars = records.every((record) => record === null || typeof record !== 'object');
    if (this.settings.format !== 'table') return this.#pieceWriter(view)(records);
    if (scalars) return records.map((record) => `${scalarText(record)}\n`).join('');
    if (!isList) return this.sanitizer.painted(cardText(records[0], view, this.settings.fields, this.#eye()));
    return this.#pieceWriter(view)(records);
  }

  /** Writes some more records of a list; keeps what all of them share (header, columns). */
  #pieceWriter(view: View | undefined): (records: readonly unknown[]) => Promise<string> {
    const {format, fields} = this.settings;
    if (format === 'ndjson')
      return async (records) => records.map((record) => `${safeJson(pickFields(record, fields))}\n`).join('');
    if (format === 'id')
      return async (records) =>
        records.map((record) => `${scalarText(valueAt(record, 'id') ?? record)}\n`).join('');
    if (format === 'csv') {
      let columns: readonly string[] | undefined;
      return async (records) => {
        const head = columns === undefined;
        const known = columns ?? (fields.length > 0 ? fields : csvColumns(records));
        const used = known.length === 0 && records.length > 0 ? [''] : known;
        columns = used;
        const header = head && used.length > 0 ? csvLine(used[0] === '' ? ['value'] : used) : '';
        return header + records.map((record) => csvRow(record, used)).join('');
      };
    }
    const table = new TableWriter(view, {columns: this.columns, fields, eye: this.#eye()});
    return async (records) => {
      if (records.length === 0) return this.isTerminal ? `No ${view?.plural ?? 'records'}.\n` : '';
      const text = this.sanitizer.painted(await table.piece(records));
      if (table.leftOut.length > 0)
        this.note(
          `Columns hidden to fit the terminal: ${table.leftOut.splice(0).join(', ')}. Show them with --fields or -o json.`,
        );
      return text;
    };
  }
}

/** A terminal breaks lines in the middle of words; a pipe gets them whole. */
const wrapFor = (sink: Sink, text: string): string =>
  sink.isTerminal ? wrapLines(text, widthOf(sink)) : text;

const widthOf = (sink: Sink): number => (sink.isTerminal ? sink.columns : Infinity);

/** One value per line, for `-o id` and queries that return scalars. */
function scalarText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : safeJson(value);
}

/**
 * The records until their source fails. The failure is reported instead of thrown, so that earlier records are
 * written.
 */
async function* untilError(
  records: AsyncIterable<unknown> | Iterable<unknown>,
  onError: (error: unknown) => void,
): AsyncGenerator<unknown, void, undefined> {
  try {
    yield* records;
  } catch (error) {
    onError(error);
  }
}
