import type {OtherEffect} from './faults.ts';
import {errorBody} from './service-error.ts';

/** What only a socket can do: nothing is answered, or the answer breaks off in the middle of its body. */
export type SocketEffect = 'reset' | 'cut';

/** An answer on its way out. */
export interface Outgoing {
  status: number;
  body: string | null;
  headers: Readonly<Record<string, string>>;
  socket?: SocketEffect;
}

/** True when the effect strikes before the request is handled, so that it leaves no trace in the store. */
export const strikesBefore = (effect: OtherEffect): boolean =>
  (effect.kind === 'status' || effect.kind === 'reset') && effect.when === 'before';

/** The answer as the fault leaves it. `answer` is what the service said, or null where it was not asked. */
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
    case 'non_json':
      return {...said, body: '<html><body>Bad gateway</body></html>', headers: {'content-type': 'text/html'}};
    case 'empty':
      return {...said, body: ''};
    case 'missing_fields':
      return {...said, body: edit(said.body, (body) => effect.fields.forEach((field) => delete body[field]))};
    case 'unknown_status':
      return {...said, body: edit(said.body, (body) => (body['status'] = effect.value))};
  }
}

/** Changes a JSON object's text; other bodies stay as they are. */
function edit(text: string | null, change: (body: Record<string, unknown>) => void): string | null {
  if (text === null) return null;
  const body: unknown = JSON.parse(text); // our own answer
  if (typeof body !== 'object' || body === null) return text;
  change(body as Record<string, unknown>);
  return JSON.stringify(body);
}
