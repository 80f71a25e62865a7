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

/** Finds entries by name. */
export interface NameIndex {
  /**
   * The entries that a name means: one by the key between the brackets of `<key>`, or by its key; else all with that label; else all with it
   * in another case; else all with such a further name.
   *
   * @param index indexes labels where they are not yet. Default: at once.
   */
  lookUp(name: string, index?: Finish): readonly number[];
  /** The entry of that key. */
  ofKey(key: string): number | undefined;
  /** Prepares what the first name that is no key would wait for. */
  prepare(): Steps<void>;
}

const namesOfEntry = ['key', 'label'] as const;

/**
 * Indexes entries by key, label and further names.
 *
 * @throws FuzzError `data`: no array, an entry without key or label, a key that is empty or given twice. From `lookUp`: `vocabulary`.
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
    lookUp(name, index = finish) {
      expectText(kind, name, 'vocabulary');
      // For a key no label has to be indexed, which takes seconds where there are a million.
      const inBrackets = keyInBrackets(name);
      const id = (inBrackets === undefined ? undefined : byKey.get(inBrackets)) ?? byKey.get(name);
      if (id !== undefined) return [id];
      const folded = fold(name);
      return listOf(
        index(labels()).get(name) ?? index(foldedLabels()).get(folded) ?? index(furtherNames()).get(folded),
      );
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
