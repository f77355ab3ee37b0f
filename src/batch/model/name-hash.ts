import {foldReference} from './identity.ts';

/** Bits of a hash. SQLite stores this many in four bytes, and the WASM driver treats the value as a small number. */
export const HASH_BITS = 31;

/**
 * Hashes a text to 31 bits: FNV-1a over its UTF-16 code units, then a final mix. Different texts can have the same
 * hash.
 */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 1;
}

/** The hash by which the journal finds the row of a reference (`row_names`). Its test vector must not change. */
export const hashName = (reference: string): number => hashText(foldReference(reference));
