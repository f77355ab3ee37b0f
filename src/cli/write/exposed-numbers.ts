import {isObject, type JsonFields, type Json} from '../../narrow.ts';
import {maskShapes} from '../../sanitize/secret-shapes.ts';
import type {Context} from '../core/context.ts';

/** Free-text fields of a body, which the service stores unchanged. */
const FREE_TEXT = ['description', 'name', 'label'];

/** Warns of card and account numbers in free text and metadata; only the end of the number is shown. */
export function warnOfNumbers({out}: Pick<Context, 'out'>, body: JsonFields): void {
  const metadata = isObject(body['metadata']) ? Object.entries(body['metadata']) : [];
  const texts = [
    ...FREE_TEXT.map((name): [string, Json] => [name, body[name]]),
    ...metadata.map(([key, value]): [string, Json] => [`metadata ${key}`, value]),
  ];
  for (const [name, text] of texts) {
    if (typeof text !== 'string') continue;
    const masked = maskShapes(text);
    if (masked === text) continue;
    const [end] = /…\w{0,4}/.exec(masked) ?? ['…'];
    out.warn(
      `${name} seems to contain a card or account number (${end}); the service stores this text unchanged`,
    );
  }
}
