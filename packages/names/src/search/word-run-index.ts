import { namesOfStep, type Steps } from '@fuzzqe/core';
import type { Dictionary } from '@fuzzqe/core/text';

/** Finds names that have, at any place, words spelled like a text. */
export interface WordRunIndex {
  /**
   * Calls `found` with the names in which one word, or words in a row, take at most `tolerance` edits (insert, delete,
   * replace, swap of neighbours) to become `wanted`, and with the least number of edits. No edit changes a digit: numbers
   * that differ are not mistyped.
   *
   * Ranges: `wanted` has 1 to `longestWanted` letters; tolerance in [0, 3].
   */
  within(wanted: string, tolerance: number, found: (index: number, edits: number) => void): Steps<void>;
}

/** A letter is a bit, and one bit more says that nothing has been read yet. */
export const longestWanted = 31;

/**
 * Reads names in dictionary order by an automaton whose states are the bits of a number, so that a letter takes a few
 * operations, whatever the length of the text, and what neighbours begin with is read once.
 *
 * Bit i of row e is set where the last letters read, from the beginning of a word on, take e edits to become the first i
 * letters of the text. Source: Wu and Manber, Fast text searching allowing errors (1992), with swaps in addition to the other edits.
 */
export function* createWordRunIndex(names: readonly string[], dictionary: Dictionary): Steps<WordRunIndex> {
  const { order, shared, longest } = dictionary;
  const { starts, letters, alphabet, firstDigit, firstLetter } = yield* lettersOf(names, dictionary);
  return {
    *within(wanted, tolerance, found) {
      const last = 1 << wanted.length;
      const masks = masksOf(wanted, alphabet);
      const digits = digitsOf(wanted);
      const [edited, swappable] = [~digits, ~(digits | (digits << 1))];
      // Some letters may be missing from the beginning of a word, up to the first digit.
      const missing = digits === 0 ? -1 : (digits & -digits) - 1;
      const begun = Int32Array.from({ length: stride }, (_, e) => ((2 << e) - 1) & missing);
      // After each number of letters: the rows, the letter's mask, and the least edits of a run of words that ended by then.
      const states = new Int32Array((longest + 1) * stride);
      const maskAt = new Int32Array(longest + 1);
      const least = new Int32Array(longest + 1).fill(stride);
      states.set(begun);
      const endsAt = (row: number): number => {
        for (let e = 0; e <= tolerance; e++) if ((states[row + e]! & last) !== 0) return e;
        return stride;
      };
      for (let at = 0; at < order.length; at++) {
        if (at % namesOfStep === 0) yield;
        let i = shared[at]!;
        let before = i * stride;
        const end = starts[at + 1]!;
        for (let next = starts[at]!; next < end; next++) {
          i++;
          const letter = letters[next]!;
          const here = masks[letter]!;
          maskAt[i] = here;
          const swapped = maskAt[i - 1]! & (here << 1) & swappable;
          const isDigit = letter >= firstDigit && letter < firstLetter;
          const now = before + stride;
          let old = states[before]!;
          let state = (old << 1) & here;
          states[now] = state;
          for (let e = 1; e <= tolerance; e++) {
            const fewer = old;
            old = states[before + e]!;
            state = ((old << 1) & here) | ((state << 1) & edited);
            if (!isDigit) state |= ((fewer << 1) & edited) | fewer;
            if (swapped !== 0) state |= (states[before - stride + e - 1]! << 2) & swapped;
            states[now + e] = state;
          }
          least[i] = least[i - 1]!;
          if (letter < firstDigit) {
            least[i] = Math.min(least[i]!, endsAt(before));
            for (let e = 0; e <= tolerance; e++) states[now + e]! |= begun[e]!;
          }
          before = now;
        }
        const edits = Math.min(least[i]!, endsAt(before));
        if (edits <= tolerance) found(order[at]!, edits);
      }
    },
  };
}

/** Rows are for no edits, one, two and three. */
const stride = 4;

/** How many letters are looked at in a piece of work on all of them. */
const lettersOfStep = 32_768;

/** What each name has beyond the one before it, as numbers of letters. */
interface Letters {
  /** Of the name at each place of the order, and the end of the last. */
  readonly starts: Int32Array;
  readonly letters: Uint16Array;
  /** The number of each letter by its code: first of those between words, then of digits, then of letters. */
  readonly alphabet: ReadonlyMap<number, number>;
  readonly firstDigit: number;
  readonly firstLetter: number;
}

function* lettersOf(names: readonly string[], { order, shared }: Dictionary): Steps<Letters> {
  const starts = new Int32Array(order.length + 1);
  for (let at = 0; at < order.length; at++) {
    if (at % namesOfStep === 0) yield;
    starts[at + 1] = starts[at]! + names[order[at]!]!.length - shared[at]!;
  }
  const letters = new Uint16Array(starts[order.length]!);
  const isUsed = new Uint8Array(1 << 16);
  for (let at = 0; at < order.length; at++) {
    if (at % namesOfStep === 0) yield;
    const name = names[order[at]!]!;
    for (let i = shared[at]!; i < name.length; i++) {
      const code = name.charCodeAt(i);
      letters[starts[at]! + i - shared[at]!] = code;
      isUsed[code] = 1;
    }
  }
  const isWord = createWordTest();
  const codes: number[] = [];
  for (let code = 0; code < isUsed.length; code++) if (isUsed[code] === 1) codes.push(code);
  yield;
  const between = codes.filter((code) => !isWord(code));
  const digits = codes.filter(isDigit);
  const others = codes.filter((code) => isWord(code) && !isDigit(code));
  const alphabet = new Map([...between, ...digits, ...others].map((code, number) => [code, number]));
  const numbers = new Uint16Array(1 << 16);
  for (const [code, number] of alphabet) numbers[code] = number;
  for (let i = 0; i < letters.length; i++) {
    if (i % lettersOfStep === 0) yield;
    letters[i] = numbers[letters[i]!]!;
  }
  const firstDigit = between.length;
  return { starts, letters, alphabet, firstDigit, firstLetter: firstDigit + digits.length };
}

/** Where each letter of an alphabet stands in a text: bit i + 1 for place i. */
function masksOf(wanted: string, alphabet: ReadonlyMap<number, number>): Int32Array {
  const masks = new Int32Array(alphabet.size);
  for (let i = 0; i < wanted.length; i++) {
    const letter = alphabet.get(wanted.charCodeAt(i));
    if (letter !== undefined) masks[letter]! |= 2 << i;
  }
  return masks;
}

/** Where a text has digits, as `masksOf` has letters. */
function digitsOf(wanted: string): number {
  let digits = 0;
  for (let i = 0; i < wanted.length; i++) if (isDigit(wanted.charCodeAt(i))) digits |= 2 << i;
  return digits;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

const wordCharacter = /[\p{L}\p{N}]/u;

/** Whether a letter, by its code, belongs to a word; each is looked up once. */
export function createWordTest(): (code: number) => boolean {
  const known = new Int8Array(1 << 16);
  return (code) => {
    const said = known[code]!;
    if (said !== 0) return said > 0;
    const word = wordCharacter.test(String.fromCharCode(code));
    known[code] = word ? 1 : -1;
    return word;
  };
}
