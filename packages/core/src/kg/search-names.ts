import { FuzzError } from '../errors.ts';
import { describeValue } from '../input/describe-value.ts';
import { createDictionary } from '../input/dictionary.ts';
import { createEditDistanceIndex } from '../input/edit-distance-index.ts';
import { createNearestNames, foldName, type NearestNames, type NearMatch } from '../input/nearest.ts';
import { namesOfStep, type Steps, sharedSteps } from '../input/steps.ts';
import type { NameEntry } from './vocabulary.ts';
import { createWordRunIndex, createWordTest, longestWanted } from './word-run-index.ts';

/** Which of the names that a search finds are wanted. */
export interface Page {
  /** How many. Default 10. */
  readonly limit?: number;
  /** How many of the best are passed over. Default 0. */
  readonly offset?: number;
  /** Whether names with words spelled like the text are found next to those that have it in them. Default true: it takes most of the time. */
  readonly misspelt?: boolean;
}

/** The places of entries that a search text finds. */
export interface FoundNames {
  /** How many entries match, whatever the page. */
  readonly total: number;
  /** Those of the page, the best first. */
  readonly places: readonly number[];
}

/** Searches the names of entries, by key and label; what that takes is prepared when it is first asked for. */
export interface NameSearch {
  /**
   * The entries that a search text finds.
   *
   * Order: the whole label or key; its beginning; the beginning of one of its words; anywhere in it; a word of the label, or
   * words in a row, spelled like it, with the least edits first. Within each, shorter labels first, then lower places. Upper
   * and lower case count as the same, and so do spaces and underscores. Edits: one from 4 letters on, two from 8, three from 16;
   * a text of more than 31 letters is compared with whole labels.
   *
   * @throws FuzzError `range` or `usage`: the page.
   */
  search(text: string, page?: Page): Steps<FoundNames>;
  /** The keys and labels that a mistyped one most likely stands for. */
  nearest(name: string, limit?: number): Steps<NearMatch[]>;
  /** Prepares what the first search would wait for: 0.3 s for 63 000 names. */
  prepare(): Steps<void>;
}

/** Prepares entries for searches. */
export function createNameSearch(entries: readonly NameEntry[]): NameSearch {
  const index = sharedSteps(() => indexNames(entries));
  return {
    *search(text, page = {}) {
      checkPage(page);
      const { limit = 10, offset = 0, misspelt = true } = page;
      const wanted = foldName(text.trim()).replaceAll(separator, ' ');
      if (wanted === '') return { total: 0, places: [] };
      const { places, lengths, areLabels, containing, spelledLike } = yield* index();
      // The rank above the length above the place in one number: many names are found, and numbers sort fast.
      const scale = entries.length;
      const codes = new Float64Array(scale).fill(Number.POSITIVE_INFINITY);
      const offer = (name: number, rank: number): void => {
        const place = places[name]!;
        const code = (rank * (longestCounted + 1) + lengths[place]!) * scale + place;
        if (code < codes[place]!) codes[place] = code;
      };
      yield* containing(wanted, offer);
      // Keys are often numbers, which are spelled like one another without meaning anything by it.
      if (misspelt)
        yield* spelledLike(wanted, (name, edits) => {
          if (areLabels[name] === 1) offer(name, ranks + edits);
        });
      let total = 0;
      for (let place = 0; place < scale; place++) {
        if (place % codesOfStep === 0) yield;
        const code = codes[place]!;
        if (code < Number.POSITIVE_INFINITY) codes[total++] = code;
      }
      const best = yield* lowest(codes.subarray(0, total), offset + limit, scale);
      return { total, places: Array.from(best.subarray(offset, offset + limit), (code) => code % scale) };
    },
    *nearest(name, limit) {
      const { near } = yield* index();
      return yield* near.nearest(name, limit);
    },
    *prepare() {
      const { containing, spelledLike, near } = yield* index();
      yield* containing('a', () => {});
      yield* spelledLike('prepared', () => {});
      yield* near.nearest('prepared');
    },
  };
}

/** Refuses what counts no names, of callers without types: it would find them and give none. */
function checkPage(page: Page): void {
  if (typeof page !== 'object' || page === null)
    throw new FuzzError('usage', `page: expected an object, got ${describeValue(page)}`, {
      hint: 'As { limit: 10, offset: 0 }.',
    });
  for (const name of ['limit', 'offset'] as const) {
    const { [name]: count = 0 } = page;
    const isCount = count === Number.POSITIVE_INFINITY || (Number.isInteger(count) && count >= 0);
    if (!isCount)
      throw new FuzzError('range', `${name}: expected an integer >= 0, got ${describeValue(count)}`, {
        path: `$.${name}`,
        hint: 'Leave it out for the default.',
      });
  }
}

