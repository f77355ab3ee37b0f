import type {Clock} from '../clock.ts';
import type {RemitError} from '../errors.ts';
import {
  asReceived,
  differsFromReceived,
  isList,
  isObject,
  type Json,
  messageOf,
  type Printable,
} from '../narrow.ts';
import {safeJson} from '../sanitize/sanitizer.ts';
import {cardText} from './records/card.ts';
import type {Paint} from './text/colour.ts';
import {AmountCheck} from './amount-check.ts';
import {FieldCheck} from './field-check.ts';
import {isJsonish} from './formats.ts';
import {documentParts, HeldRecords, jsonParts, yamlParts} from './records/held.ts';
import type {KnownFields} from './records/known-fields.ts';
import {type MessageOptions, Messages, paintFor, wrapFor} from './messages.ts';
import {inPieces, type ListContext, pieceWriter, type RecordStream, wholeText} from './pieces.ts';
import {pickFields, runQuery} from './records/select.ts';
import {type OnShown, ShownRecords} from './shown.ts';
import {Sink, type OutStream} from './sink.ts';
import type {Eye, View} from './records/view.ts';

/**
 * A text after a lead that was made here, such as a time. The lead is shown unchanged: its colons would make every
 * line look as if it contained a secret field, which takes ten times as long to rule out.
 */
export interface LedText {
  lead: string;
  text: string;
}

/** A long list may have many. */
const MOST_LEFT_OUT_NAMED = 3;

export interface OutputOptions extends MessageOptions {
  stdout: OutStream;
  /** Set if the names in `--fields` are checked against the result. */
  knownFields?: KnownFields | undefined;
  /**
   * Set if something was done: a `--query` that does not fit its result causes a warning, and the whole result is
   * written.
   */
  mustTell?: boolean | undefined;
  /** The declared columns of CSV of the list that the command prints, read once they are needed. */
  csvColumns?: (() => Promise<readonly string[] | undefined>) | undefined;
  /** Called for the first records that are shown, in any format. */
  onShown?: OnShown | undefined;
}

/**
 * The only writer to stdout and stderr. stdout contains only the result; everything else for people goes to stderr.
 */
export class Output extends Messages {
  readonly #stdout: Sink;
  readonly #clock: Clock;
  readonly #paint: Paint;
  readonly #fieldCheck: FieldCheck;
  readonly #amountCheck: AmountCheck;
  readonly #mustTell: boolean;
  readonly #csvColumns: OutputOptions['csvColumns'];
  readonly #shown: ShownRecords;
  #resultWritten = false;
  /** How the record that was shown last is shown, which is the result of most commands. */
  #resultView: View | undefined;
  #queryFailed = false;
  #idsLeftOut = 0;

