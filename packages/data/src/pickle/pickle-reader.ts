import { FuzzError } from '@fuzzqe/core';

/** Reads numbers and strings off the bytes of a pickle, and says where it is. */
export interface PickleReader {
  readonly offset: number;
  uint8(): number;
  uint16(): number;
  int32(): number;
  uint32(): number;
  /** An unsigned number of eight bytes that fits a file. */
  uint64(): number;
  float64(): number;
  /** A two's complement number of at most 8 bytes, low byte first. */
  long(length: number): number;
  text(length: number): string;
  /** Up to the next line feed. */
  line(): string;
}

/** More than any name. */
const longestText = 1 << 20;

/**
 * A reader of the bytes of a pickle.
 *
 * @throws FuzzError `data` with `path`: a file that ends before its pickle does; a string that is not UTF-8 or has more
 *   than 1 MiB; a whole number beyond 2⁵³.
 */
export function createPickleReader(bytes: Buffer, path: string): PickleReader {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let offset = 0;

  /** Moves past that many bytes and gives where they begin. */
  const take = (length: number): number => {
    const start = offset;
    offset += length;
    if (offset <= bytes.length) return start;
    throw new FuzzError(
      'data',
      `pickle: expected ${length} more bytes at byte ${start}, got the end of the file`,
      {
        path,
        hint: 'The file is cut short: fetch it again.',
      },
    );
  };

  const tooLarge = (got: string, start: number): FuzzError =>
    new FuzzError('data', `pickle: expected whole numbers of at most 2^53, got ${got} at byte ${start}`, {
      path,
      hint: 'Ids are small numbers: is it the file that it should be?',
    });

  return {
    get offset() {
      return offset;
    },
    // Not readUInt8: this is called once an opcode, tens of millions of times.
    uint8: () => bytes[take(1)]!,
    uint16() {
      const start = take(2);
      return bytes[start]! | (bytes[start + 1]! << 8);
    },
    int32: () => bytes.readInt32LE(take(4)),
    uint32: () => bytes.readUInt32LE(take(4)),
    uint64: () => Number(bytes.readBigUInt64LE(take(8))),
    float64: () => bytes.readDoubleBE(take(8)),
    long(length) {
      const start = take(length);
      if (length > 8) throw tooLarge(`one of ${length} bytes`, start);
      let value = 0n;
      for (let i = length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[start + i]!);
      const number = Number(BigInt.asIntN(length * 8, value));
      if (Number.isSafeInteger(number)) return number;
      throw tooLarge(String(number), start);
    },
    text(length) {
      const start = take(length);
      if (length > longestText)
        throw new FuzzError(
          'data',
          `pickle: expected texts of at most ${longestText} bytes, got ${length} at byte ${start}`,
          { path, hint: 'Names are short: is it the file that it should be?' },
        );
      const text = bytes.toString('utf8', start, offset);
      // A replacement character is rare, and the strict decoder slow to call: it judges only where there is one.
      if (!text.includes('\uFFFD')) return text;
      try {
        return decoder.decode(bytes.subarray(start, offset));
      } catch (cause) {
        throw new FuzzError(
          'data',
          `pickle: expected text in UTF-8 at byte ${start}, got bytes that are not`,
          {
            path,
            hint: 'Write the pickle again with Python 3.',
            cause,
          },
        );
      }
    },
    line() {
      const end = bytes.indexOf(0x0a, offset);
      if (end < 0 || end - offset > longestText) take(bytes.length - offset + 1);
      const text = bytes.toString('latin1', offset, end);
      offset = end + 1;
      return text;
    },
  };
}
