import type { FuzzError } from '@fuzzqe/core';
import type { PickleValue } from './pickle-value.ts';

/** The stack of a pickle, with its marks and its memo. */
export interface PickleStack {
  push(value: PickleValue): void;
  pop(): PickleValue;
  /** The value on top, which stays. */
  top(): PickleValue;
  /** Takes the last values off, in the order in which they were pushed. */
  take(count: number): PickleValue[];
  mark(): void;
  /** Takes off the values since the last mark, and the mark. */
  takeMarked(): PickleValue[];
  /** Keeps the value on top in the memo: at the place given, or at the next one. */
  memoize(place?: number): void;
  /** Pushes a value of the memo. */
  recall(place: number): void;
}

/**
 * A stack that refuses to give what is not there.
 *
 * @throws FuzzError what `bad` makes of a message.
 */
export function createPickleStack(bad: (message: string) => FuzzError): PickleStack {
  // A stack of its own size: setting an array's length gives its memory back, and growing it again costs most of the time.
  const values: PickleValue[] = [];
  let size = 0;
  const marks: number[] = [];
  const memo: PickleValue[] = [];
  /** Values below belong to an outer mark. */
  let floor = 0;

  const need = (count: number): void => {
    if (size - floor < count) throw bad(`expected ${count} values on the stack, got fewer`);
  };
  const takeFrom = (start: number): PickleValue[] => {
    const taken = values.slice(start, size);
    size = start;
    return taken;
  };
  return {
    push(value) {
      values[size++] = value;
    },
    pop() {
      need(1);
      return values[--size]!;
    },
    top() {
      need(1);
      return values[size - 1]!;
    },
    take(count) {
      need(count);
      return takeFrom(size - count);
    },
    mark() {
      marks.push(floor);
      floor = size;
    },
    takeMarked() {
      const outer = marks.pop();
      if (outer === undefined) throw bad('expected a mark, got none');
      const taken = takeFrom(floor);
      floor = outer;
      return taken;
    },
    memoize(place = memo.length) {
      need(1);
      // Python counts them: a place far beyond the others would only make the memo slow.
      if (place > 2 * memo.length + 256) throw bad(`expected places of the memo in order, got ${place}`);
      memo[place] = values[size - 1]!;
    },
    recall(place) {
      const value = memo[place];
      if (value === undefined) throw bad(`expected a value at place ${place} of the memo, got none`);
      values[size++] = value;
    },
  };
}