  constructor({stdout, knownFields, mustTell, csvColumns, onShown, ...options}: OutputOptions) {
    super(options);
    this.#fieldCheck = new FieldCheck(options.settings, knownFields, (text) => this.warn(text));
    this.#amountCheck = new AmountCheck((text) => this.warn(text));
    this.#mustTell = mustTell ?? false;
    this.#csvColumns = csvColumns;
    this.#shown = new ShownRecords(onShown);
    this.#stdout = new Sink(stdout);
    this.#clock = options.clock;
    this.#paint = paintFor(this.#stdout, options.settings, options.env);
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

  /** True if the result lacks ids that cannot be printed. */
  get lacksIds(): boolean {
    return this.#idsLeftOut > 0;
  }

  /** Colours for text on stdout that the caller lays out itself. */
  get paint(): Paint {
    return this.#paint;
  }

  /** Shows a record as a card, for people. Silent in machine formats, where the command's return value is the result. */
  record(record: Printable, view?: View): void {
    this.#noteShown([record], view);
    this.#resultView = view;
    if (!this.forPeople || this.settings.query !== undefined) return;
    this.#fieldCheck.ofRecords([record], view);
    const clean = this.#clean(record);
    const card = cardText(clean, view, this.settings.fields, this.#eye());
    void this.#stdout.write(this.sanitizer.laidOut(card, [clean]));
    this.#resultWritten = true;
  }

  /**
   * The record as last seen, if the command then fails: on stdout in every format except JSON and NDJSON, whose error
   * contains it.
   */
  async unfinished(record: Printable, view?: View): Promise<void> {
    if (record === undefined || record === null || isJsonish(this.settings.format)) return;
    this.record(record, view);
    await this.result(record);
  }

  /** Writes free text to stdout, for people. Silent in machine formats. */
  text(text: string): void {
    void this.texts([text]);
  }

  /**
   * Writes several texts at once; each is sanitized separately. Returns a promise if the reader does
   * not keep up.
   */
  texts(texts: readonly (string | LedText)[]): Promise<void> | undefined {
    if (!this.forPeople || this.settings.query !== undefined) return undefined;
    const shown = texts.map((one) => {
      const {lead, text} = typeof one === 'string' ? {lead: '', text: one} : one;
      return wrapFor(this.#stdout, lead + this.sanitizer.painted(text.replace(/\n$/, '')));
    });
    let drained: Promise<void> | undefined;
    this.progressLine.around(() => {
      drained = this.#stdout.write(`${shown.join('\n')}\n`);
    });
    this.#resultWritten = true;
    this.#fieldCheck.ofText();
    return drained;
  }

  /**
   * A list, in any format, written as it arrives if the format allows it. Returns the number of records. Stops early
   * if the reader of stdout has gone. `csv` are its columns if they are not those that the command declares.
   */
  async list(
    records: RecordStream,
    view?: View,
    csv: OutputOptions['csvColumns'] = this.#csvColumns,
  ): Promise<number> {
    this.#resultWritten = true;
    const {format, query} = this.settings;
    if (query !== undefined) {
      const all: Printable[] = [];
      for await (const record of records) all.push(record);
      this.#noteShown(all, view);
      await this.#value(all, view);
      return all.length;
    }
    if (format === 'json' || format === 'yaml') return this.#wholeList(records, view);
    let count = 0;
    const writePiece = pieceWriter({...this.#listOf(view), declared: await this.#declared(csv)});
    const write = async (piece: readonly Printable[]) => {
      this.#fieldCheck.ofRecords(piece, view);
      await this.#stdout.write(await writePiece(piece.map((record) => this.#clean(record))));
    };
    for await (const piece of inPieces(records, format)) {
      count += piece.length;
      this.#noteShown(piece, view);
      await write(piece);
      if (this.closed) return count;
    }
    if (count === 0) await write([]);
    return count;
  }

  /** Without declared columns, CSV has those of its first records. */
  async #declared(columns: OutputOptions['csvColumns']): Promise<readonly string[] | undefined> {
    const {format, fields, query} = this.settings;
    return format === 'csv' && fields.length === 0 && query === undefined ? columns?.() : undefined;
  }

  /** A list of which nothing is written before all of it has arrived. */
  async #wholeList(records: RecordStream, view: View | undefined): Promise<number> {
    const held = new HeldRecords();
    for await (const record of records) {
      this.sanitizer.learn(record);
      this.#noteShown([record], view);
      held.add(isObject(record) && differsFromReceived(record) ? asReceived(record) : record);
    }
    this.#fieldCheck.ofPieces(held.pieces(), view);
    const {sanitizer, settings} = this;
    function* shown() {
      for (const piece of held.pieces())
        yield piece.map((record) => pickFields(sanitizer.value(record), settings.fields));
    }
    await this.#wholeText(settings.format === 'json' ? jsonParts(shown()) : yamlParts(shown()));
    return held.length;
  }

  async #wholeText(parts: Iterable<string> | AsyncIterable<string>): Promise<void> {
    for await (const part of parts) {
      await this.#stdout.write(part);
      if (this.closed) return;
    }
  }

  /** The command's return value: the whole result for machines, and for people if nothing was shown yet. */
  async result(value: Printable): Promise<void> {
    if (value === undefined || this.#resultWritten) return;
    this.#resultWritten = true;
    await this.#value(value, this.settings.format === 'id' ? this.#resultView : undefined);
  }

  /** One JSON document now, instead of a result in the requested format. */
  document(value: Printable): Promise<void> | undefined {
    this.#resultWritten = true;
    this.sanitizer.learn(value);
    return this.#stdout.write(`${safeJson(this.sanitizer.value(value), 2)}\n`);
  }

  /** One line of NDJSON now, for commands that stream events. Only with `-o ndjson`. */
  event(value: Printable): Promise<void> | undefined {
    return this.events([value]);
  }

  /** Writes several lines at once. */
  events(values: readonly Printable[]): Promise<void> | undefined {
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

  /**
   * Waits until everything is written. Returns the error of a stream that could not be written, if there was one.
   * @param options.brokenPipeToo a reader that left also counts as a failure: the result of a write must not get lost
   */
  async flush(options: {brokenPipeToo?: boolean} = {}): Promise<RemitError | undefined> {
    this.progressLine.end();
    await this.#stdout.flush();
    await this.stderr.flush();
    return this.#stdout.failure(options);
  }

  #noteShown(records: readonly Printable[], view: View | undefined): void {
    this.#shown.note(records, view);
    this.#amountCheck.ofRecords(records);
  }

  /** What is shown of a record: for machines each text unchanged; for people and CSV on one line. */
  #clean(value: Printable): Json {
    const {format} = this.settings;
    const isExact = isJsonish(format) || format === 'yaml' || format === 'id';
    this.sanitizer.learn(value);
    return this.sanitizer.value(value, isExact ? 'exact' : 'line');
  }

  #listOf(view: View | undefined): ListContext {
    const {settings, sanitizer} = this;
    return {
      settings,
      sanitizer,
      view,
      eye: this.#eye(),
      note: (text) => this.note(text),
      warn: (text) => this.warn(text),
      leaveOut: (id) => this.#leaveOut(id),
    };
  }

  #leaveOut(id: string): void {
    this.#idsLeftOut += 1;
    if (this.#idsLeftOut > MOST_LEFT_OUT_NAMED) return;
    this.warn(`the id ${safeJson(id)} has characters that cannot be printed, so it is left out; use -o json`);
  }

  #eye(): Eye {
    return {
      terminal: this.isTerminal,
      columns: this.columns,
      nowMs: this.#clock.now(),
      paint: this.#paint,
    };
  }

