import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  applyChanges,
  carryQueries,
  type Dataset,
  importDataset,
  keepSplit,
  readDataset,
  sampleQueries,
  writeDataset,
} from '../index.ts';

type Part = 'train' | 'valid' | 'test';
type Fact = readonly [head: string, relation: string, tail: string];

/** The part of each fact, by keys. */
function partsOf({ vocabulary, ...parts }: Dataset): Map<string, Part> {
  const found = new Map<string, Part>();
  for (const part of ['train', 'valid', 'test'] as const)
    for (let i = 0; i < parts[part].length; i += 3) {
      const [head, relation, tail] = parts[part].subarray(i, i + 3);
      const keys = [vocabulary.entity(head!), vocabulary.relation(relation!), vocabulary.entity(tail!)];
      found.set(keys.map(({ key }) => key).join(' '), part);
    }
  return found;
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-keep-split-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function imported(facts: readonly Fact[], seed = 0): Promise<Dataset> {
  const train = join(folder, 'facts.tsv');
  await writeFile(train, facts.map((fact) => `${fact.join('\t')}\n`).join(''));
  return (await importDataset({ name: 'graph', train, seed })).dataset;
}

const random = createRandom('facts');
const facts: readonly Fact[] = [
  ...new Set(
    Array.from({ length: 1500 }, () => `e${random.below(120)} r${random.below(6)} e${random.below(120)}`),
  ),
].map((fact) => fact.split(' ') as unknown as Fact);
/** One fact fewer, and one more about an entity that nobody knew. */
const changed = [...facts.slice(1), ['e3', 'r1', 'stranger'] as const];
const pairOf = (fact: string): string => [fact.split(' ')[0], fact.split(' ')[2]].sort().join(' ');

describe('the same import with one fact more and one fact fewer', () => {
  it('leaves every surviving fact in its part but few, each the last training pair of a name before or after', async () => {
    const [before, after] = [partsOf(await imported(facts)), partsOf(await imported(changed))];
    const moved = [...after].filter(([fact, part]) => (before.get(fact) ?? part) !== part);
    expect(moved.length).toBeLessThanOrEqual(3);
    const trainedPairs = (parts: ReadonlyMap<string, Part>, name: string): Set<string> =>
      new Set(
        [...parts]
          .filter(([fact, part]) => part === 'train' && fact.split(' ').includes(name))
          .map(([fact]) => pairOf(fact)),
      );
    for (const [fact] of moved)
      expect(
        fact.split(' ').some((name) => [before, after].some((parts) => trainedPairs(parts, name).size === 1)),
        fact,
      ).toBe(true);
    expect(new Set(after.values())).toEqual(new Set(['train', 'valid', 'test']));
    // Another seed is another split: what stays does not stay by chance.
    const other = partsOf(await imported(changed, 1));
    expect([...other].filter(([fact, part]) => (before.get(fact) ?? part) !== part).length).toBeGreaterThan(
      100,
    );
  });
});

describe('keepSplit', () => {
  it('keeps the part of every surviving fact, whatever the split of the changed graph', async () => {
    const earlier = await imported(facts);
    const kept = keepSplit(earlier, await imported(changed, 1));
    const [before, after] = [partsOf(earlier), partsOf(kept.dataset)];
    const moved = [...after].filter(([fact, part]) => (before.get(fact) ?? part) !== part);
    expect(moved).toHaveLength(kept.changes.moved);
    expect(moved.every(([, part]) => part === 'train')).toBe(true);
    expect(kept.changes).toMatchObject({ kept: facts.length - 1, added: 1, removed: 1 });
    expect(kept.changes.restored).toBeGreaterThan(100);
    expect(after.get('e3 r1 stranger')).toBe('train');
    const { vocabulary } = kept.dataset;
    const keys = Array.from(kept.earlier.entities, (id, at) => [id, vocabulary.entity(at).key] as const);
    for (const [id, key] of keys) expect(id < 0 ? 'stranger' : earlier.vocabulary.entity(id).key).toBe(key);
  });

  it('moves a held-out fact to training when its entity loses the last training fact', async () => {
    const earlier = await imported(facts);
    const parts = partsOf(earlier);
    const [held] = [...parts].find(([, part]) => part === 'test')!;
    const [name] = held.split(' ');
    const gone = [...parts].filter(([fact, part]) => part === 'train' && fact.split(' ').includes(name!));
    const changes = gone.map(([fact]) => {
      const [head, relation, tail] = fact.split(' ') as unknown as Fact;
      return { does: 'remove', head, relation, tail } as const;
    });
    const { dataset, changes: told } = keepSplit(earlier, applyChanges(earlier, changes, { seed: 0 }));
    expect(partsOf(dataset).get(held)).toBe('train');
    expect(told).toMatchObject({ removed: gone.length, added: 0 });
    expect(told.moved).toBeGreaterThan(0);
  });

  describe('rejected links', () => {
    const link = (text: string, does: 'add' | 'remove' | 'reject' = 'reject') => {
      const [head, relation, tail] = text.split(' ') as unknown as Fact;
      return { does, head, relation, tail };
    };
    const rejectedOf = ({ vocabulary, rejected = new Int32Array() }: Dataset): string[] =>
      Array.from({ length: rejected.length / 3 }, (_, i) => {
        const [head, relation, tail] = rejected.subarray(3 * i, 3 * i + 3);
        const keys = [vocabulary.entity(head!), vocabulary.relation(relation!), vocabulary.entity(tail!)];
        return keys.map(({ key }) => key).join(' ');
      }).sort();
    const known = new Set(facts.map((fact) => fact.join(' ')));
    const [one, two, three] = Array.from({ length: 120 }, (_, i) => `e3 r1 e${i}`).filter(
      (fact) => !known.has(fact),
    ) as [string, string, string];
    const stated = facts[1]!.join(' ');
    const change = (before: Dataset, ...changes: ReturnType<typeof link>[]) =>
      keepSplit(before, applyChanges(before, changes, { seed: 0 }));

    it('stay until they are added or removed, and the last change wins', async () => {
      const first = change(
        await imported(facts),
        ...[link(one), link(two), link(three), link(three, 'remove'), link(stated)],
      );
      expect(rejectedOf(first.dataset)).toEqual([one, two, stated].sort());
      expect(first.changes).toMatchObject({ rejected: 3, judged: 2, removed: 1, added: 0 });
      expect(partsOf(first.dataset).has(stated)).toBe(false);
      const same = change(first.dataset, link(one));
      expect(same.changes).toMatchObject({ rejected: 3, judged: 0, removed: 0, added: 0 });
      const second = change(first.dataset, link(one, 'remove'), link(two, 'add'), link(three));
      expect(rejectedOf(second.dataset)).toEqual([three, stated].sort());
      expect(second.changes).toMatchObject({ rejected: 2, judged: 2, removed: 0, added: 1 });
      const last = change(second.dataset, link(three, 'remove'), link(stated, 'remove'));
      expect(last.dataset.rejected).toBeUndefined();
      expect(last.changes).toMatchObject({ rejected: 0, judged: 2, removed: 0, added: 0 });
    });

    it('stay in a graph that says nothing of them, but for its facts and for names that it lacks', async () => {
      const { dataset } = change(await imported(changed), link(one), link(two), link('stranger r0 e3'));
      const order = [...facts, two.split(' ') as unknown as Fact].reverse();
      const { dataset: kept, changes } = keepSplit(dataset, await imported(order));
      expect(rejectedOf(kept)).toEqual([one]);
      expect(changes).toMatchObject({ rejected: 1, judged: 0 });
      const given = { ...(await imported(order)), rejected: kept.rejected!.slice(0, 0) };
      expect(keepSplit(dataset, given).changes).toMatchObject({ rejected: 0, judged: 1 });
    });
  });

  it('refuses another graph', async () => {
    const earlier = await imported(facts);
    const others = facts.map(([head, relation, tail]): Fact => [`x${head}`, relation, `x${tail}`]);
    const foreign = await imported(others);
    expect(() => keepSplit(earlier, foreign)).toThrow(
      'expected graph with changes, got another graph: 0 of its',
    );
    const renamed = await imported(facts.map(([head, relation, tail]): Fact => [head, `x${relation}`, tail]));
    expect(() => keepSplit(earlier, renamed)).toThrow('0 of its 12 relations');
  });
});

describe('applyChanges', () => {
  it('adds and removes by keys, the last change of a fact winning', async () => {
    const dataset = await imported(facts);
    const [head, relation, tail] = facts[0]!;
    const first = { head, relation, tail };
    const added = { head: 'e1', relation: 'r5', tail: 'e1' };
    expect(facts.map(String)).not.toContain('e1,r5,e1');
    const after = applyChanges(
      dataset,
      [
        { does: 'remove', ...first },
        { does: 'remove', ...added },
        { does: 'add', ...added },
        { does: 'add', ...added },
      ],
      { seed: 0 },
    );
    const all = [...partsOf(after).keys()].sort();
    expect(all).toEqual([...facts.slice(1).map((fact) => fact.join(' ')), 'e1 r5 e1'].sort());
    const same = applyChanges(dataset, [{ does: 'add', ...first }], { seed: 0 });
    expect(partsOf(keepSplit(dataset, same).dataset)).toEqual(partsOf(dataset));
    expect(() => applyChanges(dataset, [{ does: 'add', ...first, tail: 'nobody' }], { seed: 0 })).toThrow(
      'expected a known entity, got "nobody"',
    );
  });
});

describe('applyChanges with new names', () => {
  const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key.toUpperCase() }));
  const creates = { entities: named('fay', 'e3', 'ghost', 'ghoul'), relations: named('near', 'unused') };
  const changes = [
    { does: 'add', head: 'fay', relation: 'near', tail: 'e1' },
    { does: 'add', head: 'e2', relation: 'r1', tail: 'fay' },
    { does: 'add', head: 'ghost', relation: 'unused', tail: 'e1' },
    { does: 'remove', head: 'e1', relation: 'unused^-1', tail: 'ghost' },
    { does: 'reject', head: 'ghoul', relation: 'r1', tail: 'e1' },
  ] as const;

  it('has the names that have facts, behind those of before and by their labels, and trains them', async () => {
    const earlier = await imported(facts);
    const given = applyChanges(earlier, changes, { seed: 0, creates });
    const kept = keepSplit(earlier, given);
    const { vocabulary } = kept.dataset;
    const { entityCount, relationCount } = earlier.vocabulary;
    expect([vocabulary.entityCount, vocabulary.relationCount]).toEqual([entityCount + 1, relationCount + 2]);
    expect(vocabulary.entity(entityCount)).toMatchObject({ key: 'fay', label: 'FAY' });
    expect(vocabulary.relation(relationCount)).toMatchObject({ key: 'near', label: 'NEAR' });
    // A key of the data set keeps its label.
    expect(vocabulary.entity(vocabulary.findEntity('<e3>')).label).toBe('e3');
    expect(kept.changes).toMatchObject({ added: 2, removed: 0, newEntities: 1, newRelations: 1 });
    expect(kept.earlier.entities[entityCount]).toBe(-1);
    const parts = partsOf(kept.dataset);
    expect(parts.get('fay near e1')).toBe('train');
    expect([...parts.keys()].filter((fact) => /gho/.test(fact))).toEqual([]);
    const copy = join(folder, 'copy');
    await writeDataset(copy, kept.dataset);
    expect(partsOf(await readDataset(copy))).toEqual(parts);
    // The log again, on the graph that has its names.
    const again = keepSplit(kept.dataset, applyChanges(kept.dataset, changes, { seed: 0, creates }));
    expect(again.changes).toMatchObject({ added: 0, removed: 0, newEntities: 0, newRelations: 0 });
  });

  it('refuses names that nothing creates', async () => {
    const earlier = await imported(facts);
    const apply = () => applyChanges(earlier, changes, { seed: 0, creates: { entities: creates.entities } });
    expect(apply).toThrow('expected a known relation, got "near"');
  });
});

