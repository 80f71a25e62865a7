import { FuzzError } from './errors.ts';

/** A stream of random numbers that depends on nothing but its seed. */
export interface Random {
  /** A whole number in [0, 2^32). */
  uint32(): number;
  /** A number in [0, 1), with 32 random bits. */
  uniform(): number;
  /** A whole number in [0, bound), every one equally likely. Range: bound in [1, 2^32]. */
  below(bound: number): number;
  /** A number from the normal distribution with mean 0 and deviation 1. */
  normal(): number;
  /** Another stream, which depends on this stream's seed and the labels, and not on what was drawn so far. */
  fork(...labels: readonly (string | number)[]): Random;
}

/**
 * The one random generator of this project: xoshiro128** seeded through a 128-bit hash of its labels.
 *
 * The same seed gives the same numbers on every machine, engine and Node version. Different labels give different
 * streams, and so do the same labels in other forks: `fork('a', 'b')` is not `fork('a').fork('b')`.
 * Source: Blackman and Vigna, "Scrambled linear pseudorandom number generators" (2021).
 *
 * @throws FuzzError `range`: a label that is a number and not finite.
 * @example
 * const random = createRandom('my run', 1);
 * const draws = random.fork('batches');
 */
export function createRandom(...seed: readonly (string | number)[]): Random {
  return streamOf(seed.map(label));
}

/** A stream by its path: labels, and a `/` for every fork. */
function streamOf(path: readonly (string | number)[]): Random {
  let [a, b, c, d] = hash(JSON.stringify(path));
  let spare: number | undefined;

  const uint32 = (): number => {
    const product = Math.imul(b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const t = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= t;
    d = (d << 11) | (d >>> 21);
    return result;
  };
  const uniform = (): number => uint32() / 0x1_0000_0000;

  return {
    uint32,
    uniform,
    below(bound) {
      // Numbers past the last whole multiple of the bound would make small results likelier: draw again.
      const limit = 0x1_0000_0000 - (0x1_0000_0000 % bound);
      let drawn = uint32();
      while (drawn >= limit) drawn = uint32();
      return drawn % bound;
    },
    normal() {
      if (spare !== undefined) {
        const result = spare;
        spare = undefined;
        return result;
      }
      const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
      const angle = 2 * Math.PI * uniform();
      spare = radius * Math.sin(angle);
      return radius * Math.cos(angle);
    },
    fork: (...labels) => streamOf([...path, '/', ...labels.map(label)]),
  };
}

/** A label that cannot be taken for the `/` of a fork: one of slashes alone gets one more. */
function label(given: string | number): string | number {
  if (typeof given === 'number' && !Number.isFinite(given))
    throw new FuzzError('range', `a label of a random stream is a finite number or a text, got ${given}`);
  return typeof given === 'string' && /^\/+$/.test(given) ? `${given}/` : given;
}

/** Four words from a text: FNV-1a with four offsets, each mixed by the finaliser of MurmurHash3. */
function hash(text: string): [number, number, number, number] {
  const word = (offset: number): number => {
    let h = offset;
    for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 0x0100_0193);
    h ^= h >>> 16;
    h = Math.imul(h, 0x85eb_ca6b);
    h ^= h >>> 13;
    h = Math.imul(h, 0xc2b2_ae35);
    return h ^ (h >>> 16);
  };
  // A state of four zeros would stay zero for ever.
  return [word(0x811c_9dc5), word(0x1234_5678), word(0x9e37_79b9), word(0x2545_f491) | 1];
}
