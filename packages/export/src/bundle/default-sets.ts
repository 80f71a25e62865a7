import type { KnowledgeGraph } from '@fuzzqe/core';
import {
  entityEmbedding,
  type ModelConfig,
  numericParameters,
  type Parameters,
  relationProjection,
  relationWeights,
  trainedParameters,
} from '@fuzzqe/core/model';
import {
  type Calibration,
  defaultCalibration,
  entityDirections,
  linkLogits,
  measurePartitions,
  partitionTerms,
} from '@fuzzqe/core/sets';
import { createProgram, evaluate, gather, input, numeric, parameter } from '@fuzzqe/core/tensor';
import type { SetsOptions } from './export-options.ts';

/**
 * What a model that nobody calibrated answers by fuzzy sets with: the default calibration, or a given one, and the
 * log-partitions of its temperature, measured in float64.
 *
 * It costs up to 16·|R|·|E|·d products; a run is calibrated faster by `fuzzqe calibrate`.
 */
export async function defaultSets(
  config: ModelConfig,
  parameters: Parameters,
  graph: KnowledgeGraph,
  calibration: Calibration = defaultCalibration,
): Promise<SetsOptions> {
  const { entities: count, dimension: d } = config;
  const trained = trainedParameters(config);
  const table = evaluate(
    createProgram({
      name: 'entities',
      inputs: [],
      outputs: { table: entityEmbedding(config, trained.entities) },
    }),
    { entities: numeric([count, d], parameters.entities) },
  )['table']!;

  const one = { ...config, relations: 1 };
  const entities = parameter('entities', [count, d]);
  const heads = input('heads', 'int', ['n']);
  const along = input('along', 'int', ['n']);
  const recorded = input('recorded', 'float', ['n', count]);
  const temperature = input('temperature', 'float', [1]);
  const relation = relationWeights(one, trainedParameters(one));
  const projected = relationProjection(one, relation, gather(entities, heads), along);
  const program = createProgram({
    name: 'partition',
    inputs: [heads, along, recorded, temperature],
    outputs: {
      terms: partitionTerms(
        linkLogits(config, temperature, projected, entityDirections(config, entities)),
        recorded,
      ),
    },
  });
  const { coefficients, ...others } = numericParameters(config, parameters);
  const [, width] = coefficients!.shape as [number, number];
  const fixed = {
    ...others,
    entities: table,
    temperature: numeric([1], [calibration.temperature]),
  };
  const partitions = await measurePartitions(graph, async (ids, id) => {
    const known = new Float32Array(ids.length * count);
    ids.forEach((head, row) => {
      for (const tail of graph.tails(head, id)) known[row * count + tail] = 1;
    });
    return evaluate(program, {
      ...fixed,
      coefficients: numeric([1, width], parameters.coefficients.subarray(id * width, (id + 1) * width)),
      heads: numeric([ids.length], ids),
      along: numeric([ids.length], new Int32Array(ids.length)),
      recorded: numeric([ids.length, count], known),
    })['terms']!.data;
  });
  return { calibration, partitions, fitted: null, probability: null };
}
