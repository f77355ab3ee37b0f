import {isList, isObject, type Json, type JsonValue, parseJson} from '../../narrow.ts';
import type {OtherEffect} from './faults.ts';
import {errorBody} from '../base/service-error.ts';

/** Effects that need a socket: no answer is sent, or the answer is cut off in the middle of its body. */
export type SocketEffect = 'reset' | 'cut';

/** An answer about to be sent. */
export interface Outgoing {
  status: number;
  body: string | null;
  headers: Readonly<Record<string, string>>;
  socket?: SocketEffect;
  /** The time over which a slow body is sent. */
  dripMs?: number;
}

/** The headers of answers that have none of their own. */
export const NO_HEADERS: Outgoing['headers'] = {};

/** True if the effect replaces the handling of the request, so that the store does not change. */
export const strikesBefore = (effect: OtherEffect): boolean =>
  (effect.kind === 'status' || effect.kind === 'reset') && effect.when === 'before';

/** The answer as changed by the fault. `answer` is the service's answer, or null if the request was not handled. */
export function spoil(effect: OtherEffect, answer: Outgoing | null): Outgoing {
  const said: Outgoing = answer ?? {status: 500, body: null, headers: {}};
  switch (effect.kind) {
    case 'status': {
      const code =
        effect.error_code ?? (effect.status === 429 ? 'RATE_LIMITED' : `INJECTED_${effect.status}`);
      return {
        status: effect.status,
        body: JSON.stringify(errorBody(code, `injected ${effect.status}`)),
        headers: effect.retry_after === undefined ? {} : {'retry-after': String(effect.retry_after)},
      };
    }
    case 'reset':
      return {...said, socket: 'reset'};
    case 'cut':
      return {...said, socket: 'cut'};
    case 'slow':
      return {...said, dripMs: effect.ms};
    case 'wrong_type':
      return {...said, headers: {...said.headers, 'content-type': effect.type}};
    case 'non_json':
      return {...said, body: '<html><body>Bad gateway</body></html>', headers: {'content-type': 'text/html'}};
    case 'empty':
      return {...said, body: ''};
    case 'missing_fields':
      return {
        ...said,
        body: edit(said.body, (record) => effect.fields.forEach((field) => delete record[field])),
      };
    case 'unknown_status':
      return {...said, body: replace(said.body, 'status', effect.value)};
    case 'unknown_value':
      return {...said, body: replace(said.body, effect.field, effect.value)};
  }
}

/** Sets the value of an existing field; if the answer has no such field, nothing changes. */
const replace = (text: string | null, field: string, value: string) =>
  edit(text, (record) => {
    if (field in record) record[field] = value;
  });

const isRecord = (value: Json): value is Record<string, JsonValue> => isObject(value);

/** Changes the text of a JSON object, or of the records in a list; other bodies are not changed. */
function edit(text: string | null, change: (record: Record<string, JsonValue>) => void): string | null {
  if (text === null) return null;
  const body = parseJson(text);
  if (!isRecord(body)) return text;
  for (const inner of isList(body['data']) ? body['data'] : []) if (isRecord(inner)) change(inner);
  change(body);
  return JSON.stringify(body);
}
