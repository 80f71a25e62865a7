import { expect, it } from 'vitest';
import { asEntityId, asRelationId, createRandom, EntitySet } from '../index.ts';
import { logicNames } from '../logic/index.ts';
import { and, answerQuery, entity, or, project, type Query } from '../query/index.ts';
import { topK } from '../ranking/index.ts';
import { someGraph } from '../testing/some-graph.ts';
import { someTree } from '../testing/some-tree.ts';
import { standInLinks } from '../testing/stand-in-links.ts';
import { answerSets, type SetsState } from './answer-sets.ts';
import { bestAnswers } from './best-answers.ts';
import { defaultProjection } from './projection-settings.ts';
import { createSetLogic } from './set-logic.ts';

const [entityCount, relationCount] = [17, 4];
const random = createRandom('best answers');

/** The k best, ids and degrees, without what is excluded. */
function best(degrees: Float32Array, k: number, excluded: EntitySet | undefined): (readonly number[])[] {
  const open = degrees.map((degree, id) => (excluded?.has(id) === true ? -1 : degree));
  const { ids, scores } = topK(open, k);
  return Array.from(ids, (id, i) => [id, scores[i]!]);
}

/** Degrees that are 0, as high as they may be, next to each other, or low. */
const extreme = (): number =>
  [0, 0, 0.999, Math.fround(0.999) - 2 ** -24, 0.5, 0.5 + 2 ** -24, random.uniform() ** 4][random.below(7)]!;

it.each(logicNames)('the best answers are those of whole sets in %s logic', async (logic) => {
  let spared = 0;
  for (let round = 0; round < 12; round += 1) {
    const facts = someGraph(random, entityCount, relationCount, 10 + random.below(90));
    const links = standInLinks(facts, random, extreme);
    const state: SetsState = { links, logic: createSetLogic(logic), projection: defaultProjection, facts };
    for (let tree = 0; tree < 40; tree += 1) {
      const query = someTree(random, { entityCount, relationCount, depth: 1 + random.below(4) });
      const recorded = answerQuery(facts, query);
      const excluded =
        random.below(2) === 0
          ? undefined
          : EntitySet.from(
              entityCount,
              Array.from({ length: random.below(6) }, () => random.below(entityCount)),
            );
      const [whole] = await answerSets(state, [query]);
      const open = entityCount - (excluded?.size ?? 0);
      for (const count of [1, 2, 3, 5, open]) {
        links.calls.length = 0;
        const [answer] = await bestAnswers(state, [query], [{ count, excluded, recorded }]);
        if (links.calls.length === 0) spared += 1;
        expect(best(answer!.degrees, count, excluded)).toEqual(best(whole!.degrees, count, excluded));
        expect(answer!.operands).toHaveLength(query.op === 'and' ? query.operands.length : 0);
      }
    }
  }
  // Where enough is recorded, no link is computed: the comparison is of both ways.
  expect(spared).toBeGreaterThan(200);
});

it('recorded answers that are excluded, or too few, are no reason to look at nothing else', async () => {
  const facts = someGraph(random, entityCount, relationCount, 60);
  const links = standInLinks(facts, random, () => 0.999);
  const state: SetsState = { links, logic: createSetLogic('product'), projection: defaultProjection, facts };
  const head = facts.headsOf(0).find((id) => facts.tails(id, 0).length > 2)!;
  const query = project(asRelationId(0), entity(asEntityId(head)));
  const recorded = answerQuery(facts, query);
  const callsFor = async (asked: Query, count: number, excluded?: EntitySet): Promise<number> => {
    links.calls.length = 0;
    await bestAnswers(state, [asked], [{ count, excluded, recorded }]);
    return links.calls.length;
  };
  expect(await callsFor(query, recorded.size)).toBe(0);
  expect(await callsFor(and(query, query), recorded.size)).toBe(0);
  expect(await callsFor(query, recorded.size + 1)).toBe(1);
  expect(await callsFor(query, recorded.size, recorded)).toBe(1);
  // Two predictions of 0.999 together are as good as recorded: 1 − 10⁻⁶.
  expect(await callsFor(or(query, query), 1)).toBe(1);
});

it('queries of which some are known and some are not keep their order', async () => {
  const facts = someGraph(random, entityCount, relationCount, 60);
  const links = standInLinks(facts, random);
  const state: SetsState = { links, logic: createSetLogic('godel'), projection: defaultProjection, facts };
  const heads = [...facts.headsOf(0)];
  const queries = heads.map((head) => project(asRelationId(0), entity(asEntityId(head))));
  const wanted = queries.map((query, i) => ({
    count: i % 2 === 0 ? 1 : entityCount,
    recorded: answerQuery(facts, query),
  }));
  const answers = await bestAnswers(state, queries, wanted);
  const whole = await answerSets(state, queries);
  answers.forEach(({ degrees }, i) => {
    expect(best(degrees, wanted[i]!.count, undefined)).toEqual(
      best(whole[i]!.degrees, wanted[i]!.count, undefined),
    );
  });
});
