import {createHash, randomFillSync} from 'node:crypto';

/** Randomness as a dependency. Every call returns new bytes. */
export type RandomBytes = (count: number) => Uint8Array;

const POOL_BYTES = 4096;

/** The system's randomness, read a page at a time: one system call per id would cost more than the id. */
export function systemRandom(): RandomBytes {
  return pooled((pool) => randomFillSync(pool));
}

/** Equal bytes for equal seeds, on every machine: SHA-256 in counter mode. Not for secrets. */
export function seededRandom(seed: string): RandomBytes {
  let counter = 0;
  return pooled((pool) => {
    for (let at = 0; at < pool.length; at += 32)
      pool.set(createHash('sha256').update(`${seed}\0${counter++}`).digest(), at);
  });
}

function pooled(fill: (pool: Uint8Array) => void): RandomBytes {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return (count) => {
    if (count > POOL_BYTES) throw new RangeError(`at most ${POOL_BYTES} bytes at once`);
    if (used + count > POOL_BYTES) {
      fill(pool);
      used = 0;
    }
    used += count;
    return pool.slice(used - count, used);
  };
}

/** A number in [0, 1), from 32 bits. */
export function randomFraction(random: RandomBytes): number {
  const [a = 0, b = 0, c = 0, d = 0] = random(4);
  return (a * 0x1000000 + b * 0x10000 + c * 0x100 + d) / 0x100000000;
}

/** A number in [0, 1) derived from a text: the same whenever, and in whatever order, it is requested. */
export const fractionOf = (text: string): number =>
  createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;

/** `count` decimal digits; the slight bias of a byte modulo 10 does not matter for trace numbers. */
export function randomDigits(random: RandomBytes, count: number): string {
  return [...random(count)].map((byte) => byte % 10).join('');
}
