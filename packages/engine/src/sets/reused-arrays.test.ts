import { createRandom, EntitySet } from '@fuzzqe/core';
import { answerQuery } from '@fuzzqe/core/query';
import {
  type AnswerSet,
  type Arrays,
  answerSets,
  createBestAnswers,
  defaultCalibration,
  newArrays,
} from '@fuzzqe/core/sets';
import { expect, it } from 'vitest';
import { memoryBundle } from '../testing/memory-bundle.ts';
import { randomQuery } from '../testing/random-query.ts';
import { referenceGraphs } from '../testing/reference-graphs.ts';
import { createSetGraphs } from './set-graphs.ts';

const { config, parameters, facts } = await memoryBundle({ facts: 300 });
const calibration = { ...defaultCalibration, predictedMembers: 3, exclusivity: 0.5 };
const computed = referenceGraphs(config, parameters);
const graphs = createSetGraphs({
  model: config,
  calibration,
  run: async (graph, feeds) => computed(graph)(feeds),
});
const state = { calibration, facts, partitions: new Float32Array(config.relations).fill(2) };
const bestAnswers = createBestAnswers(config.logic, graphs, state);

const random = createRandom('arrays', 'given back');
const queries = Array.from({ length: 150 }, (_, i) => randomQuery(random, 1 + (i % 4)));
const wanted = queries.map((query, i) => {
  const recorded = EntitySet.from(config.entities, answerQuery(facts, query));
  return { count: 2, recorded, excluded: i % 2 === 0 ? recorded : undefined };
});

/** Both ways to answer, each query alone and all together. */
async function answersWith(arrays: () => Arrays): Promise<AnswerSet[]> {
  const found = [
    await answerSets(graphs, { ...state, arrays: arrays() }, queries),
    await bestAnswers(queries, wanted, arrays()),
  ];
  for (const [i, query] of queries.entries()) {
    found.push(await answerSets(graphs, { ...state, arrays: arrays() }, [query]));
    found.push(await bestAnswers([query], [wanted[i]!], arrays()));
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
