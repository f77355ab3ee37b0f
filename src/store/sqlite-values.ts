import type {SqlValue} from './port.ts';

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** String.prototype.isWellFormed and toWellFormed are in Node 20, not yet in the language library that we compile for. */
interface WellFormed {
  isWellFormed(): boolean;
  toWellFormed(): string;
}

/**
 * Refuses or settles what the two drivers would store differently: text with NUL (the WASM driver cuts it there), lone
 * surrogates (they would shift the bytes behind them; become U+FFFD), integers beyond 64 bits (would wrap).
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
