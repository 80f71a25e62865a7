import {
  describeValue,
  type EntityRows,
  FuzzError,
  type NameEntry,
  namesOfStep,
  type Page,
  type Steps,
  sharedSteps,
} from '@fuzzqe/core';
import {
  createDictionary,
  createEditDistanceIndex,
  createNearestNames,
  foldName,
  type NearestNames,
  type NearMatch,
} from '@fuzzqe/core/text';
import { noEntityRows } from '../rows/entity-rows.ts';
import { createWordRunIndex, createWordTest, longestWanted } from './word-run-index.ts';

/** The places of entries that a search text finds. */
export interface FoundNames {
  /** How many entries match, whatever the page. */
  readonly total: number;
  /** Those of the page, the best first. */
  readonly places: readonly number[];
  /** By what they are ordered, before their places: numbers of several searches for one text can be compared. */
  readonly orders: readonly number[];
}

/** Searches the names of entries: keys, labels, further names and descriptions; what that takes is prepared when it is first asked for. */
export interface NameSearch {
  /**
   * The entries that a search text finds.
   *
   * Order: the whole name; its beginning; the beginning of one of its words; anywhere in it; a word of it, or words in a row,
   * spelled like the text, with the least edits first; the beginning of a word of a description. Within each, labels and keys
   * before further names, then shorter labels, then lower places. Upper and lower case count as the same, and so do spaces and underscores, letters with
   * and without accents, ß and ss, ö and oe. Edits: one from 4 letters on, two from 8, three from 16;
   * a text of more than 31 letters is compared with whole labels.
   *
   * @throws FuzzError `range` or `usage`: the page.
   */
  search(text: string, page?: Page): Steps<FoundNames>;
  /** The keys and labels that a mistyped one most likely stands for, of entries whose places are accepted. */
  nearest(name: string, limit?: number, accepts?: (place: number) => boolean): Steps<NearMatch[]>;
  /** Prepares what the first search would wait for: 0.3 s for 63 000 names. */
  prepare(): Steps<void>;
}

