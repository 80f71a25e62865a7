import { describe, expect, it } from 'vitest';
import { asEntityId, asRelationId, createRandom } from '../index.ts';
import { logicNames } from '../logic/index.ts';
import {
  type Condition,
  memberOfSet,
  type Pattern,
  patternOf,
  planPattern,
  type SetMeaning,
  treeOf,
} from '../query/index.ts';
import { evenLinks } from '../testing/even-links.ts';
import { plainPattern } from '../testing/plain-pattern.ts';
import type { PlainState } from '../testing/plain-sets.ts';
import { someGraph } from '../testing/some-graph.ts';
import { somePattern } from '../testing/some-pattern.ts';
import { someTree } from '../testing/some-tree.ts';
import { standInLinks } from '../testing/stand-in-links.ts';
import { answerPattern, isExact, type PatternLimits, type PatternTuples } from './answer-pattern.ts';
import type { SetsState } from './answer-sets.ts';
import { recordedState } from './recorded-state.ts';
import { createSetLogic } from './set-logic.ts';

const settings = { support: 0, certainMembers: 1000, predictedMembers: 1000 };
const whole: PatternLimits = { k: 100_000, links: 1_000_000, width: 1000 };

function tuplesOf({ tuples, degrees }: PatternTuples, { answers }: Pattern): Map<string, number> {
  const found = new Map<string, number>();
  degrees.forEach((degree, i) => {
    found.set(tuples.subarray(i * answers.length, (i + 1) * answers.length).join(' '), degree);
  });
  return found;
}

/** How far two sets of tuples are apart at most. */
function apart(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  const keys = new Set([...a.keys(), ...b.keys()]);
  return Math.max(0, ...[...keys].map((key) => Math.abs((a.get(key) ?? 0) - (b.get(key) ?? 0))));
}

