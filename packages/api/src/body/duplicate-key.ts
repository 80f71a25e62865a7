import type { Steps } from '@fuzzqe/core';

/** A key that an object has twice, and where that object stands. */
export interface DuplicateKey {
  readonly key: string;
  /** A JSON path: `$.query.and[1]`. */
  readonly path: string;
}

/** An object or an array that is being read. */
interface Open {
  /** The keys so far, null before the first; undefined for an array. */
  keys: Set<string> | null | undefined;
  /** Of the value that is read now. */
  place: string | number;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openArray = 0x5b;
const backslash = 0x5c;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** Characters that are looked at in a piece of work. */
const charactersOfStep = 2 ** 14;

/**
 * The first key that an object holds twice, at any depth: readers differ in which value they take, so a text with one may mean
 * another thing to anyone who checked it before. Or `too many`, where the keys of all objects have more than so many different names:
 * `JSON.parse` takes a microsecond and more for each.
 *
 * @param text JSON; of any other text the result says nothing.
 */
export function* findDuplicateKey(
  text: string,
  mostNames: number = Number.POSITIVE_INFINITY,
): Steps<DuplicateKey | 'too many' | undefined> {
  const names = new Set<string>();
  let next = charactersOfStep;
  const stack: Open[] = [];
  let inner: Open | undefined;
  for (let at = 0; at < text.length; at++) {
    if (at >= next) {
      next = at + charactersOfStep;
      yield;
    }
    switch (text.charCodeAt(at)) {
      case openObject:
      case openArray:
        inner = { keys: text.charCodeAt(at) === openObject ? null : undefined, place: 0 };
        stack.push(inner);
        break;
      case closeObject:
      case closeArray:
        stack.pop();
        inner = stack.at(-1);
        break;
      case comma:
        if (typeof inner?.place === 'number') inner.place++;
        break;
      case quote: {
        const end = endOfString(text, at);
        if (inner?.keys !== undefined && text.charCodeAt(afterSpace(text, end)) === colon) {
          const key = keyOf(text.slice(at, end));
          inner.keys ??= new Set();
          if (inner.keys.has(key)) return { key, path: pathOf(stack) };
          inner.keys.add(key);
          if (names.add(key).size > mostNames) return 'too many';
          inner.place = key;
        }
        at = end - 1;
        break;
      }
      default:
    }
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at + 1;
}

function afterSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}

/** A key without its quotes; one with escapes may be another's equal. */
function keyOf(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}

function pathOf(stack: readonly Open[]): string {
  const outer = stack.slice(0, -1).map(({ place }) => {
    if (typeof place === 'number') return `[${place}]`;
    return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(place) ? `.${place}` : `[${JSON.stringify(place)}]`;
  });
  return `$${outer.join('')}`;
}
