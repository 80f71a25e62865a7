import { createVocabulary } from '@fuzzqe/names';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitByKeys } from './split-by-keys.ts';

type Fact = readonly [head: string, relation: string, tail: string];
type Part = 'train' | 'valid' | 'test';

/** The part of each fact, and the notes, of a graph whose names are numbered as they first appear. */
function split(
  facts: readonly Fact[],
  seed: string | number = 0,
  holdOut = 0.2,
): { readonly parts: ReadonlyMap<string, Part>; readonly notes: readonly string[] } {
  const entities = [...new Set(facts.flatMap(([head, , tail]) => [head, tail]))];
  const relations = [...new Set(facts.map(([, relation]) => relation))];
  const entry = (key: string): { key: string; label: string } => ({ key, label: key });
  const vocabulary = createVocabulary({ entities: entities.map(entry), relations: relations.map(entry) });
  const triples = Int32Array.from(
    facts.flatMap(([head, relation, tail]) => [
      ...[entities.indexOf(head), 2 * relations.indexOf(relation), entities.indexOf(tail)],
    ]),
  );
  const { notes, ...given } = splitByKeys(triples, { vocabulary, holdOut, seed });
  const parts = new Map<string, Part>();
  for (const part of ['train', 'valid', 'test'] as const)
    for (let i = 0; i < given[part].length; i += 3) {
      const [head, relation, tail] = given[part].subarray(i, i + 3);
      const fact = String([entities[head!], relations[relation! / 2], entities[tail!]]);
      expect(parts.has(fact)).toBe(false);
      parts.set(fact, part);
    }
  return { parts, notes };
}

const names = ['ann', 'bob', 'cid', 'dan', 'eve', 'fay', 'gus', 'hal', 'ivy', 'jan', 'kim', 'leo'];
const fact = fc.tuple(fc.constantFrom(...names), fc.constantFrom('r', 's', 't'), fc.constantFrom(...names));
const graphs = fc.uniqueArray(fact, { selector: String, minLength: 1, maxLength: 80 });
/** A graph in which both parts get facts by their places, whatever is added or removed. */
const dense: readonly Fact[] = names.flatMap((head, i) =>
  names.filter((_, k) => (3 * i + 5 * k) % 4 > 0).map((tail) => [head, i % 2 > 0 ? 'r' : 's', tail] as const),
);
const pairOf = ([head, , tail]: Fact): string => String([head, tail].sort());

/** Whether a fact is the only training unit of a name that it has in common with another. */
function isLastOf(
  one: Fact,
  other: Fact,
  { parts }: ReturnType<typeof split>,
  facts: readonly Fact[],
): boolean {
  const shared = [
    ...[one[0], one[2]]
      .filter((name) => other[0] === name || other[2] === name)
      .map((name) => [0, 2, name] as const),
    ...(one[1] === other[1] ? [[1, 1, one[1]] as const] : []),
    // What stays for another relation of the same two entities, too.
    ...facts
      .filter((each) => pairOf(each) === pairOf(one) && each[1] === other[1])
      .map((each) => [1, 1, each[1]] as const),
  ];
  return shared.some(([a, b, name]) => {
    const units = facts
      .filter((each) => (each[a] === name || each[b] === name) && parts.get(String(each)) === 'train')
      .map(pairOf);
    return new Set(units).size === 1 && units[0] === pairOf(one);
  });
}

