/** 32-bit integers in an array that doubles: a plain array of millions would take twice the memory. */
export interface IntList {
  readonly length: number;
  push(value: number): void;
  /** The integers so far, as a view. */
  values(): Int32Array;
}

/** An empty list. */
export function createIntList(): IntList {
  let values = new Int32Array(64);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value) {
      if (length === values.length) {
        const grown = new Int32Array(length * 2);
        grown.set(values);
        values = grown;
      }
      values[length++] = value;
    },
    values: () => values.subarray(0, length),
  };
}
