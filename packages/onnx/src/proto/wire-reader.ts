/** How a field stands in a protobuf file. Source: https://protobuf.dev/programming-guides/encoding/ */
export const wire = { varint: 0, delimited: 2, fixed32: 5 } as const;

/** Reads the values of a protobuf message one after the other; `limit` is where the innermost message ends. */
export interface WireReader {
  position: number;
  /** Throws: what stands there ends after `limit`, or is no number that JavaScript has. */
  int64(limit: number): number;
  int32(limit: number): number;
  float(limit: number): number;
  string(limit: number): string;
  /** A view of the file. */
  bytes(limit: number): Uint8Array;
  /** Where something that begins with its length ends; it begins at `position`. */
  end(limit: number): number;
}

/** Longer texts are left to the platform. */
const mostLetters = 64;

/** A reader at the beginning of a file. */
export function createWireReader(file: Uint8Array): WireReader {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  // A mark at the beginning is a part of the text: two names never read as one.
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  const reader: WireReader = {
    position: 0,
    int64(limit) {
      const only = file[reader.position]!;
      if (reader.position < limit && only < 0x80) {
        reader.position += 1;
        return only;
      }
      let low = 0;
      let high = 0;
      for (let shift = 0; shift < 70; shift += 7) {
        if (reader.position >= limit) throw new RangeError('a number is cut off');
        const byte = file[reader.position++]!;
        const bits = byte & 0x7f;
        if (shift === 63 && bits > 1) break;
        if (shift < 32) low |= bits << shift;
        if (shift + 7 > 32) high |= shift < 32 ? bits >>> (32 - shift) : bits << (shift - 32);
        if (byte >= 0x80) continue;
        const value = high * 2 ** 32 + (low >>> 0);
        if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is too large a number`);
        return value;
      }
      throw new RangeError('a number has more than 64 bits');
    },
    int32(limit) {
      const value = reader.int64(limit);
      if (value !== (value | 0)) throw new RangeError(`${value} is too large a number`);
      return value;
    },
    float(limit) {
      const at = reader.position;
      if (at + 4 > limit) throw new RangeError('a number is cut off');
      reader.position += 4;
      return view.getFloat32(at, true);
    },
    string(limit) {
      const end = reader.end(limit);
      const start = reader.position;
      reader.position = end;
      // Names, a few letters each: the platform's decoder takes longer to be called than they do.
      if (end - start > mostLetters) return text.decode(file.subarray(start, end));
      let letters = '';
      for (let at = start; at < end; at += 1) {
        if (file[at]! >= 0x80) return text.decode(file.subarray(start, end));
        letters += String.fromCharCode(file[at]!);
      }
      return letters;
    },
    bytes(limit) {
      const end = reader.end(limit);
      const bytes = file.subarray(reader.position, end);
      reader.position = end;
      return bytes;
    },
    end(limit) {
      const length = reader.int64(limit);
      const end = reader.position + length;
      if (length < 0 || end > limit)
        throw new RangeError(`${length} bytes are announced, ${limit - reader.position} are there`);
      return end;
    },
  };
  return reader;
}
