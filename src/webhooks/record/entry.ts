import type {Delivery, ForwardResult, HeaderPairs} from '../delivery/delivery.ts';
import {encodeFrame, type Frame, type Room} from './frame.ts';

/** An entry of the record: a delivery, or a result at a target. */
export type RecordEntry = {kind: 'delivery'; delivery: Delivery} | {kind: 'forward'; forward: ForwardResult};

export const encodeEntry = (entry: RecordEntry, room?: Room): Buffer =>
  entry.kind === 'forward'
    ? encodeFrame(JSON.stringify({kind: 'forward', ...entry.forward}), NO_BYTES, room)
    : encodeFrame(deliveryJson(entry.delivery), entry.delivery.body, room);

/**
 * Everything of a delivery except its body. Written by hand, because `JSON.stringify` takes more than twice as long
 * for these few texts.
 */
const deliveryJson = (delivery: Delivery): string =>
  `{"kind":"delivery","id":${quoted(delivery.id)},"receivedAtMs":${delivery.receivedAtMs},"path":${quoted(delivery.path)},` +
  `"headers":[${headersJson(delivery.headers)}],` +
  (delivery.bodyBytes === undefined ? '' : `"bodyBytes":${delivery.bodyBytes},`) +
  `"verdict":"${delivery.verdict}","reason":${quoted(delivery.reason)},"secret":${quoted(delivery.secret)},` +
  `"eventId":${quoted(delivery.eventId)},"eventType":${quoted(delivery.eventType)},"attempt":${delivery.attempt},` +
  `"duplicateOf":${quoted(delivery.duplicateOf)},"filtered":${delivery.filtered},"targets":${JSON.stringify(delivery.targets)}}`;

function headersJson(headers: HeaderPairs): string {
  let json = '';
  for (const [name, value] of headers) json += `${json === '' ? '' : ','}[${quoted(name)},${quoted(value)}]`;
  return json;
}

/** Printable ASCII without quotation marks and backslashes: the same in JSON. */
const PLAIN = /^[ !#-[\]-~]*$/;
const quoted = (text: string | null): string =>
  text === null ? 'null' : PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);

const NO_BYTES = new Uint8Array(0);

/** Undefined for a kind of a later version. */
export function decodeEntry({meta, body}: Frame): RecordEntry | undefined {
  switch (meta.kind) {
    case 'delivery': {
      const {kind, ...delivery} = meta;
      return {kind, delivery: {...delivery, body}};
    }
    case 'forward': {
      const {kind, ...forward} = meta;
      return {kind, forward};
    }
    default:
      return undefined;
  }
}
