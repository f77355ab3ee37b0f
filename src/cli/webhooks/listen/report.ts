import type {TimestampFormat} from '../../../contract/signature-form.ts';
import {counted} from '../../../phrases.ts';
import {hasArrived, type Delivery, type ForwardResult} from '../../../webhooks/delivery/delivery.ts';
import {
  deliveryLine,
  forwardLine,
  type DroppedLine,
  type EndpointLine,
  type ListenLine,
  type ObjectLine,
  type ReadyLine,
  type RefusedLine,
  type SummaryLine,
} from '../../../webhooks/delivery/lines.ts';
import {shellWord} from '../../../shell-word.ts';
import type {LedText, Output} from '../../../output/output.ts';
import type {JsonBody} from '../../../webhooks/verify/event.ts';
import {readBody} from '../../../webhooks/delivery/losses.ts';
import {LineQueue} from './line-queue.ts';
import {BELOW, deliveryText, forwardText, idLines, lossLine, objectText} from './view.ts';

/** The format of the timestamp of a rejected delivery whose signature is right. */
type FormatOf = (delivery: Delivery) => TimestampFormat | undefined;

/** Approximate size of a line without its body. */
const LINE_BYTES = 1000;

/** Number of other paths that are printed, so that a scanner cannot fill the screen; all requests are counted. */
const MOST_PATHS = 10;
const MOST_PATH_LENGTH = 200;

/** The output of a listener for people and scripts: lines as things happen, counts, a summary at the end. */
export class ListenReport {
  readonly #out: Output;
  readonly #formatOf: FormatOf;
  readonly #showResponse: boolean;
  readonly #isRecorded: boolean;
  readonly #counts = {received: 0, verified: 0, rejected: 0, duplicates: 0, forwarded: 0, failed: 0};
  #filtered = 0;
  #refused = 0;
  #otherPaths = 0;
  /** Other paths that were printed. */
  readonly #shownPaths = new Set<string>();
  /**
   * Lines that are written together at the end of this turn: a write for each would halve the deliveries per second.
   */
  readonly #texts: LineQueue<string | LedText>;
  readonly #lines: LineQueue<ListenLine>;
  #isFlushPlanned = false;
  #hasEnded = false;
  readonly #dropped: DroppedLine[] = [];

