/** Values that come and go, each by the place that it has until it leaves. */
export interface Slots<T> {
  /** Takes a value in and gives its place. */
  add(value: T): number;
  /** The value at a place; undefined where there is none. */
  get(place: number): T | undefined;
  /** Lets go of the value at a place, which another one may have from then on. */
  remove(place: number): void;
  /** All values, in no order. */
  all(): T[];
}

/**
 * No values yet.
 *
 * For what is kept of each request, instead of a Set or of the values of a Map, which in V8 hold what left them: their table, once it
 * is full, is replaced and stays linked to the next. One that has become old keeps all that came after it, with all that these ever
 * held, through every collection of what is young, so that every request is copied twice and then waits for a collection of what is
 * old. A WeakMap does the same with its values.
 */
export function createSlots<T>(): Slots<T> {
  const values: (T | undefined)[] = [];
  const free: number[] = [];
  return {
    add(value) {
      const place = free.pop() ?? values.length;
      values[place] = value;
      return place;
    },
    get: (place) => values[place],
    remove(place) {
      if (values[place] === undefined) return;
      values[place] = undefined;
      free.push(place);
    },
    all: () => values.filter((value) => value !== undefined),
  };
}
