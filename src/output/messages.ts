import type {Clock} from '../clock.ts';
import type {RemitError} from '../errors.ts';
import {Sanitizer} from '../sanitize/sanitizer.ts';
import {ansiPaint, type Paint, plainPaint, wantsColour} from './text/colour.ts';
import {failureLine, failureText} from './failure.ts';
import {isJsonish, type OutputSettings} from './formats.ts';
import {Progress} from './progress.ts';
import {type OutStream, Sink} from './sink.ts';
import {wrapHint, wrapLines} from './text/wrap.ts';

/** Known before anything is read, even for commands that open no profile. */
const SECRET_VARIABLES = ['REMIT_API_KEY', 'REMIT_WEBHOOK_SECRET'];

export interface MessageOptions {
  stderr: OutStream;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  settings: OutputSettings;
}

/** What is for people and no part of the result: everything on stderr. */
export class Messages {
  readonly settings: OutputSettings;
  /** All output passes through it. Code that reads a secret adds the secret to it. */
  readonly sanitizer = new Sanitizer();
  protected readonly stderr: Sink;
  protected readonly progressLine: Progress;
  readonly #paint: Paint;

  constructor({stderr, env, clock, settings}: MessageOptions) {
    this.settings = settings;
    this.stderr = new Sink(stderr);
    this.progressLine = new Progress(this.stderr, clock, settings.quiet);
    for (const name of SECRET_VARIABLES) this.sanitizer.conceal(...(env[name] ?? '').split(','));
    this.#paint = paintFor(this.stderr, settings, env);
  }

  /** The progress of a long run; one line on stderr. */
  progress(text: string): void {
    this.progressLine.show(this.sanitizer.layout(text));
  }

  endProgress(): void {
    this.progressLine.end();
  }

  /** A note for a waiting user; hidden with --quiet. */
  note(text: string): void {
    if (!this.settings.quiet) this.#sayWrapped(this.sanitizer.layout(text));
  }

  /** A command to type next; hidden with --quiet. */
  hint(text: string): void {
    if (!this.settings.quiet) this.#say(wrapHint(this.sanitizer.layout(text), widthOf(this.stderr)));
  }

  /** Something is not as requested. */
  warn(text: string): void {
    this.#sayWrapped(`${this.#paint('yellow', 'Warning:')} ${this.sanitizer.layout(text)}`);
  }

  /** Information that is shown even with --quiet: idempotency keys, facts of a live write. */
  notice(text: string): void {
    this.#sayWrapped(this.sanitizer.layout(text));
  }

  /** One line before any other output about a write with a live key. */
  liveBanner(text: string): void {
    this.#say(`${this.#paint('liveBanner', ' LIVE ')} ${this.sanitizer.layout(text)}`);
  }

  /** Redacted HTTP and other details, with --debug. */
  debug(text: string): void {
    this.#say(this.#paint('dim', this.sanitizer.layout(text)));
  }

  /** The end of a command that failed: one line of JSON or the message, the last output on stderr. */
  failure(error: RemitError): void {
    this.progressLine.end();
    const {format} = this.settings;
    void this.stderr.write(
      isJsonish(format)
        ? `${failureLine(error, this.sanitizer)}\n`
        : failureText(error, this.#paint, {sanitizer: this.sanitizer, width: widthOf(this.stderr)}),
    );
  }

  #sayWrapped(text: string): void {
    this.#say(wrapFor(this.stderr, text));
  }

  #say(line: string): void {
    this.progressLine.around(() => void this.stderr.write(`${line}\n`));
  }
}

/** Colours, if the stream shows them. */
export const paintFor = (sink: Sink, {colour}: OutputSettings, env: MessageOptions['env']): Paint =>
  wantsColour({setting: colour, env, isTerminal: sink.isTerminal}) ? ansiPaint : plainPaint;

/** A terminal breaks lines in the middle of words; a pipe gets them whole. */
export const wrapFor = (sink: Sink, text: string): string =>
  sink.isTerminal ? wrapLines(text, widthOf(sink)) : text;

const widthOf = (sink: Sink): number => (sink.isTerminal ? sink.columns : Infinity);
