import {
  evaluate,
  type Golden,
  type GoldenCase,
  type ModelConfig,
  type NumericTensor,
  numeric,
  type StructureName,
  structureNames,
} from '@fuzzqe/core';
import { float32Model } from '../programs/served-model.ts';
import { structureProgram } from '../programs/structure-programs.ts';
import { tableShapes } from '../programs/tables.ts';
import type { WeightsReader } from '../weights/weights-reader.ts';
import type { GoldenQuery } from './golden-query.ts';

/**
 * Answers queries in float64, from the float32 weights that are in the bundle: what every runtime starts from.
 *
 * Only the relations that the queries use are read, so a large model needs no more memory than its entities.
 * Ranges: k in [1, |E|]; queries as checked by `checkGoldenQueries`. Cases keep the order of the structures.
 */
export async function goldenCases(
  config: ModelConfig,
  weights: WeightsReader,
  queries: readonly GoldenQuery[],
  k: number,
): Promise<Golden> {
  const entities = numeric(tableShapes(config).entityEmbeddings, await weights.table('entityEmbeddings'));
  const cases: GoldenCase[] = [];
  for (const name of structureNames) {
    const chosen = queries.filter(({ structure }) => structure === name);
    if (chosen.length > 0) cases.push(...(await answer(config, weights, entities, name, chosen, k)));
  }
  return { k, cases };
}

async function answer(
  config: ModelConfig,
  weights: WeightsReader,
  entities: NumericTensor,
  name: StructureName,
  queries: readonly GoldenQuery[],
  k: number,
): Promise<GoldenCase[]> {
  const used = [...new Set(queries.flatMap(({ relations }) => relations))].sort((a, b) => a - b);
  const part: ModelConfig = { ...config, relations: used.length };
  const shapes = tableShapes(part);
  const result = evaluate(structureProgram(float32Model(part), name), {
    entityEmbeddings: entities,
    relationWeights: numeric(shapes.relationWeights, await weights.rows('relationWeights', used)),
    relationBiases: numeric(shapes.relationBiases, await weights.rows('relationBiases', used)),
    anchors: matrix(queries.map(({ anchors }) => anchors)),
    relations: matrix(queries.map(({ relations }) => relations.map((id) => used.indexOf(id)))),
    k: numeric([1], [k]),
  });
  const row = (output: string, at: number): number[] => {
    const { shape, data } = result[output]!;
    return Array.from(data.subarray(at * shape[1]!, (at + 1) * shape[1]!));
  };
  return queries.map(({ structure, anchors, relations }, i) => ({
    structure,
    anchors,
    relations,
    embedding: row('embedding', i),
    ids: row('ids', i),
    scores: row('scores', i),
  }));
}

const matrix = (rows: readonly (readonly number[])[]): NumericTensor =>
  numeric([rows.length, rows[0]!.length], rows.flat());