describe('carryQueries', () => {
  it('asks the same queries with the answers of the changed facts, and leaves out those without', async () => {
    const earlier = await imported(facts);
    const { train, trainValid, full } = earlier.graphs();
    const queries = [
      await sampleQueries({
        structure: '2p',
        count: 40,
        smaller: train,
        larger: full,
        random: createRandom(1),
      }),
    ];
    const order = [...facts].reverse();
    const { dataset, earlier: ids } = keepSplit(earlier, await imported(order));
    const [entities, relations] = [ids.entities, ids.relations].map((given) => {
      const turned = new Int32Array(given.length).fill(-1);
      given.forEach((id, at) => {
        if (id >= 0) turned[id] = at;
      });
      return turned;
    }) as [Int32Array, Int32Array];
    const graphs = dataset.graphs();
    const [part] = carryQueries(queries, { entities, relations, smaller: graphs.train, larger: graphs.full });
    expect(part!.count).toBe(queries[0]!.count);
    const keysOf = ({ vocabulary }: Dataset, list: Int32Array): string[] =>
      Array.from(list, (id) => vocabulary.entity(id).key).sort();
    expect(keysOf(dataset, part!.hard.ids)).toEqual(keysOf(earlier, queries[0]!.hard.ids));
    expect(keysOf(dataset, part!.easy.ids)).toEqual(keysOf(earlier, queries[0]!.easy.ids));
    // On the same facts nothing is hard.
    expect(carryQueries(queries, { entities, relations, smaller: graphs.full, larger: graphs.full })).toEqual(
      [],
    );
    entities.fill(-1);
    expect(
      carryQueries(queries, { entities, relations, smaller: graphs.train, larger: graphs.full }),
    ).toEqual([]);
    expect(trainValid.edgeCount).toBeLessThan(full.edgeCount);
  });
});