describe('a split by keys', () => {
  it('keeps every fact, in one part each, and leaves every entity and relation a training fact', () => {
    fc.assert(
      fc.property(graphs, fc.integer(), (facts, seed) => {
        const { parts } = split(facts, seed);
        expect([...parts.keys()].sort()).toEqual(facts.map(String).sort());
        const trained = facts.filter((each) => parts.get(String(each)) === 'train');
        const used = (all: readonly Fact[]): unknown => [
          [...new Set(all.flatMap(([head, , tail]) => [head, tail]))].sort(),
          [...new Set(all.map(([, relation]) => relation))].sort(),
        ];
        expect(used(trained)).toEqual(used(facts));
      }),
    );
  });

  it('never parts two facts between the same entities', () => {
    fc.assert(
      fc.property(graphs, fc.integer(), (facts, seed) => {
        const { parts } = split(facts, seed);
        const partOf = new Map<string, Part>();
        for (const each of facts) {
          const part = parts.get(String(each))!;
          expect(partOf.get(pairOf(each)) ?? part).toBe(part);
          partOf.set(pairOf(each), part);
        }
      }),
    );
  });

  it('does not depend on the order of the facts', () => {
    fc.assert(
      fc.property(
        graphs.chain((facts) =>
          fc.tuple(
            fc.constant(facts),
            fc.shuffledSubarray(facts, { minLength: facts.length, maxLength: facts.length }),
          ),
        ),
        fc.integer(),
        ([facts, shuffled], seed) => {
          const [one, other] = [split(facts, seed), split(shuffled, seed)];
          expect([...other.parts].sort()).toEqual([...one.parts].sort());
          expect(other.notes).toEqual(one.notes);
        },
      ),
    );
  });

  it('keeps the part of every other fact where one comes or goes, but for the one training fact of a name', () => {
    const seeds = Array.from({ length: 50 }, (_, seed) => seed);
    let moved = 0;
    fc.assert(
      fc.property(fc.constantFrom(...seeds), fact, fc.boolean(), (seed, added, isNew) => {
        const other: Fact = isNew ? [`new ${added[0]}`, added[1], added[2]] : added;
        const fewer = dense.filter((each) => String(each) !== String(other));
        const more = [...fewer, other];
        const [before, after] = [split(fewer, seed), split(more, seed)];
        for (const each of fewer) {
          if (before.parts.get(String(each)) === after.parts.get(String(each))) continue;
          moved++;
          expect(
            isLastOf(each, other, before, fewer) ||
              isLastOf(each, other, after, more) ||
              pairOf(each) === pairOf(other),
            `${each} at seed ${seed} when ${other} comes`,
          ).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
    // Of 300 times about a hundred facts.
    expect(moved).toBeLessThan(150);
  });

  it('depends on the seed', () => {
    expect([...split(dense, 4).parts]).toEqual([...split(dense, 4).parts]);
    expect([...split(dense, 4).parts]).not.toEqual([...split(dense, 5).parts]);
    expect([...split(dense, 'a').parts]).not.toEqual([...split(dense, 'b').parts]);
  });

  it('holds out its share of many facts', () => {
    const facts = Array.from(
      { length: 20_000 },
      (_, i): Fact => [`e${i % 997}`, `r${i % 7}`, `e${(7 * i + Math.floor(i / 997)) % 997}`],
    );
    const counts = { train: 0, valid: 0, test: 0 };
    const { parts, notes } = split(facts, 0, 0.1);
    for (const part of parts.values()) counts[part]++;
    expect(notes).toEqual([]);
    // Of 20 000 draws at 0.1, four standard deviations.
    for (const count of [counts.valid, counts.test])
      expect(Math.abs(count - parts.size / 10)).toBeLessThan(4 * Math.sqrt(0.09 * parts.size));
  });

  it('gives each part facts where little can be held out, and says why they are few', () => {
    const leaves = Array.from({ length: 300 }, (_, i): Fact => [`leaf ${i}`, 'in', 'hub']);
    const others = dense.slice(0, 20);
    for (const seed of [0, 1, 2, 3, 4, 5, 6, 7]) {
      const { parts, notes } = split([...leaves, ...others], seed, 0.1);
      const held = [...parts].filter(([, part]) => part !== 'train');
      expect(new Set(held.map(([, part]) => part)), `seed ${seed}`).toEqual(new Set(['valid', 'test']));
      expect(held.filter(([each]) => each.startsWith('leaf'))).toEqual([]);
      expect(notes).toEqual([
        expect.stringMatching(
          /^held out \d+ facts for validation and \d+ for the test, of 320, where the share is 32 each: 3\d\d facts stay in training, because/,
        ),
      ]);
    }
  });

  it('holds nothing out at a share of 0', () => {
    const { parts, notes } = split(dense, 0, 0);
    expect([new Set(parts.values()), notes]).toEqual([new Set(['train']), []]);
  });
});
