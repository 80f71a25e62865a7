import {
  describeValue,
  type EntityRows,
  expectText,
  type Finish,
  FuzzError,
  finish,
  keyInBrackets,
  type NameEntry,
  namesOfStep,
  type Steps,
  sharedSteps,
} from '@fuzzqe/core';
import { noEntityRows } from '../rows/entity-rows.ts';
import { createLongMap, type LongMap } from './long-map.ts';

/** By what entries are called, the surest first: a label, a label in another case, a further name in any case. */
const callings = ['label', 'foldedLabel', 'furtherName'] as const;
export type Calling = (typeof callings)[number];

/** Finds entries by name. */
export interface NameIndex {
  /** The entry of that key. */
  ofKey(key: string): number | undefined;
  /**
   * All entries that are called so.
   *
   * @param index indexes labels where they are not yet.
   */
  called(by: Calling, name: string, index: Finish): readonly number[];
  /** Prepares what the first name that is no key would wait for. */
  prepare(): Steps<void>;
}

/**
 * The entries that a name means: one by the key between the brackets of `<key>`, or by its key; else all with that label; else all with it
 * in another case; else all with such a further name.
 *
 * @param index indexes labels where they are not yet. Default: at once.
 * @throws FuzzError `vocabulary`: no text.
 */
export function lookUp(
  names: Pick<NameIndex, 'ofKey' | 'called'>,
  name: string,
  index: Finish = finish,
): readonly number[] {
  expectText('name', name, 'vocabulary');
  // For a key no label has to be indexed, which takes seconds where there are a million.
  const inBrackets = keyInBrackets(name);
  const id = (inBrackets === undefined ? undefined : names.ofKey(inBrackets)) ?? names.ofKey(name);
  if (id !== undefined) return [id];
  for (const by of callings) {
    const found = names.called(by, name, index);
    if (found.length > 0) return found;
  }
  return [];
}

const namesOfEntry = ['key', 'label'] as const;

/**
 * Indexes entries by key, label and further names.
 *
 * @throws FuzzError `data`: no array, an entry without key or label, a key that is empty or given twice.
 */
export function createNameIndex(
  kind: string,
  entries: readonly NameEntry[],
  aliases: EntityRows = noEntityRows,
): NameIndex {
  if (!Array.isArray(entries))
    throw new FuzzError(
      'data',
      `${kind} names: expected an array of {key, label}, got ${describeValue(entries)}`,
      {
        path: kind,
        hint: 'createVocabulary takes { entities: […], relations: […] }.',
      },
    );
  const byKey = createLongMap<number>();
  entries.forEach((entry, i) => {
    // A path is text of its own for each of a million entries.
    for (const name of namesOfEntry)
      if (typeof entry?.[name] !== 'string') expectText(name, entry?.[name], 'data', `${kind}[${i}].${name}`);
    const { key } = entry;
    const earlier = byKey.add(key, i);
    if (key === '' || earlier !== undefined) {
      const got = key === '' ? 'an empty one' : `${JSON.stringify(key)}, which ${kind} ${earlier} has`;
      throw new FuzzError('data', `key of ${kind} ${i}: expected one of its own, got ${got}`, {
        path: `${kind}[${i}].key`,
        hint: 'Labels may repeat; keys may not.',
      });
    }
  });

  // Made when first asked for: training never looks up a label.
  const fold = (label: string): string => label.normalize().toLowerCase();
  const labels = sharedSteps(() => group(entries.length, (i) => [entries[i]!.label]));
  const foldedLabels = sharedSteps(() => group(entries.length, (i) => [fold(entries[i]!.label)]));
  const furtherNames = sharedSteps(() =>
    group(aliases.count === 0 ? 0 : entries.length, (i) => {
      const rows = aliases.of(i).filter(([aliasKind]) => aliasKind !== 'description');
      // An entity may have one name in several languages.
      return new Set(rows.map(([, , text = '']) => fold(text)));
    }),
  );

  return {
    ofKey: (key) => byKey.get(key),
    called(by, name, index) {
      if (by === 'label') return listOf(index(labels()).get(name));
      return listOf(index(by === 'foldedLabel' ? foldedLabels() : furtherNames()).get(fold(name)));
    },
    *prepare() {
      yield* labels();
      yield* foldedLabels();
      yield* furtherNames();
    },
  };
}

/** Entries by a name: most are the only one of theirs. */
type Groups = LongMap<number | number[]>;

function listOf(members: number | number[] | undefined): readonly number[] {
  return typeof members === 'number' ? [members] : (members ?? []);
}

function* group(count: number, namesOf: (entry: number) => Iterable<string>): Steps<Groups> {
  const groups: Groups = createLongMap();
  for (let i = 0; i < count; i++) {
    if (i % namesOfStep === 0) yield;
    for (const name of namesOf(i)) {
      if (name === '') continue;
      const members = groups.add(name, i);
      if (typeof members === 'number') groups.replace(name, [members, i]);
      else members?.push(i);
    }
  }
  return groups;
}
