import {foldReference} from './identity.ts';

/** Bits of a hash: as many as SQLite keeps in four bytes, and the driver in WASM takes for a small number. */
export const HASH_BITS = 31;

/** 31 bits of a text: FNV-1a over its UTF-16 code units, its bits mixed at the end. Equal texts only have equal hashes. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 1;
}

/** The hash under which the journal finds the row of a reference (`row_names`); its test vector must not change. */
export const hashName = (reference: string): number => hashText(foldReference(reference));