describe.each(logicNames)('answers to patterns in %s logic', (logic) => {
  const random = createRandom('patterns', logic);
  const facts = someGraph(random, 7, 6, 25);
  const links = evenLinks(facts, random);
  const state: SetsState = { links, logic: createSetLogic(logic), projection: settings, facts };
  const plain: PlainState = { logic, settings, facts, links };
  const sizes = { entityCount: 7, relationCount: 6, variables: 4, atoms: 5 };

  it('are those of all assignments, one after the other', async () => {
    const other: PlainState = { ...plain, logic: logic === 'godel' ? 'product' : 'godel' };
    let differ = 0;
    for (let drawn = 0; drawn < 150; drawn += 1) {
      const pattern = somePattern(random, sizes);
      const found = await answerPattern(state, planPattern(pattern), whole);
      expect(isExact(found)).toBe(true);
      const tuples = tuplesOf(found, pattern);
      expect(apart(tuples, plainPattern(plain, pattern)), JSON.stringify(pattern)).toBeLessThan(3e-6);
      if (apart(tuples, plainPattern(other, pattern)) > 1e-3) differ += 1;
    }
    // Another logic is another answer: the comparison can fail.
    expect(differ).toBeGreaterThan(50);
  });

  it('are those of all assignments where sets are given as well, under ∨ and ¬ too', async () => {
    const given = Object.fromEntries(
      ['where(height > 200)', 'like(#3)'].map((name, i) => [
        name,
        Array.from({ length: 7 }, () => (i === 0 ? random.below(2) : Math.fround(random.uniform() * 0.999))),
      ]),
    );
    const members = new Map(
      Object.entries(given).map(([name, degrees]) => {
        const ids = Int32Array.from(degrees.keys()).filter((id) => degrees[id]! > 0);
        return [name, { ids, degrees: Float32Array.from(ids, (id) => degrees[id]!) }];
      }),
    );
    const isLike: SetMeaning = { op: 'like', entity: asEntityId(3) };
    const isTall: SetMeaning = { op: 'where', property: 'height', is: '>', values: [200] };
    let differ = 0;
    for (let drawn = 0; drawn < 80; drawn += 1) {
      const pattern = somePattern(random, sizes);
      const some = (): Condition =>
        memberOfSet(random.below(pattern.variables.length), random.below(2) === 0 ? isLike : isTall);
      const more: Condition[] = [
        some(),
        { op: 'or', operands: [some(), { op: 'not', operand: some() }] },
        { op: 'not', operand: some() },
      ];
      const where: Condition = { op: 'and', operands: [pattern.where, more[random.below(3)]!] };
      const found = await answerPattern(
        { ...state, given: members },
        planPattern({ ...pattern, where }),
        whole,
      );
      const tuples = tuplesOf(found, pattern);
      const expected = plainPattern({ ...plain, given }, { ...pattern, where });
      expect(apart(tuples, expected), JSON.stringify(where)).toBeLessThan(3e-6);
      if (apart(tuples, plainPattern(plain, pattern)) > 1e-3) differ += 1;
    }
    // The sets decide: without them the answers are others.
    expect(differ).toBeGreaterThan(30);
  });

  it('join all assignments of a tuple by ∨ where that is asked', async () => {
    let differ = 0;
    for (let drawn = 0; drawn < 60; drawn += 1) {
      const pattern = somePattern(random, { ...sizes, variables: 3 });
      const found = await answerPattern(state, planPattern(pattern, 'or'), { ...whole, exists: 'or' });
      expect(isExact(found)).toBe(true);
      const tuples = tuplesOf(found, pattern);
      // Each way to join has a plan of its own, made once.
      expect(planPattern(pattern, 'or')).toBe(planPattern(pattern, 'or'));
      expect(planPattern(pattern)).not.toBe(planPattern(pattern, 'or'));
      expect(apart(tuples, plainPattern(plain, pattern, 'or')), JSON.stringify(pattern)).toBeLessThan(3e-5);
      if (apart(tuples, plainPattern(plain, pattern)) > 1e-3) differ += 1;
    }
    // The ∨ of Gödel's logic is the maximum; in the other logics the answers are others.
    expect(differ > 10).toBe(logic !== 'godel');
  });

  it('have the best tuples first, and say whether a better tuple may be unseen', async () => {
    let [exact, unsure] = [0, 0];
    for (let drawn = 0; drawn < 100; drawn += 1) {
      const pattern = somePattern(random, sizes);
      const expected = [...plainPattern(plain, pattern).values()].sort((a, b) => b - a);
      const some = await answerPattern(state, planPattern(pattern), { k: 3, links: 3, width: 2 });
      const best = expected.slice(0, 3);
      if (isExact(some)) {
        exact += 1;
        best.forEach((degree, i) => {
          expect(some.degrees[i]).toBeCloseTo(degree, 5);
        });
      } else {
        unsure += 1;
        // What is unseen is no better than is said.
        const missing = best.filter(
          (degree) => ![...some.degrees].some((each) => Math.abs(each - degree) < 1e-5),
        );
        for (const degree of missing) expect(degree).toBeLessThanOrEqual(some.unseen + 1e-6);
      }
      expect(some.links).toBeLessThanOrEqual(3);
    }
    expect(exact).toBeGreaterThan(10);
    expect(unsure).toBeGreaterThan(10);
  });

  it('are those of the facts alone where nothing is predicted', async () => {
    const dense = someGraph(random, 7, 6, 90);
    const degree = (head: number, relation: number, tail: number) =>
      dense.has(head, relation, tail) ? 1 : 0;
    const crisp: PlainState = { ...plain, facts: dense, links: { degree } };
    let most = 0;
    for (let drawn = 0; drawn < 100; drawn += 1) {
      const pattern = somePattern(random, sizes);
      const limits = { ...whole, predicted: 0 };
      const found = await answerPattern(recordedState(dense, state), planPattern(pattern), limits);
      const expected = plainPattern(crisp, pattern);
      expect([...tuplesOf(found, pattern).keys()].sort()).toEqual([...expected.keys()].sort());
      expect(found.degrees.every((degree) => degree === 1)).toBe(true);
      most = Math.max(most, expected.size);
    }
    expect(most).toBeGreaterThan(20);
  });

  it('obey the laws of ∧: its order and a bracket do not matter, and a further condition makes no tuple better', async () => {
    for (let drawn = 0; drawn < 40; drawn += 1) {
      const pattern = somePattern(random, sizes);
      const operands = pattern.where.op === 'and' ? pattern.where.operands : [];
      const [first, ...others] = operands;
      if (first === undefined || others.length < 2) continue;
      const tuples = async (where: Pattern['where']): Promise<Map<string, number>> =>
        tuplesOf(await answerPattern(state, planPattern({ ...pattern, where }), whole), pattern);
      const plainly = await tuples(pattern.where);
      const reversed = await tuples({ op: 'and', operands: [...operands].reverse() });
      const bracketed = await tuples({ op: 'and', operands: [first, { op: 'and', operands: others }] });
      expect(apart(plainly, reversed)).toBeLessThan(1e-5);
      expect(apart(plainly, bracketed)).toBeLessThan(1e-5);
      const twice = await tuples({ op: 'and', operands: [...operands, first] });
      for (const [key, degree] of twice) expect(degree).toBeLessThanOrEqual((plainly.get(key) ?? 0) + 1e-6);
    }
  });
});

