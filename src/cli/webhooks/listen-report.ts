import {hasArrived, type Delivery, type ForwardResult} from '../../webhooks/delivery.ts';
import {
  deliveryLine,
  forwardLine,
  type ListenLine,
  type ObjectLine,
  type ReadyLine,
  type RefusedLine,
  type SummaryLine,
} from '../../webhooks/lines.ts';
import type {Output} from '../../output/output.ts';
import {deliveryText, forwardText, lossLine, objectText} from './listen-view.ts';

/** What people and scripts see of a listener: lines as things happen, counts, a summary at the end. */
export class ListenReport {
  readonly #out: Output;
  readonly #showResponse: boolean;
  readonly #counts = {received: 0, verified: 0, rejected: 0, duplicates: 0, forwarded: 0, failed: 0};
  #filtered = 0;
  #refused = 0;
  /** Called with every line, whatever the output format is: for other viewers of the same listener. */
  onLine: (line: ListenLine) => void = () => {};

  constructor(out: Output, {showResponse}: {showResponse: boolean}) {
    this.#out = out;
    this.#showResponse = showResponse;
  }

  ready(line: ReadyLine, facts: readonly string[]): void {
    this.#say(line, () => facts.forEach((fact) => this.#out.text(fact)));
  }

  delivery(delivery: Delivery): void {
    const counts = this.#counts;
    counts.received += 1;
    if (delivery.verdict === 'verified') counts.verified += 1;
    if (delivery.verdict === 'rejected') counts.rejected += 1;
    if (delivery.duplicateOf !== null) counts.duplicates += 1;
    if (delivery.filtered) this.#filtered += 1;
    const line = deliveryLine(delivery);
    this.#say(line, () => {
      if (delivery.filtered) return;
      this.#out.text(deliveryText(delivery, this.#out));
      if ('lost' in line) for (const loss of line.lost ?? []) this.#out.text(lossLine(loss, this.#out));
    });
  }

  forward(result: ForwardResult, response: Buffer): void {
    if (hasArrived(result)) this.#counts.forwarded += 1;
    const shown = this.#showResponse ? response.toString('utf8') : undefined;
    this.#say(forwardLine(result, shown), () => {
      this.#out.text(forwardText(result, this.#out));
      if (shown) this.#out.text(`${' '.repeat(13)}${this.#out.sanitizer.line(shown)}`);
    });
    if (!result.gaveUp || result.returned) return;
    this.#counts.failed += 1;
    const {delivery, target, attempt, error, status} = result;
    this.#say(
      {type: 'dead', delivery, target, attempts: attempt, error: error ?? `the target answered ${status}`},
      () => {},
    );
  }

  object(line: ObjectLine): void {
    this.#say(line, () => this.#out.text(objectText(line, this.#out)));
  }

  target(target: string, state: 'up' | 'down', error: string | null): void {
    this.#say({type: 'target', target, state, error}, () =>
      this.#out.text(
        state === 'up'
          ? `${' '.repeat(10)}${target} is back`
          : `${' '.repeat(10)}${target} does not answer: ${error ?? 'no connection'}`,
      ),
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
    this.#say(line, () => this.#out.warn(`refused with 503: ${detail}; the service will send it again`));
  }

  expected(eventType: string, delivery: string | null): void {
    this.#say({type: 'expect', event_type: eventType, matched: delivery !== null, delivery}, () =>
      this.#out.text(
        delivery === null
          ? `No ${eventType} arrived in time.`
          : `The expected ${eventType} arrived: ${delivery}.`,
      ),
    );
  }

  summary(): SummaryLine {
    this.#out.endProgress();
    const line: SummaryLine = {type: 'summary', ...this.#counts};
    this.#say(line, () => this.#out.text(this.#countsText()));
    return line;
  }

  #say(line: ListenLine, text: () => void): void {
    this.onLine(line);
    if (this.#out.settings.format === 'ndjson') void this.#out.event(line);
    else if (this.#out.forPeople && !this.#out.settings.quiet) text();
    if (line.type !== 'summary' && this.#out.forPeople && this.#out.isTerminal)
      this.#out.progress(this.#countsText());
  }

  #countsText(): string {
    const {received, verified, rejected, duplicates, forwarded, failed} = this.#counts;
    const parts = [
      `${received} received`,
      `${verified} verified`,
      `${rejected} rejected`,
      `${duplicates} duplicates`,
      ...(this.#filtered > 0 ? [`${this.#filtered} filtered`] : []),
      ...(forwarded + failed > 0 ? [`${forwarded} forwarded`, `${failed} failed`] : []),
      ...(this.#refused > 0 ? [`${this.#refused} refused`] : []),
    ];
    return parts.join(', ');
  }
}
