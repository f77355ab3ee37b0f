import type {SqlValue} from './port.ts';

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/**
 * String.prototype.isWellFormed and toWellFormed exist in Node 20, but not in the language library that we compile
 * for.
 */
interface WellFormed {
  isWellFormed(): boolean;
  toWellFormed(): string;
}

/**
 * Handles values that the two drivers would store differently. Text with NUL is refused (the WASM driver truncates it
 * there), lone surrogates become U+FFFD (they would shift the bytes after them), and integers beyond 64 bits are
 * refused (they would wrap).
 */
export function checkValues<Values extends readonly SqlValue[]>(params: Values): Values | SqlValue[] {
  let settled: SqlValue[] | undefined;
  for (let index = 0; index < params.length; index += 1) {
    const value = params[index];
    if (typeof value === 'string') {
      if (value.includes('\0'))
        throw new TypeError(`Parameter ${index + 1}: text with a NUL character cannot be stored`);
      const text = value as string & WellFormed;
      if (!text.isWellFormed()) (settled ??= [...params])[index] = text.toWellFormed();
    } else if (typeof value === 'bigint') {
      if (value < INT64_MIN || value > INT64_MAX)
        throw new RangeError(`Parameter ${index + 1}: integer beyond 64 bits`);
    } else if (typeof value !== 'number' && value !== null && !(value instanceof Uint8Array)) {
      throw new TypeError(`Parameter ${index + 1}: a ${typeof value} cannot be stored`);
    }
  }
  return settled ?? params;
}
