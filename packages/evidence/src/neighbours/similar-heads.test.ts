import { changedFacts, createKnowledgeGraph, createRandom, type KnowledgeGraph } from '@fuzzqe/core';
import { expect, it } from 'vitest';
import { similarHeads } from './similar-heads.ts';

type Fact = readonly [head: number, relation: number, tail: number];
const graph = (entityCount: number, facts: readonly Fact[]): KnowledgeGraph =>
  createKnowledgeGraph({ entityCount, relationCount: 4, triples: Int32Array.from(facts.flat()) });
const [likes, lives] = [0, 2];

/** Cosines by heads, in order. */
function cosinesOf(graph: KnowledgeGraph, entity: number, relation: number): Map<number, number> {
  const { heads, cosines } = similarHeads(graph, entity, relation);
  const found = new Map(Array.from(heads, (head, i) => [head, cosines[i]!]));
  expect(found.size).toBe(heads.length);
  return found;
}

it('finds all heads that share an attribute, whether they are few or many beside those who have it', () => {
  const random = createRandom('similar heads', 'facts');
  for (const entities of [40, 3000]) {
    const facts: Fact[] = [];
    // Everybody likes something; where there are many, few share the attributes of an entity.
    for (let head = 0; head < entities; head += 1) {
      facts.push([head, likes, random.below(entities)]);
      for (let i = 0; i < 3; i += 1) facts.push([head, lives, random.below(entities / 2)]);
    }
    const some = graph(entities, facts);
    const own = new Map<number, Set<string>>();
    const having = new Map<string, number>();
    const note = (head: number, attribute: string): void => {
      const known = own.get(head) ?? new Set();
      own.set(head, known);
      if (!known.has(attribute)) having.set(attribute, (having.get(attribute) ?? 0) + 1);
      known.add(attribute);
    };
    for (const [head, relation, tail] of facts) {
      note(head, `${relation} ${tail}`);
      note(tail, `${relation + 1} ${head}`);
    }
    const product = (some: ReadonlySet<string>, others: ReadonlySet<string>): number => {
      let sum = 0;
      for (const each of some) if (others.has(each)) sum += Math.log(entities / having.get(each)!) ** 2;
      return sum;
    };
    for (const entity of [0, 1, 2, 17]) {
      const mine = own.get(entity)!;
      const expected = [...own]
        .sort(([a], [b]) => a - b)
        .map(
          ([head, theirs]) =>
            [head, product(mine, theirs) / Math.sqrt(product(mine, mine) * product(theirs, theirs))] as const,
        )
        .filter(([, cosine]) => cosine > 0);
      const found = cosinesOf(some, entity, likes);
      expect([...found.keys()]).toEqual(expected.map(([head]) => head));
      for (const [head, cosine] of expected) expect(found.get(head)).toBeCloseTo(cosine, 5);
      expect(found.get(entity)).toBeCloseTo(1, 5);
    }
  }
});

it('looks at the rarest attributes of an entity with many, and leaves nothing behind for the next', () => {
  // Each of 300 attributes is shared by 301 entities: 13 of them are nearly 2¹² pairs, with the rare one before them.
  const shared = Array.from({ length: 300 }, (_, i) => 1000 + i);
  const crowd = Array.from({ length: 300 }, (_, i) => 1 + i);
  const hub = graph(1400, [
    ...shared.map((tail): Fact => [0, lives, tail]),
    ...shared.flatMap((tail) => crowd.map((head): Fact => [head, lives, tail])),
    [0, likes, 1399],
    [700, likes, 1399],
    [1, likes, 1398],
    [900, likes, 1397],
  ]);
  const cosines = cosinesOf(hub, 0, likes);
  expect([...cosines.keys()]).toEqual([0, 1, 700]);
  // 13 of the 300 that they share.
  expect(cosines.get(1)).toBeCloseTo(13 / 300, 2);
  expect([...cosinesOf(hub, 900, likes).keys()]).toEqual([900]);
  expect(cosinesOf(hub, 0, likes)).toEqual(cosines);
});

it('looks at the first 2¹² attributes of an entity with more', () => {
  const attributes = Array.from({ length: 2 ** 12 }, (_, i) => 1000 + i);
  // The rarest attribute is the last one.
  const last = 1000 + 2 ** 12;
  const hub = graph(10_000, [
    ...[0, 1, 3].flatMap((head) => attributes.map((tail): Fact => [head, lives, tail])),
    [0, lives, last],
    [2, lives, last],
  ]);
  expect([...cosinesOf(hub, 0, lives).keys()]).toEqual([0, 1, 3]);
});

it('compares attributes of changed facts, each as rare as it was in the facts that were indexed first', () => {
  const random = createRandom('similar heads', 'changes');
  const entities = 40;
  const draw = (count: number): Fact[] =>
    Array.from({ length: count }, () => [
      random.below(entities),
      2 * random.below(2),
      random.below(entities),
    ]);
  const [first, later] = [draw(150), draw(40)];
  const removed = first.slice(0, 30);
  const gone = new Set(removed.map(String));
  const [before, now] = [new Map<number, Set<string>>(), new Map<number, Set<string>>()];
  const note = (own: Map<number, Set<string>>, facts: readonly Fact[]): void => {
    for (const [head, relation, tail] of facts) {
      own.set(head, (own.get(head) ?? new Set()).add(`${relation} ${tail}`));
      own.set(tail, (own.get(tail) ?? new Set()).add(`${relation + 1} ${head}`));
    }
  };
  note(before, first);
  note(now, [...first.filter((fact) => !gone.has(String(fact))), ...later]);
  const having = new Map<string, number>();
  for (const own of before.values()) for (const each of own) having.set(each, (having.get(each) ?? 0) + 1);
  const product = (some: ReadonlySet<string>, others: ReadonlySet<string>): number => {
    let sum = 0;
    for (const each of some) if (others.has(each)) sum += Math.log(entities / (having.get(each) ?? 1)) ** 2;
    return sum;
  };
  // In two steps, so that what is written twice is compared as well.
  const half = Int32Array.from(later.slice(0, 20).flat());
  const step = changedFacts(graph(entities, first), { added: half });
  const { graph: changed } = changedFacts(step.graph, {
    added: Int32Array.from(later.flat()),
    removed: Int32Array.from(removed.filter((fact) => !later.map(String).includes(String(fact))).flat()),
  });
  let compared = 0;
  for (let entity = 0; entity < entities; entity += 1) {
    const mine = now.get(entity) ?? new Set();
    const found = cosinesOf(changed, entity, likes);
    for (const head of changed.headsOf(likes)) {
      const theirs = now.get(head)!;
      const shared = product(mine, theirs);
      expect(found.has(head)).toBe(shared > 0);
      if (shared === 0) continue;
      const cosine = shared / Math.sqrt(product(mine, mine) * product(theirs, theirs));
      expect(found.get(head)).toBeCloseTo(cosine, 5);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(300);
});
