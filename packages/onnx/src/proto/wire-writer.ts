/** Writes the values of a protobuf message one after the other. Source: https://protobuf.dev/programming-guides/encoding/ */
export interface WireWriter {
  /** A safe integer; 64 bits in two's complement if it is negative. */
  varint(value: number): void;
  float(value: number): void;
  string(text: string): void;
  bytes(bytes: Uint8Array): void;
  /** What `write` writes, behind its length. */
  message(write: () => void): void;
  /** All bytes so far. */
  finish(): Uint8Array;
}

/** The most bytes of a varint. */
const longest = 10;

/** A writer at the beginning of a file. */
export function createWireWriter(): WireWriter {
  const text = new TextEncoder();
  let file = new Uint8Array(1024);
  let length = 0;
  const need = (bytes: number): void => {
    if (length + bytes <= file.length) return;
    const larger = new Uint8Array(Math.max(length + bytes, 2 * file.length));
    larger.set(file.subarray(0, length));
    file = larger;
  };
  const writer: WireWriter = {
    varint(value) {
      need(longest);
      if (value < 0) {
        for (let rest = BigInt.asUintN(64, BigInt(value)); rest > 0n; rest >>= 7n)
          file[length++] = Number(rest & 127n) | (rest > 127n ? 128 : 0);
        return;
      }
      let rest = value;
      for (; rest > 127; rest = Math.floor(rest / 128)) file[length++] = (rest % 128) | 128;
      file[length++] = rest;
    },
    float(value) {
      need(4);
      new DataView(file.buffer).setFloat32(length, value, true);
      length += 4;
    },
    string(value) {
      writer.bytes(text.encode(value));
    },
    bytes(bytes) {
      writer.varint(bytes.length);
      need(bytes.length);
      file.set(bytes, length);
      length += bytes.length;
    },
    message(write) {
      const start = length;
      write();
      const end = length;
      // The length goes before what it counts.
      writer.varint(end - start);
      const prefix = file.slice(end, length);
      file.copyWithin(start + prefix.length, start, end);
      file.set(prefix, start);
    },
    finish: () => file.slice(0, length),
  };
  return writer;
}
