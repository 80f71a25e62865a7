import { bundlePaths, decodePartitions } from '@fuzzqe/bundle';
import { asEntityId, asRelationId } from '@fuzzqe/core';
import { and, entity, project, type Query } from '@fuzzqe/core/query';
import type { LinkProbability } from '@fuzzqe/core/sets';
import { expect, it } from 'vitest';
import { openEngine, type SetsAnswer } from '../index.ts';
import { memoryBundle, referenceSessions } from '../testing/index.ts';

const population = { links: 1, best: 50, candidates: 100, facts: 10 };
const probability: LinkProbability = {
  temperature: 50,
  partitions: [50, 51, 52, 53, 54, 55],
  knots: [
    { logShare: -8, probability: 0.1 },
    { logShare: -1, probability: 0.9 },
  ],
  fitted: population,
  test: null,
};
/** With it a degree says the cosine: w exp(τ cos − z_r), nothing cut off. */
const calibration = { temperature: 20, weight: 0.001, exponent: 0, cap: 0.94, neighbourWeight: 0 };
const link = (head: number, relation: number): Query =>
  project(asRelationId(relation), entity(asEntityId(head)));

async function answerWith(likely: LinkProbability | undefined, queries: readonly Query[]) {
  const bundle = await memoryBundle({
    calibration,
    ...(likely === undefined ? {} : { probability: likely }),
  });
  const { config, parameters, source, files, facts } = bundle;
  const engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
  const partitions = decodePartitions(files.get(bundlePaths.partitions)!, config.relations);
  const answers = await engine.answerAll(queries, { k: 40, probability: true });
  return { engine, partitions, facts, answers };
}

/** The largest distance from (11) of the stated probabilities of one link, from the cosines that its degrees say. */
function worst({ answers }: SetsAnswer, relation: number, z: number): number {
  const distances = answers
    .filter(({ known }) => !known)
    .map(({ degree, probability: stated }) => {
      const cosine = (Math.log(degree / calibration.weight) + z) / calibration.temperature;
      const logShare = 50 * cosine - (50 + relation);
      const expected = 0.1 + (0.8 * (Math.min(-1, Math.max(-8, logShare)) + 8)) / 7;
      return Math.abs(stated! - expected);
    });
  expect(distances.length).toBeGreaterThan(10);
  return Math.max(...distances);
}

it('says of each unrecorded answer to one link how likely it is, and of nothing else', async () => {
  const queries = [link(1, 0), and(link(1, 0), link(2, 2)), link(3, 5)];
  const { partitions, facts, answers } = await answerWith(probability, queries);
  expect(worst(answers[0]!, 0, partitions[0]!)).toBeLessThan(1e-3);
  expect(worst(answers[2]!, 5, partitions[5]!)).toBeLessThan(1e-3);
  // With the log-partition of another relation it is not so.
  expect(worst(answers[2]!, 4, partitions[5]!)).toBeGreaterThan(1e-2);
  expect(answers[1]!.answers.every((answer) => answer.probability === undefined)).toBe(true);
  const recorded = answers[0]!.answers.filter(({ known }) => known);
  expect(recorded.length).toBe(facts.tails(1, 0).length);
  expect(recorded.every((answer) => answer.probability === undefined)).toBe(true);
});

it('says nothing unless it is asked', async () => {
  const { engine } = await answerWith(probability, []);
  const { answers } = await engine.answer(link(1, 0));
  expect(answers.every((answer) => !('probability' in answer))).toBe(true);
});

it('refuses where the bundle does not say, and with the embedding', async () => {
  await expect(answerWith(undefined, [link(1, 0)])).rejects.toMatchObject({
    code: 'usage',
    path: '$.probability',
  });
  const { engine } = await answerWith(probability, []);
  const options = { mode: 'embedding', probability: true } as const;
  await expect(engine.answer(link(1, 0), options)).rejects.toMatchObject({ path: '$.probability' });
});
