/** Keys that are looked up together, as UTF-8 bytes of its own: what they were copied from may change. */
export interface KeyBatch {
  readonly count: number;
  readonly isFull: boolean;
  /** Key i is bytes[ends[i] … ends[i + 1]): arrays, for inner loops that cannot afford a call a key. */
  readonly bytes: Buffer;
  readonly ends: Int32Array;
  text(i: number): string;
  /** Adds the key in `bytes[start … end)`. */
  push(bytes: Uint8Array, start: number, end: number): void;
  clear(): void;
}

/** An empty batch of at most that many keys. */
export function createKeyBatch(most: number): KeyBatch {
  const ends = new Int32Array(most + 1);
  let bytes = Buffer.alloc(16 * most);
  let count = 0;
  return {
    get count() {
      return count;
    },
    get isFull() {
      return count === most;
    },
    get bytes() {
      return bytes;
    },
    ends,
    text: (i) => bytes.toString('utf8', ends[i]!, ends[i + 1]!),
    push(from, start, end) {
      let to = ends[count]!;
      const needed = to + end - start;
      if (needed > bytes.length) {
        const longer = Buffer.alloc(Math.max(needed, 2 * bytes.length));
        longer.set(bytes);
        bytes = longer;
      }
      const into = bytes;
      for (let at = start; at < end; at++) into[to++] = from[at]!;
      ends[++count] = to;
    },
    clear() {
      count = 0;
    },
  };
}
