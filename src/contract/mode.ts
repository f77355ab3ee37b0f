/** Of a key and of everything that it reaches: only `live` moves money. */
export type Mode = 'test' | 'live';
