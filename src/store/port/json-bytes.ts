/**
 * JSON to be stored as text with `cast(? as text)`. The WASM driver copies bytes as a block, but copies text
 * character by character, twice; for long text this is most of the cost.
 */
export const jsonBytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
