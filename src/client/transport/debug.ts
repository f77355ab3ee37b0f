import {readJsonExactly} from '../../json/exact.ts';
import {safeJson, type Sanitizer} from '../../sanitize/sanitizer.ts';
import type {TransportAnswer, TransportRequest} from './transport.ts';
import type {Json} from '../../narrow.ts';

/**
 * Receives redacted lines about each exchange: `> ` what is sent, `< ` what arrives, `* ` what happens in between.
 */
export type OnDebug = (line: string) => void;

export interface Debug {
  request(request: TransportRequest): void;
  answer(answer: TransportAnswer, elapsedMs: number): void;
  note(text: string): void;
}

const SILENT: Debug = {request() {}, answer() {}, note() {}};
const BODY_CHARACTERS = 10_000;

/** Writes exchanges to a hook, redacted; costs nothing without a hook. */
export function debugTo(onDebug: OnDebug | undefined, base: string, sanitizer: Sanitizer): Debug {
  if (onDebug === undefined) return SILENT;
  const write = (mark: string, text: string) => onDebug(`${mark} ${sanitizer.line(text)}`);
  const headers = (mark: string, all: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(all)) write(mark, `${name}: ${sanitizer.field(name, value)}`);
  };
  const body = (mark: string, text: string) => {
    if (text === '') return;
    const clean = bodyText(text, sanitizer); // before truncation, because half a number is not recognised
    onDebug(
      `${mark} ${clean.length > BODY_CHARACTERS ? `${clean.slice(0, BODY_CHARACTERS)}… (${text.length} characters)` : clean}`,
    );
  };
  return {
    request(request) {
      write('>', `${request.method} ${base}${request.path}`);
      headers('>', request.headers);
      body('>', request.body ?? '');
    },
    answer(answer, elapsedMs) {
      write('<', `${answer.status} (${Math.round(elapsedMs)} ms)`);
      headers('<', answer.headers);
      body('<', answer.body.toString('utf8'));
    },
    note: (text) => write('*', text),
  };
}

/** Everything is on one line, because a body could otherwise forge lines of this log. */
function bodyText(text: string, sanitizer: Sanitizer): string {
  try {
    const json: Json = readJsonExactly(text);
    sanitizer.learn(json);
    return safeJson(sanitizer.value(json));
  } catch {
    return sanitizer.words(text);
  }
}
