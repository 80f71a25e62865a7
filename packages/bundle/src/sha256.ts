/** The first 32 bits of the fractions of roots of the first primes: square roots to begin with, cube roots for the rounds. */
const primes = firstPrimes(64);
const fraction = (root: number): number => ((root % 1) * 2 ** 32) >>> 0;
const start = Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const constants = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));

/**
 * SHA-256 of bytes of any number, computed here: WebCrypto takes less than 2³¹ bytes and no pieces.
 *
 * Source: FIPS 180-4, section 6.2.
 */
export function sha256(bytes: Uint8Array): Uint8Array {
  const state = start.slice();
  const whole = bytes.length - (bytes.length % 64);
  addBlocks(state, bytes, whole);
  // The rest, a one, zeros, and the number of bits in 64 bits.
  const rest = new Uint8Array(bytes.length % 64 < 56 ? 64 : 128);
  rest.set(bytes.subarray(whole));
  rest[bytes.length % 64] = 0x80;
  new DataView(rest.buffer).setBigUint64(rest.length - 8, BigInt(bytes.length) * 8n);
  addBlocks(state, rest, rest.length);
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => {
    digest.setUint32(4 * i, word);
  });
  return new Uint8Array(digest.buffer);
}

function addBlocks(state: Uint32Array, bytes: Uint8Array, length: number): void {
  const w = new Int32Array(64);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < length; at += 64) {
    for (let t = 0; t < 16; t += 1) w[t] = view.getInt32(at + 4 * t);
    for (let t = 16; t < 64; t += 1) {
      const [x, y] = [w[t - 15]!, w[t - 2]!];
      const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
      const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
      w[t] = w[t - 16]! + s0 + w[t - 7]! + s1;
    }
    let [a, b, c, d] = [state[0]! | 0, state[1]! | 0, state[2]! | 0, state[3]! | 0];
    let [e, f, g, h] = [state[4]! | 0, state[5]! | 0, state[6]! | 0, state[7]! | 0];
    for (let t = 0; t < 64; t += 1) {
      const choice = (e & f) ^ (~e & g);
      const majority = (a & b) ^ (a & c) ^ (b & c);
      const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
      const next = (h + s1 + choice + constants[t]! + w[t]!) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + next) | 0;
      d = c;
      c = b;
      b = a;
      a = (next + s0 + majority) | 0;
    }
    for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = state[i]! + word;
  }
}

/** Rotates 32 bits to the right. */
function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function firstPrimes(count: number): readonly number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n += 1) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
}
