/**
 * JSON to be stored as a text by `cast(? as text)`. The WASM driver copies bytes as a whole, but a text character by character,
 * twice: of a long one that is most of what it costs.
 */
export const jsonBytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
