import { describe, expect, it } from 'vitest';
import { asEntityId, asRelationId, createRandom } from '../index.ts';
import { logicNames } from '../logic/index.ts';
import { and, entity, instantiate, not, or, project, type Query, structures } from '../query/index.ts';
import { plainAnswer } from '../testing/plain-sets.ts';
import { someGraph } from '../testing/some-graph.ts';
import { someTree } from '../testing/some-tree.ts';
import { standInLinks } from '../testing/stand-in-links.ts';
import { answerSets, type SetsState } from './answer-sets.ts';
import { defaultProjection, highestPredicted } from './projection-settings.ts';
import { createSetCache } from './set-cache.ts';
import { createSetLogic } from './set-logic.ts';

const [entityCount, relationCount] = [19, 4];
const random = createRandom('answers by sets');
const facts = someGraph(random, entityCount, relationCount, 40);
const projection = { ...defaultProjection, certainMembers: 3, predictedMembers: 4 };
const all = Array.from({ length: entityCount }, (_, id) => id);

const anchor = (): Query => entity(asEntityId(random.below(entityCount)));
const hop = (from: Query): Query => project(asRelationId(random.below(relationCount)), from);

/** A query of each structure, and some that are none of them. */
function someQueries(): readonly Query[] {
  const draw = (count: number, bound: number): number[] =>
    Array.from({ length: count }, () => random.below(bound));
  return [
    ...Object.values(structures).map(({ template, anchors, relations }) =>
      instantiate(template, draw(anchors, entityCount), draw(relations, relationCount)),
    ),
    ...Array.from({ length: 40 }, () => someTree(random, { entityCount, relationCount, depth: 4 })),
  ];
}

describe.each(logicNames)('answers by fuzzy sets in %s logic', (logic) => {
  const links = standInLinks(facts, random);
  const state: SetsState = { links, logic: createSetLogic(logic), projection, facts };

  it('are those of plain loops, for the 14 structures and for trees', async () => {
    const queries = someQueries();
    const answers = await answerSets(state, queries);
    const worst = (settings: typeof projection): number[] =>
      queries.map((query, i) => {
        const expected = plainAnswer({ logic, settings, facts, links }, query);
        return Math.max(...expected.map((degree, id) => Math.abs(degree - answers[i]!.degrees[id]!)));
      });
    expect(Math.max(...worst(projection))).toBeLessThan(3e-6);
    // Other numbers are other answers: the comparison can fail.
    const others = worst({ ...projection, support: 0.6 }).filter((apart) => apart > 1e-3);
    expect(others.length).toBeGreaterThan(10);
    const fewer = worst({ ...projection, predictedMembers: 0 }).filter((apart) => apart > 1e-3);
    expect(fewer.length).toBeGreaterThan(5);
  });

  it('take the links from all anchors in one call, each once', async () => {
    const queries = someQueries();
    links.calls.length = 0;
    const onlyAnchors = queries.filter((query) => query.op === 'project' && query.from.op === 'entity');
    await answerSets(state, [...onlyAnchors, ...onlyAnchors]);
    expect(links.calls).toEqual([new Set(onlyAnchors.map((query) => JSON.stringify(query))).size]);
  });
});

describe('answers by fuzzy sets', () => {
  const links = standInLinks(facts, random);
  const state: SetsState = { links, logic: createSetLogic('product'), projection, facts };
  const [head, relation] = [facts.headsOf(0)[0]!, 0];
  const oneHop = project(asRelationId(relation), entity(asEntityId(head)));

  it('have degree 1 where a link is recorded and at most 0.999 elsewhere', async () => {
    const [{ degrees } = expect.fail('no answer')] = await answerSets(state, [oneHop]);
    const tails = new Set(facts.tails(head, relation));
    for (const id of all)
      if (tails.has(id)) expect(degrees[id]).toBe(1);
      else expect(degrees[id]).toBeLessThanOrEqual(highestPredicted);
  });

  it('come with the sets of the operands of a conjunction', async () => {
    const other = hop(anchor());
    const [joined, one, two] = await answerSets(state, [and(oneHop, not(other), other), oneHop, other]);
    expect(joined!.operands).toHaveLength(3);
    expect(joined!.operands[0]).toEqual(one!.degrees);
    expect(joined!.operands[1]).toEqual(two!.degrees.map((degree) => 1 - degree));
    expect(joined!.operands[2]).toEqual(two!.degrees);
    expect(one!.operands).toEqual([]);
  });

  it('lead nowhere from an empty set, and ask for no link of it', async () => {
    links.calls.length = 0;
    const none = and(entity(asEntityId(1)), entity(asEntityId(2)));
    const [{ degrees } = expect.fail('no answer')] = await answerSets(state, [hop(none)]);
    expect([...degrees]).toEqual(all.map(() => 0));
    expect(links.calls).toEqual([]);
  });

  it('are the same from a cache, which spares calls', async () => {
    const queries = someQueries();
    const expected = await answerSets(state, queries);
    const cached = { ...state, cache: createSetCache(10_000) };
    await answerSets(cached, queries);
    links.calls.length = 0;
    const again = await answerSets(cached, queries);
    expect(links.calls).toEqual([]);
    again.forEach(({ degrees }, i) => {
      expect(degrees).toEqual(expected[i]!.degrees);
    });
  });

  it('take the links of a member from a cache, whichever query asked for them first', async () => {
    const cached = { ...state, cache: createSetCache(10_000) };
    const other = project(asRelationId(relation), entity(asEntityId(facts.headsOf(0)[1]!)));
    const onward = (from: Query): Query => project(asRelationId(1), from);
    const query = onward(or(oneHop, other));
    const alone = await answerSets(state, [query]);
    await answerSets(cached, [onward(oneHop), onward(other)]);
    links.calls.length = 0;
    const [found] = await answerSets(cached, [query]);
    const asked = links.calls.reduce((sum, each) => sum + each, 0);
    links.calls.length = 0;
    await answerSets(state, [query]);
    // Without a cache: both anchors, and each member of the union.
    expect(asked).toBeLessThan(links.calls.reduce((sum, each) => sum + each, 0) - 2);
    expect(found!.degrees).toEqual(alone[0]!.degrees);
  });

  it('hear of the sets whose members are chosen', async () => {
    const heard: Float32Array[] = [];
    const [, from] = await answerSets(state, [hop(oneHop), oneHop], (degrees) => heard.push(degrees.slice()));
    expect(heard).toEqual([from!.degrees]);
  });

  it('refuse what the graph does not have', async () => {
    const unknown = project(asRelationId(relationCount), entity(asEntityId(0)));
    await expect(answerSets(state, [unknown])).rejects.toThrow('relation: expected an id in [0, 4), got 4');
    await expect(answerSets(state, [hop(entity(asEntityId(-1)))])).rejects.toThrow('entity: expected');
  });
});