  /** Applies query and fields, then writes the whole result in the requested format. */
  async #value(value: Printable, view: View | undefined): Promise<void> {
    const {format, fields, query} = this.settings;
    const clean = this.#clean(value); // before a query, which may rename a field
    const queried = query === undefined ? clean : await this.#queried(clean, query);
    const shown = query === undefined ? view : undefined; // a query may change the shape of a record
    if (query === undefined) this.#fieldCheck.ofRecords(isList(queried) ? queried : [queried], view);
    if (format === 'json' || format === 'yaml')
      return this.#wholeText(documentParts(pickFields(queried, fields) ?? null, format));
    const records = isList(queried) ? queried : [queried];
    const isSeveral = Array.isArray(queried);
    const declared = isSeveral ? await this.#declared(this.#csvColumns) : undefined;
    await this.#stdout.write(await wholeText(records, isSeveral, {...this.#listOf(shown), declared}));
  }

  /** A usage error would imply that nothing was done. */
  async #queried(value: Json, query: string): Promise<Json> {
    try {
      return await runQuery(value, query, ({text}) =>
        this.warn(
          `--query compares or computes with rounded numbers: ${text.length > 40 ? `${text.slice(0, 40)}…` : text} has more digits than they have`,
        ),
      );
    } catch (error) {
      if (!this.#mustTell) throw error;
      this.#queryFailed = true;
      this.warn(`${messageOf(error)}. The operation succeeded; the full result follows`);
      return value;
    }
  }
}