const longestCounted = 4095;

/** What no name has in it. */
const separator = '\n';

/** How many ways there are to have a text in a name. */
const ranks = 4;

/** The `count` lowest codes and maybe more, in order: of very many, only those whose rank and length are low enough are sorted. */
function* lowest(codes: Float64Array, count: number, scale: number): Steps<Float64Array> {
  const counts = new Uint32Array((ranks + 4) * (longestCounted + 1));
  for (let i = 0; i < codes.length; i++) {
    if (i % codesOfStep === 0) yield;
    counts[Math.floor(codes[i]! / scale)]! += 1;
  }
  let [end, room] = [0, count];
  while (end < counts.length && room > 0) room -= counts[end++]!;
  const low: number[] = [];
  for (let i = 0; i < codes.length; i++) {
    if (i % codesOfStep === 0) yield;
    if (codes[i]! < end * scale) low.push(codes[i]!);
  }
  return Float64Array.from(low).sort();
}

/** How many codes are looked at in a piece of work on all of them. */
const codesOfStep = 16_384;

interface NameIndex {
  /** The entry of each label, and of each key that is another name. */
  readonly places: Int32Array;
  /** 1 for each that is a label. */
  readonly areLabels: Uint8Array;
  /** Letters of the label of each entry, as far as they count. */
  readonly lengths: Uint16Array;
  /** Finds the names that have a text in them: rank 0 for the name, 1 for its beginning, 2 for that of a word, 3 for a part. */
  containing(wanted: string, found: (name: number, rank: number) => void): Steps<void>;
  /** Finds the names with words spelled like a text, with the number of edits. */
  spelledLike(wanted: string, found: (name: number, edits: number) => void): Steps<void>;
  readonly near: NearestNames;
}

function* indexNames(entries: readonly NameEntry[]): Steps<NameIndex> {
  const [names, folded]: [string[], string[]] = [[], []];
  const most = 2 * entries.length;
  const [places, areLabels] = [new Int32Array(most), new Uint8Array(most)];
  const lengths = new Uint16Array(entries.length);
  const add = (name: string, place: number, isLabel: boolean): void => {
    places[names.length] = place;
    areLabels[names.length] = isLabel ? 1 : 0;
    names.push(name);
    folded.push(foldName(name).replaceAll(separator, ' '));
  };
  for (const [place, { key, label }] of entries.entries()) {
    if (place % namesOfStep === 0) yield;
    lengths[place] = Math.min(label.length, longestCounted);
    add(label, place, true);
    if (key !== label) add(key, place, false);
  }
  const sorted = sharedSteps(() => createDictionary(folded));
  const wordRuns = sharedSteps(function* () {
    return yield* createWordRunIndex(folded, yield* sorted());
  });
  return {
    places,
    areLabels,
    lengths,
    containing: yield* createTextSearch(folded),
    *spelledLike(wanted, found) {
      if (wanted.length < 4) return;
      const edits = wanted.length < 8 ? 1 : wanted.length < 16 ? 2 : 3;
      if (wanted.length <= longestWanted) yield* (yield* wordRuns()).within(wanted, edits, found);
      else yield* createEditDistanceIndex(folded, yield* sorted()).within(wanted, edits, () => edits, found);
    },
    near: createNearestNames(names, folded, sorted),
  };
}

/** Looks for a text in all names at once, as parts of one text. */
function* createTextSearch(names: readonly string[]): Steps<NameIndex['containing']> {
  const starts = new Int32Array(names.length + 1);
  const parts: string[] = [];
  for (let from = 0; from < names.length; from += namesOfStep) {
    const part = names.slice(from, from + namesOfStep);
    for (const [i, { length }] of part.entries()) starts[from + i + 1] = starts[from + i]! + length + 1;
    parts.push(part.join(separator));
    yield;
  }
  const text = parts.join(separator);
  const isWord = createWordTest();
  return function* (wanted, found) {
    let name = 0;
    let count = 0;
    let at = text.indexOf(wanted);
    while (at >= 0) {
      while (starts[name + 1]! <= at) name++;
      if (count++ % namesOfStep === 0) yield;
      const [start, end] = [starts[name]!, starts[name + 1]! - 1];
      const part = at !== start && isWord(text.charCodeAt(at - 1));
      found(name, part ? 3 : at !== start ? 2 : end - start === wanted.length ? 0 : 1);
      // A part of a word may come before the beginning of one.
      at = text.indexOf(wanted, part ? at + 1 : end);
    }
  };
}