  constructor(
    out: Output,
    {showResponse, isRecorded, formatOf}: {showResponse: boolean; isRecorded: boolean; formatOf: FormatOf},
  ) {
    this.#out = out;
    this.#formatOf = formatOf;
    this.#isRecorded = isRecorded;
    this.#showResponse = showResponse;
    this.#lines = new LineQueue({
      write: (lines) => out.events(lines),
      gap: (lines) => ({type: 'gap', lines}),
      bytesOf: (line) => ('body_base64' in line ? LINE_BYTES + line.body_base64.length : LINE_BYTES),
    });
    this.#texts = new LineQueue({
      write: (texts) => out.texts(texts),
      gap: (lines) => `${BELOW}${lines} lines were omitted because the output was not read in time`,
      bytesOf: () => LINE_BYTES,
    });
  }

  ready(line: ReadyLine, facts: readonly string[]): void {
    this.#say(
      () => line,
      () => facts,
    );
    this.#flush();
  }

  delivery(delivery: Delivery, json: JsonBody | undefined): void {
    const counts = this.#counts;
    counts.received += 1;
    if (delivery.verdict === 'verified') counts.verified += 1;
    if (delivery.verdict === 'rejected') counts.rejected += 1;
    if (delivery.duplicateOf !== null) counts.duplicates += 1;
    if (delivery.filtered) this.#filtered += 1;
    this.#say(
      () => deliveryLine(delivery, json),
      () => this.#deliveryTexts(delivery, json),
    );
  }

  #deliveryTexts(delivery: Delivery, json: JsonBody | undefined): (string | LedText)[] {
    if (delivery.filtered) return [];
    const lost = delivery.verdict === 'rejected' ? [] : readBody(delivery.body, json).lost;
    return [
      deliveryText(delivery, this.#out, json),
      ...idLines(delivery, this.#out),
      ...this.#formatTexts(delivery),
      ...lost.map((loss): string => lossLine(loss, this.#out)),
    ];
  }

  /** A right signature that is rejected for the format of its timestamp: the flag that accepts it. */
  #formatTexts(delivery: Delivery): string[] {
    const format = delivery.reason === 'timestamp_format' ? this.#formatOf(delivery) : undefined;
    return format === undefined ? [] : [`${BELOW}the signature matches with --timestamp-format ${format}`];
  }

  forward(result: ForwardResult, response: Buffer): void {
    if (hasArrived(result)) this.#counts.forwarded += 1;
    const shown = this.#showResponse ? response.toString('utf8') : undefined;
    this.#say(
      () => forwardLine(result, shown),
      () => [
        forwardText(result, this.#out),
        ...(shown ? [`${' '.repeat(13)}${this.#out.sanitizer.line(shown)}`] : []),
      ],
    );
    if (!result.gaveUp || result.returned) return;
    this.#counts.failed += 1;
    const {delivery, target, attempt, error, status} = result;
    const why = error ?? `the target answered ${status}`;
    this.#say(
      () => ({type: 'dead', delivery, target, attempts: attempt, error: why}),
      () => [],
    );
  }

  object(line: ObjectLine): void {
    this.#say(
      () => line,
      () => [objectText(line, this.#out)],
    );
  }

  target(target: string, state: 'up' | 'down', error: string | null): void {
    this.#say(
      () => ({type: 'target', target, state, error}),
      () => [
        state === 'up'
          ? `${BELOW}${target} is back`
          : `${BELOW}${target} does not answer: ${error ?? 'no connection'}`,
      ],
    );
  }

  refused(reason: RefusedLine['reason'], detail: string, receivedAtMs: number): void {
    this.#refused += 1;
    const line: RefusedLine = {
      type: 'refused',
      reason,
      received_at: new Date(receivedAtMs).toISOString(),
      detail,
    };
    this.#say(
      () => line,
      () => [],
    );
    if (this.#out.forPeople && !this.#out.settings.quiet)
      this.#out.warn(`refused with 503: ${detail}; the service will send it again`);
  }

  /** A POST that was answered with 404, and is not recorded. */
  otherPath(path: string, own: string): void {
    this.#otherPaths += 1;
    if (this.#shownPaths.size >= MOST_PATHS || this.#shownPaths.has(path)) return;
    if (path.length > MOST_PATH_LENGTH) return;
    this.#shownPaths.add(path);
    this.#out.warn(
      `404 for POST ${path}: this listener answers only at ${own}. To receive it there: --path ${shellWord(path)}`,
    );
  }

  expected(eventType: string, delivery: string | null): void {
    this.#say(
      () => ({type: 'expect', event_type: eventType, matched: delivery !== null, delivery}),
      () => [
        delivery === null
          ? `No ${eventType} arrived in time.`
          : `The expected ${eventType} arrived: ${delivery}.`,
      ],
    );
  }

  /** People read the warnings of the endpoint instead. */
  endpoint(line: EndpointLine | DroppedLine): void {
    this.#say(
      () => line,
      () => [],
    );
  }

  /** People read the warning instead. */
  dropped(line: DroppedLine): void {
    this.#dropped.push(line);
    this.endpoint(line);
  }

  /** Deliveries of an earlier listener were dropped. Those that wait when this one ends are its user's choice. */
  get hasLost(): boolean {
    return this.#dropped.some(
      ({reason, deliveries}) => reason !== 'ended' && deliveries?.length !== 0 && deliveries !== null,
    );
  }

  summary(endpoints_left: readonly string[]): SummaryLine {
    const dropped = this.#dropped.map(({deliveries}) => deliveries);
    const deliveries_dropped = dropped.some((ids) => ids === null)
      ? null
      : dropped.flatMap((ids) => ids ?? []);
    const line: SummaryLine = {type: 'summary', ...this.#counts, endpoints_left, deliveries_dropped};
    const {format, quiet} = this.#out.settings;
    this.#out.endProgress();
    if (format === 'ndjson') this.#lines.end(line);
    if (this.#out.forPeople && !quiet) {
      this.#texts.end(this.#countsText());
      if (this.#counts.failed > 0 && this.#isRecorded)
        this.#out.hint('remit webhooks events replay --failed');
    }
    this.#hasEnded = true;
    return line;
  }

  /** Builds a line only for an output that shows it: under load, a line costs as much as verifying its delivery. */
  #say(line: () => ListenLine, texts: () => readonly (string | LedText)[]): void {
    const {format, quiet} = this.#out.settings;
    if (format === 'ndjson') this.#lines.push(line);
    if (this.#out.forPeople && !quiet) for (const text of texts()) this.#texts.push(() => text);
    if (this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isFlushPlanned = false;
    this.#lines.flush();
    this.#texts.flush();
    if (!this.#hasEnded && this.#counts.received > 0 && this.#out.forPeople && this.#out.isTerminal)
      this.#out.progress(this.#countsText());
  }

  #countsText(): string {
    const {received, verified, rejected, duplicates, forwarded, failed} = this.#counts;
    const parts = [
      `${received} received`,
      `${verified} verified`,
      `${rejected} rejected`,
      counted(duplicates, 'duplicate'),
      ...(this.#filtered > 0 ? [`${this.#filtered} filtered`] : []),
      ...(forwarded + failed > 0 ? [`${forwarded} forwarded`, `${failed} failed`] : []),
      ...(this.#refused > 0 ? [`${this.#refused} refused`] : []),
      ...(this.#otherPaths > 0 ? [`${this.#otherPaths} to other paths (404)`] : []),
    ];
    return parts.join(', ');
  }
}
