import type { Golden, GoldenCase } from '@fuzzqe/core/bundle';
import type { ModelConfig } from '@fuzzqe/core/model';
import { type StructureName, structureNames } from '@fuzzqe/core/query';
import { evaluate, type NumericTensor, type NumericTensors, numeric } from '@fuzzqe/core/tensor';
import { structureProgram } from '../programs/structure-programs.ts';
import type { WeightsReader } from '../weights/weights-reader.ts';
import type { GoldenQuery } from './golden-query.ts';

/**
 * Answers queries in float64, by the programs of a profile and from the weights that are in its file: what every
 * runtime starts from.
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
  const cases: GoldenCase[] = [];
  for (const name of structureNames) {
    const chosen = queries.filter(({ structure }) => structure === name);
    if (chosen.length > 0) cases.push(...(await answer(config, weights, name, chosen, k)));
  }
  return { k, cases };
}

async function answer(
  config: ModelConfig,
  weights: WeightsReader,
  name: StructureName,
  queries: readonly GoldenQuery[],
  k: number,
): Promise<GoldenCase[]> {
  const result = await evaluateStructure(config, weights, name, queries, k);
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

/** Runs the program of a structure in float64, with the weights of a profile. */
export async function evaluateStructure(
  config: ModelConfig,
  weights: WeightsReader,
  name: StructureName,
  queries: readonly Omit<GoldenQuery, 'structure'>[],
  k: number,
): Promise<NumericTensors> {
  const used = [...new Set(queries.flatMap(({ relations }) => relations))].sort((a, b) => a - b);
  const part: ModelConfig = { ...config, relations: used.length };
  return evaluate(structureProgram(weights.profile.model(part), name), {
    ...(await weights.values(used)),
    anchors: matrix(queries.map(({ anchors }) => anchors)),
    relations: matrix(queries.map(({ relations }) => relations.map((id) => used.indexOf(id)))),
    k: numeric([1], [k]),
  });
}

const matrix = (rows: readonly (readonly number[])[]): NumericTensor =>
  numeric([rows.length, rows[0]!.length], rows.flat());