/** Prepares entries for searches, with further names of entries by their places. */
export function createNameSearch(
  entries: readonly NameEntry[],
  aliases: EntityRows = noEntityRows,
): NameSearch {
  const index = sharedSteps(() => indexNames(entries, aliases));
  return {
    *search(text, page = {}) {
      checkPage(page);
      const { limit = 10, offset = 0, misspelt = true } = page;
      const wanted = foldName(text.trim()).replaceAll(separator, ' ');
      if (wanted === '') return { total: 0, places: [], orders: [] };
      const { places, lengths, kinds, containing, spelledLike, described } = yield* index();
      // The rank above the length above the place in one number: many names are found, and numbers sort fast.
      const scale = entries.length;
      const codes = new Float64Array(scale).fill(Number.POSITIVE_INFINITY);
      const offerPlace = (place: number, rank: number): void => {
        const code = (rank * (longestCounted + 1) + lengths[place]!) * scale + place;
        if (code < codes[place]!) codes[place] = code;
      };
      const offerName = (name: number, rank: number): void =>
        offerPlace(places[name]!, 2 * rank + (kinds[name] === kindOf.alias ? 1 : 0));
      yield* containing(wanted, offerName);
      // Keys are often numbers, which are spelled like one another without meaning anything by it.
      if (misspelt)
        yield* spelledLike(wanted, (name, edits) => {
          if (kinds[name] !== kindOf.key) offerName(name, ranks + edits);
        });
      yield* described(wanted, (place) => offerPlace(place, allRanks - 1));
      let total = 0;
      for (let place = 0; place < scale; place++) {
        if (place % codesOfStep === 0) yield;
        const code = codes[place]!;
        if (code < Number.POSITIVE_INFINITY) codes[total++] = code;
      }
      const best = yield* lowest(codes.subarray(0, total), offset + limit, scale);
      const codesOfPage = best.subarray(offset, offset + limit);
      return {
        total,
        places: Array.from(codesOfPage, (code) => code % scale),
        orders: Array.from(codesOfPage, (code) => Math.floor(code / scale)),
      };
    },
    *nearest(name, limit, accepts = () => true) {
      const { near, places } = yield* index();
      return yield* near.nearest(name, limit, (found) => accepts(places[found]!));
    },
    *prepare() {
      const { containing, spelledLike, described, near } = yield* index();
      yield* containing('a', () => {});
      yield* described('a', () => {});
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
/** With those of up to three edits, each for labels and for further names; and one for descriptions. */
const allRanks = 2 * (ranks + 4) + 1;

/** What a name is; near names are not looked for among keys. */
const kindOf = { key: 0, label: 1, alias: 2 } as const;

/** The `count` lowest codes and maybe more, in order: of very many, only those whose rank and length are low enough are sorted. */
function* lowest(codes: Float64Array, count: number, scale: number): Steps<Float64Array> {
  const counts = new Uint32Array(allRanks * (longestCounted + 1));
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
  /** The entry of each label, of each key that is another name, and of each further name. */
  readonly places: Int32Array;
  /** What each is: `kindOf`. */
  readonly kinds: Uint8Array;
  /** Letters of the label of each entry, as far as they count. */
  readonly lengths: Uint16Array;
  /** Finds the names that have a text in them: rank 0 for the name, 1 for its beginning, 2 for that of a word, 3 for a part. */
  containing(wanted: string, found: (name: number, rank: number) => void): Steps<void>;
  /** Finds the names with words spelled like a text, with the number of edits. */
  spelledLike(wanted: string, found: (name: number, edits: number) => void): Steps<void>;
  /** Finds the places of entries with a description in which a word begins with a text. */
  described(wanted: string, found: (place: number) => void): Steps<void>;
  readonly near: NearestNames;
}

function* indexNames(entries: readonly NameEntry[], aliases: EntityRows): Steps<NameIndex> {
  const [names, folded]: [string[], string[]] = [[], []];
  // Each may be written in two ways.
  const most = 2 * (2 * entries.length + aliases.count);
  const [places, kinds] = [new Int32Array(most), new Uint8Array(most)];
  const lengths = new Uint16Array(entries.length);
  const descriptions: string[] = [];
  const describedPlaces: number[] = [];
  const fold = (name: string): string => foldName(name).replaceAll(separator, ' ');
  /** @param shown what is offered for a name that is nearly this one. */
  const add = (name: string, place: number, kind: number, shown = name): void => {
    const composed = name.normalize();
    const withoutUmlauts = composed.replace(/[äöüø]/gi, (letter) => `${foldName(letter)}e`);
    for (const written of new Set([composed, withoutUmlauts])) {
      places[names.length] = place;
      kinds[names.length] = kind;
      names.push(shown);
      folded.push(fold(written));
    }
  };
  const describe = (text: string, place: number): void => {
    descriptions.push(fold(text));
    describedPlaces.push(place);
  };
  for (const [place, { key, label, description }] of entries.entries()) {
    if (place % namesOfStep === 0) yield;
    lengths[place] = Math.min(label.length, longestCounted);
    add(label, place, kindOf.label);
    if (key !== label) add(key, place, kindOf.key);
    if (description !== undefined) describe(description, place);
    const further = aliases.of(place);
    if (further.length === 0) continue;
    const known = new Set([label]);
    for (const [kind, , text = ''] of further) {
      if (kind === 'description') describe(text, place);
      else if (!known.has(text)) add(text, place, kindOf.alias, label);
      known.add(text);
    }
  }
  const sorted = sharedSteps(() => createDictionary(folded));
  const wordRuns = sharedSteps(function* () {
    return yield* createWordRunIndex(folded, yield* sorted());
  });
  const inDescriptions = sharedSteps(() => createTextSearch(descriptions));
  return {
    places,
    kinds,
    lengths,
    containing: yield* createTextSearch(folded),
    *spelledLike(wanted, found) {
      if (wanted.length < 4) return;
      const edits = wanted.length < 8 ? 1 : wanted.length < 16 ? 2 : 3;
      if (wanted.length <= longestWanted) yield* (yield* wordRuns()).within(wanted, edits, found);
      else yield* createEditDistanceIndex(folded, yield* sorted()).within(wanted, edits, () => edits, found);
    },
    *described(wanted, found) {
      yield* (yield* inDescriptions())(wanted, (text, rank) => {
        // A part of a word would find a short text almost everywhere.
        if (rank < 3) found(describedPlaces[text]!);
      });
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
