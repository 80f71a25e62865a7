import { createRandom, EntitySet } from '@fuzzqe/core';
import { answerQuery } from '@fuzzqe/core/query';
import {
  type AnswerSet,
  type Arrays,
  answerSets,
  bestAnswers,
  createSetLogic,
  defaultProjection,
  newArrays,
  type SetsState,
} from '@fuzzqe/core/sets';
import { createLinkDegrees, createRuleIndex, defaultWeights } from '@fuzzqe/evidence';
import { expect, it } from 'vitest';
import { memoryBundle } from '../testing/memory-bundle.ts';
import { randomQuery } from '../testing/random-query.ts';
import { referenceGraphs } from '../testing/reference-graphs.ts';
import { createLinkScores } from './link-scores.ts';

const { config, parameters, facts } = await memoryBundle({ facts: 300 });
const run = referenceGraphs(config, parameters)('links');
const state: SetsState = {
  links: createLinkDegrees({
    facts,
    rules: createRuleIndex({ relationCount: config.relations, rules: [] }),
    weights: defaultWeights(config.relations, { temperature: 20 }),
    scores: createLinkScores({ model: config, run: async (feeds) => run(feeds) }),
  }),
  logic: createSetLogic(config.logic),
  projection: { ...defaultProjection, predictedMembers: 3 },
  facts,
};

const random = createRandom('arrays', 'given back');
const queries = Array.from({ length: 150 }, (_, i) => randomQuery(random, 1 + (i % 4)));
const wanted = queries.map((query, i) => {
  const recorded = EntitySet.from(config.entities, answerQuery(facts, query));
  return { count: 2, recorded, excluded: i % 2 === 0 ? recorded : undefined };
});

/** Both ways to answer, each query alone and all together. */
async function answersWith(arrays: () => Arrays): Promise<AnswerSet[]> {
  const found = [
    await answerSets({ ...state, arrays: arrays() }, queries),
    await bestAnswers({ ...state, arrays: arrays() }, queries, wanted),
  ];
  for (const [i, query] of queries.entries()) {
    found.push(await answerSets({ ...state, arrays: arrays() }, [query]));
    found.push(await bestAnswers({ ...state, arrays: arrays() }, [query], [wanted[i]!]));
  }
  return found.flat();
}

it('nothing is read that was given back, whose numbers are no longer those that were written', async () => {
  let given = 0;
  const spoilt = (): Arrays => ({
    take: newArrays.take,
    giveBack(array) {
      given += 1;
      array.fill(Number.NaN);
    },
  });
  expect(await answersWith(spoilt)).toEqual(await answersWith(() => newArrays));
  expect(given).toBeGreaterThan(queries.length);
});
