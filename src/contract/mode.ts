/** The mode of a key and of everything that it reaches. Only `live` moves money. */
export type Mode = 'test' | 'live';
