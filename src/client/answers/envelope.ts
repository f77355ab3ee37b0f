import {isObject, type Json, type JsonValue} from '../../narrow.ts';

/** The record itself, also inside an envelope `{data: …}`, which moves have and other answers might. */
export function unwrapRecord(json: JsonValue): JsonValue;
export function unwrapRecord(json: Json): Json;
export function unwrapRecord(json: Json): Json {
  return isObject(json) && json['id'] === undefined && isObject(json['data']) ? json['data'] : json;
}
