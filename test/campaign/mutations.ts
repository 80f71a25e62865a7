import fc, { type Arbitrary } from 'fast-check';

/** One change to bytes: where, as shares of the length, and with what. */
export interface Mutation {
  readonly kind: (typeof kinds)[number];
  readonly at: number;
  readonly span: number;
  readonly to: number;
  readonly times: number;
  readonly bytes: Uint8Array;
}

const kinds = ['replace', 'insert', 'remove', 'repeat', 'copy', 'cut', 'number', 'flip'] as const;

/** Numbers at which readers go wrong. */
const numbers = [
  '0',
  '-1',
  '1',
  '2147483647',
  '2147483648',
  '4294967296',
  '9007199254740993',
  '1e400',
  '1e-400',
]
  .concat(['99999999999999999999', 'NaN', '-0', '0.1', '١', '00', '+1', '0x10'])
  .map((text) => new TextEncoder().encode(text));

/** More than any small file; a reader's limits have tests of their own. */
const longest = 1 << 19;

/**
 * Bytes of valid inputs with up to six changes: parts replaced, removed, repeated, cut off, exchanged for words of the
 * `dictionary`, numbers for others. About one in seven stays as it is.
 */
export function mutated(
  valid: Arbitrary<Uint8Array>,
  dictionary: readonly (string | Uint8Array)[],
): Arbitrary<Uint8Array> {
  return fc.tuple(valid, mutations(dictionary)).map(([bytes, changes]) => mutate(bytes, changes));
}

/** The changes of `mutated`, for a door whose valid inputs are made when it opens. */
export function mutations(dictionary: readonly (string | Uint8Array)[]): Arbitrary<readonly Mutation[]> {
  const words = dictionary.map((word) => (typeof word === 'string' ? new TextEncoder().encode(word) : word));
  const mutation = fc.record({
    kind: fc.constantFrom(...kinds),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    // Mostly short: a change of all leaves no structure.
    span: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 64 })),
    to: fc.double({ min: 0, max: 1, noNaN: true }),
    // Seldom many, which take most of the time of those that read them.
    times: fc.oneof(
      { weight: 15, arbitrary: fc.integer({ min: 1, max: 8 }) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 20_000 }) },
    ),
    bytes: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...words, ...numbers) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 8 }) },
    ),
  });
  return fc.array(mutation, { maxLength: 6 });
}

/** Bytes after changes, one after the other. */
export function mutate(bytes: Uint8Array, changes: readonly Mutation[]): Uint8Array {
  return changes.reduce(apply, bytes);
}

function apply(bytes: Uint8Array, { kind, at, span, to, times, bytes: word }: Mutation): Uint8Array {
  const place = Math.floor(at * bytes.length);
  const end = Math.min(bytes.length, place + span);
  const part = bytes.subarray(place, end);
  const between = (middle: Uint8Array, after = end): Uint8Array =>
    Buffer.concat([bytes.subarray(0, place), middle, bytes.subarray(after)]).subarray(0, longest);
  switch (kind) {
    case 'replace':
      return between(word);
    case 'insert':
      return between(word, place);
    case 'remove':
      return between(new Uint8Array(0));
    case 'repeat':
      return between(repeated(part.length > 0 ? part : word, times), place);
    case 'copy':
      return between(
        bytes.subarray(Math.floor(to * bytes.length), Math.floor(to * bytes.length) + span),
        place,
      );
    case 'cut':
      return bytes.subarray(0, place);
    case 'number': {
      const number = numberAt(bytes, place);
      return number === undefined
        ? bytes
        : Buffer.concat([bytes.subarray(0, number.start), word, bytes.subarray(number.end)]).subarray(
            0,
            longest,
          );
    }
    case 'flip': {
      const flipped = Uint8Array.from(bytes);
      if (place < flipped.length) flipped[place]! ^= 1 << (times % 8);
      return flipped;
    }
  }
}

function repeated(part: Uint8Array, times: number): Uint8Array {
  const most = Math.min(times, Math.floor(longest / Math.max(1, part.length)));
  return part.length === 0 ? part : Buffer.alloc(most * part.length, part);
}

/** The first run of digits at or after a place. */
function numberAt(
  bytes: Uint8Array,
  place: number,
): { readonly start: number; readonly end: number } | undefined {
  const isDigit = (at: number): boolean => bytes[at]! >= 0x30 && bytes[at]! <= 0x39;
  let start = place;
  while (start < bytes.length && !isDigit(start)) start++;
  if (start >= bytes.length) return undefined;
  let end = start;
  while (end < bytes.length && isDigit(end)) end++;
  return { start, end };
}

/** A place as a share of a length: in [0, 1). */
export const share: Arbitrary<number> = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** What JSON is made of, for dictionaries of mutations. */
export const jsonSigns = ['{', '}', '[', ']', '"', ',', ':', 'null'] as const;

/** A text as the bytes of a file. */
export function utf8(text: Arbitrary<string>): Arbitrary<Uint8Array> {
  return text.map((each) => new TextEncoder().encode(each));
}