describe('answers to patterns', () => {
  const random = createRandom('answers to patterns');
  const facts = someGraph(random, 9, 4, 30);
  const links = standInLinks(facts, random);
  const state: SetsState = { links, logic: createSetLogic('product'), projection: settings, facts };
  const [x, y] = [{ variable: 0 }, { variable: 1 }];
  const [first] = [asRelationId(0)];

  it('read a link from the variable that is known first, and from an entity', async () => {
    const at = (id: number) => ({ entity: asEntityId(id) });
    const pattern: Pattern = {
      variables: ['x', 'y'],
      answers: [0, 1],
      where: {
        op: 'and',
        operands: [
          { op: 'link', relation: first, from: y, to: x },
          { op: 'link', relation: asRelationId(2), from: x, to: at(3) },
        ],
      },
    };
    const found = await answerPattern(state, planPattern(pattern), whole);
    // The last tuple is not recorded.
    const [one, two] = found.tuples.subarray(-2);
    // x is known first, by the entity, so that y → x is read as x → y along the inverse.
    const expected = links.degree(3, 3, one!) * links.degree(one!, 1, two!);
    expect(found.degrees.at(-1)).toBeCloseTo(expected, 6);
    expect(found.degrees.at(-1)).not.toBeCloseTo(links.degree(one!, 2, 3) * links.degree(two!, 0, one!), 6);
  });

  it('are asked for fixed entities, and leave out excluded tuples', async () => {
    const pattern: Pattern = {
      variables: ['x', 'y'],
      answers: [0, 1],
      where: { op: 'link', relation: first, from: x, to: y },
    };
    const plan = planPattern(pattern);
    const fixed = await answerPattern(state, plan, { ...whole, k: 1, fixed: [2, 5] });
    expect([...fixed.tuples]).toEqual([2, 5]);
    expect(fixed.degrees[0]).toBeCloseTo(links.degree(2, 0, 5), 6);
    const all = await answerPattern(state, plan, whole);
    const others = await answerPattern(state, plan, { ...whole, excluded: new Set(['2 5']) });
    expect(others.degrees).toHaveLength(all.degrees.length - 1);
    expect(tuplesOf(others, pattern).has('2 5')).toBe(false);
  });

  it('compute no link for a tuple that the facts give, and follow recorded links when links are spent', async () => {
    const pattern: Pattern = {
      variables: ['x', 'y', 'z'],
      answers: [0],
      where: {
        op: 'and',
        operands: [
          { op: 'link', relation: first, from: x, to: y },
          { op: 'link', relation: asRelationId(2), from: y, to: { variable: 2 } },
          { op: 'link', relation: first, from: x, to: { variable: 2 } },
        ],
      },
    };
    const dense = someGraph(random, 9, 4, 70);
    const of = { ...state, facts: dense, links: standInLinks(dense, random) };
    const plan = planPattern(pattern);
    const recorded = await answerPattern(recordedState(dense, of), plan, { ...whole, predicted: 0 });
    const known = recorded.degrees.length;
    expect(known).toBeGreaterThan(1);
    const best = await answerPattern(of, plan, { ...whole, k: 1 });
    expect([best.links, isExact(best)]).toEqual([0, true]);
    // One more is to be predicted.
    const more = await answerPattern(of, plan, { ...whole, k: known + 1 });
    expect(more.links).toBeGreaterThan(1);
    const links = more.links - 1;
    const spent = await answerPattern(of, plan, { ...whole, k: known + 1, links });
    expect([...spent.tuples.subarray(0, known)]).toEqual([...recorded.tuples]);
    expect(spent.links).toBeLessThanOrEqual(links);
    expect(isExact(spent)).toBe(false);
  });

  it('take sets that are given as leaves', async () => {
    const pattern: Pattern = {
      variables: ['x', 'y'],
      answers: [1],
      where: {
        op: 'and',
        operands: [
          { op: 'member', variable: 0, query: { op: 'given', name: 'tall' } },
          { op: 'link', relation: first, from: x, to: y },
        ],
      },
    };
    const given = new Map([['tall', { ids: Int32Array.of(4), degrees: Float32Array.of(0.5) }]]);
    const found = await answerPattern({ ...state, given }, planPattern(pattern), whole);
    const [best] = found.tuples;
    expect(found.degrees[0]).toBeCloseTo(0.5 * links.degree(4, 0, best!), 6);
  });
});

describe('the plan of a pattern', () => {
  it('of a tree is that tree', () => {
    const random = createRandom('trees as patterns');
    for (let drawn = 0; drawn < 300; drawn += 1) {
      const tree = someTree(random, { entityCount: 9, relationCount: 4, depth: 4 });
      expect(treeOf(planPattern(patternOf(tree)))).toEqual(tree);
    }
  });

  it('of a cycle is no tree', () => {
    const link = (from: number, to: number) =>
      ({ op: 'link', relation: asRelationId(0), from: { variable: from }, to: { variable: to } }) as const;
    const plan = planPattern({
      variables: ['x', 'y', 'z', 'leaf'],
      answers: [0],
      where: { op: 'and', operands: [link(0, 1), link(1, 2), link(2, 0), link(3, 0)] },
    });
    expect(treeOf(plan)).toBeUndefined();
    // The leaf has become a set, the cycle is left.
    expect(plan.steps.map(({ variable }) => variable)).toEqual([0, 1, 2]);
    expect(plan.steps[0]?.set).toEqual({ op: 'project', relation: 0, from: { op: 'any' } });
  });

  it('refuses a negation whose own variable joins two others', () => {
    const link = (from: number, to: number) =>
      ({ op: 'link', relation: asRelationId(0), from: { variable: from }, to: { variable: to } }) as const;
    const pattern: Pattern = {
      variables: ['x', 'y', 'z'],
      answers: [0, 1],
      where: {
        op: 'and',
        operands: [link(0, 1), { op: 'not', operand: { op: 'and', operands: [link(0, 2), link(2, 1)] } }],
      },
    };
    expect(() => planPattern(pattern)).toThrow(/expected \?z outside of "not"/);
  });
});
