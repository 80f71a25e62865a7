import { createRandom } from '@fuzzqe/core';
import { loadCountries } from '@fuzzqe/data';
import { initialiseParameters, type ModelConfig, type Parameters, plainModel } from '@fuzzqe/model';
import { ensembleOf } from '@fuzzqe/train';
import { describe, expect, it } from 'vitest';
import { logitDeviation, sampleLinks } from './logit-deviation.ts';
import { serveParameters } from './serve-parameters.ts';

const graph = loadCountries({ seed: 1 }).graphs().train;
const model: ModelConfig = {
  ...plainModel,
  ...{ dimension: 8, entities: graph.entityCount, relations: graph.relationCount },
  ...{ relationForm: 'blocks', entityNormalisation: 'l1', projectionInput: 'domain', negationLambda: -0.5 },
};
const drawn = initialiseParameters(model, createRandom('deviation'));
/** Parameters of the size that training gives them. */
const parameters: Parameters = {
  entities: drawn.entities.map((value) => 8 * value),
  coefficients: drawn.coefficients.map((value) => 15 * value),
};

describe('the deviation of logits', () => {
  const links = sampleLinks(graph, 40, createRandom('links'));
  const deviationOf = async (of: ModelConfig, learned: Parameters): Promise<number> => {
    const served = await serveParameters({ model: of, parameters: learned, trained: graph, threads: 1 });
    try {
      return await logitDeviation(served.scores, links, graph.entityCount);
    } finally {
      await served.close();
    }
  };

  it('is of links that are recorded, in both directions', () => {
    const recorded = Array.from(links.heads, (head, i) => graph.tails(head, links.relations[i]!).length);
    expect(Math.min(...recorded)).toBeGreaterThan(0);
    expect(new Set(links.relations.map((relation) => relation % 2))).toEqual(new Set([0, 1]));
  });

  it('grows with the logits and not with the dimension', async () => {
    const alone = await deviationOf(model, parameters);
    expect(alone).toBeGreaterThan(0.1);
    const half = { path: 'one', model, parameters, weight: 0.5 };
    const twice = ensembleOf([half, half]);
    expect(await deviationOf(twice.model, twice.parameters)).toBeCloseTo(alone, 4);
    const weak = ensembleOf([{ ...half, weight: 0.25 }]);
    expect(await deviationOf(weak.model, weak.parameters)).toBeCloseTo(alone / 4, 4);
  });
});
