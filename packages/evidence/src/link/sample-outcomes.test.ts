import { createRandom } from '@fuzzqe/core';
import { someGraph } from '@fuzzqe/core/testing';
import { describe, expect, it } from 'vitest';
import { createRuleIndex } from '../rules/rule-index.ts';
import { mayBeReflexive } from '../schema/self-loops.ts';
import { someRules, someScores, someWeights } from '../testing/some-links.ts';
import type { DrawnLink } from './draw-links.ts';
import { featureCount } from './features.ts';
import { outcomesAt } from './fit-evidence.ts';
import { createLinkDegrees } from './link-degrees.ts';
import { weightsOf } from './link-weights.ts';
import { sampleCandidates } from './sample-outcomes.ts';

const random = createRandom('candidates');
const [entityCount, relationCount] = [120, 6];
const facts = someGraph(random, entityCount, relationCount, 400);
const rules = createRuleIndex({ relationCount, rules: someRules(random, facts, 100) });
const typeRelations = [4];
const temperatures = [0.5, 2, 8];
const links: DrawnLink[] = Array.from({ length: 70 }, (_, i) => ({
  head: random.below(entityCount),
  relation: random.below(relationCount),
  hidden: new Set([random.below(entityCount), random.below(entityCount)]),
  weight: 1 + i,
}));

describe.each([
  { of: 'with a model', model: someScores(random, facts) },
  { of: 'without a model', model: undefined },
])('candidates $of', ({ model }) => {
  const sampled = () =>
    sampleCandidates({ facts, rules, scores: model?.scores, links, temperatures, typeRelations, best: 12 });

  it('have features that give the degrees that are served', async () => {
    const sample = await sampled();
    for (const [at, temperature] of model === undefined ? [[-1, null] as const] : temperatures.entries()) {
      const weights = someWeights(random, relationCount, { temperature, typeRelations });
      const { features, relations } = outcomesAt(sample, at, 1);
      const rows = await createLinkDegrees({ facts, rules, weights, scores: model?.scores }).rows(
        Int32Array.from(links, ({ head }) => head),
        Int32Array.from(links, ({ relation }) => relation),
      );
      let worst = 0;
      sample.entities.forEach((entity, i) => {
        const w = weightsOf(weights, relations[i]!);
        const z = w.reduce((sum, weight, k) => sum + weight * features[i * featureCount + k]!, 0);
        const served = rows[sample.linkOf[i]! * entityCount + entity]!;
        worst = Math.max(worst, Math.abs(served - Math.min(0.999, 1 / (1 + Math.exp(-z)))));
      });
      expect(sample.entities.length).toBeGreaterThan(links.length * 12);
      expect(worst).toBeLessThan(2e-6);
    }
  });

  it('are open entities, each once a link, with what is hidden marked', async () => {
    const { linkOf, entities, found } = await sampled();
    const seen = new Set<string>();
    let marked = 0;
    entities.forEach((entity, i) => {
      const { head, relation, hidden } = links[linkOf[i]!]!;
      expect(seen.has(`${linkOf[i]} ${entity}`)).toBe(false);
      seen.add(`${linkOf[i]} ${entity}`);
      expect(facts.has(head, relation, entity)).toBe(false);
      if (!mayBeReflexive(facts, relation)) expect(entity).not.toBe(head);
      expect(found[i]).toBe(hidden.has(entity) ? 1 : 0);
      marked += found[i]!;
    });
    expect(marked).toBeGreaterThan(10);
  });

  it('are the same however many links are looked at together', async () => {
    const sample = await sampled();
    const last = links.length - 1;
    const alone = await sampleCandidates({
      ...{ facts, rules, scores: model?.scores, temperatures, typeRelations, best: 12 },
      links: [links[last]!],
    });
    const places = [...sample.linkOf.keys()].filter((i) => sample.linkOf[i] === last);
    expect([...alone.entities]).toEqual(places.map((i) => sample.entities[i]));
    expect([...alone.scores]).toEqual(places.map((i) => sample.scores[i]));
  });
});

it('the highest scores and what rules name are candidates', async () => {
  const { scores, score } = someScores(random, facts, 20);
  const sample = await sampleCandidates({ facts, rules, scores, links, temperatures, best: 12 });
  links.forEach(({ head, relation }, link) => {
    const entities = sample.entities.filter((_, i) => sample.linkOf[i] === link);
    const open = Array.from({ length: entityCount }, (_, e) => e)
      .filter((e) => !facts.has(head, relation, e) && e !== head)
      .sort((a, b) => score(head, relation, b) - score(head, relation, a));
    for (const e of open.slice(0, 2)) expect(entities).toContain(e);
  });
});

it('sampling stops where it is told to, and reports as it goes', async () => {
  const { scores } = someScores(random, facts);
  const heard: number[] = [];
  await sampleCandidates({
    facts,
    rules,
    scores,
    links,
    temperatures,
    onProgress: (done) => heard.push(done),
  });
  expect(heard).toEqual([64, 70]);
  const stopped = sampleCandidates({
    facts,
    rules,
    scores,
    links,
    temperatures,
    signal: AbortSignal.abort(),
  });
  await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
});

it('no links have no candidates', async () => {
  const sample = await sampleCandidates({ facts, rules, scores: undefined, links: [], temperatures });
  expect([sample.entities.length, sample.features.length]).toEqual([0, 0]);
});
