import {signWebhook, verifyWebhook} from '../../../src/webhooks/verify/signature.ts';

/** A small generator (mulberry32): a run can be repeated by its seed. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

interface Signed {
  body: Buffer;
  timestamp: string;
  signature: string;
}

const SECRET = 'whsec_5c7ab2f04d0ab5e3bd3d9a9f6ab6ffb1';
const NOW_MS = 1_770_000_000_000;
/** Without comma and white space, which separate the values of a header. */
const CHARACTERS = '0123456789abcdefABCDEFxyz=+-/._"\u00e9';

const accepts = ({body, timestamp, signature}: Signed, lenient: boolean): boolean =>
  verifyWebhook({
    body,
    headers: ['X-Webhook-Timestamp', timestamp, 'X-Webhook-Signature', signature],
    secrets: ['another secret', SECRET],
    nowMs: NOW_MS,
    lenient,
  }).ok;

/**
 * Changes signed deliveries in one place, or several, and verifies them.
 * @returns the changed deliveries that were accepted: none, or the verifier is broken
 */
export function acceptedMutations(count: number, seed: number): Signed[] {
  const random = randomOf(seed);
  const accepted: Signed[] = [];
  let original = sign(random);
  for (let done = 0; done < count;) {
    if (done % 50 === 0) {
      original = sign(random);
      if (!accepts(original, false)) throw new Error('an unchanged delivery was refused');
    }
    const changed = mutate(original, random);
    const lenient = random(2) === 1;
    if (isSame(changed, original, lenient)) continue;
    done += 1;
    if (accepts(changed, lenient)) accepted.push(changed);
  }
  return accepted;
}

function sign(random: (below: number) => number): Signed {
  const body = Buffer.from(Array.from({length: random(200)}, () => random(256)));
  const timestamp = String(NOW_MS / 1000 - 300 + random(601));
  return {body, timestamp, signature: signWebhook(SECRET, timestamp, body)};
}

/** Lenient verification does not tell upper case from lower case. */
function isSame(one: Signed, other: Signed, lenient: boolean): boolean {
  const digits = lenient ? one.signature.toLowerCase() : one.signature;
  return one.body.equals(other.body) && one.timestamp === other.timestamp && digits === other.signature;
}

function mutate(signed: Signed, random: (below: number) => number): Signed {
  const changed = {...signed};
  for (let times = 1 + random(2); times > 0; times -= 1) {
    const part = random(3);
    if (part === 0) changed.body = mutateBytes(changed.body, random);
    else if (part === 1) changed.timestamp = mutateText(changed.timestamp, random);
    else changed.signature = mutateText(changed.signature, random);
  }
  return changed;
}

function mutateBytes(bytes: Buffer, random: (below: number) => number): Buffer {
  const at = random(bytes.length + 1);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (random(5)) {
    case 0: // one bit
      return Buffer.concat([before, Buffer.from([(after[0] ?? 0) ^ (1 << random(8))]), after.subarray(1)]);
    case 1:
      return Buffer.concat([before, Buffer.from([random(256)]), after]);
    case 2:
      return Buffer.concat([before, after.subarray(1)]);
    case 3:
      return Buffer.from(before);
    default: // neighbours change places
      return Buffer.concat([before, after.subarray(1, 2), after.subarray(0, 1), after.subarray(2)]);
  }
}

function mutateText(text: string, random: (below: number) => number): string {
  const at = random(text.length + 1);
  const character = CHARACTERS[random(CHARACTERS.length)]!;
  const [before, after] = [text.slice(0, at), text.slice(at)];
  switch (random(5)) {
    case 0:
      return before + character + after.slice(1);
    case 1:
      return before + character + after;
    case 2:
      return before + after.slice(1);
    case 3:
      return before;
    default:
      return before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2);
  }
}
