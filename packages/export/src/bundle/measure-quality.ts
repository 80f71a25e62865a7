import { hasGoldenSet, type MeasuredQuality, type QualityChange } from '@fuzzqe/bundle';
import { structureNames } from '@fuzzqe/core/query';
import { createMetrics, filteredRanks, topK } from '@fuzzqe/core/ranking';
import { answerSets, type SetsState } from '@fuzzqe/core/sets';
import {
  createProgram,
  evaluate,
  input,
  matmul,
  type NumericTensor,
  numeric,
  parameter,
} from '@fuzzqe/core/tensor';
import { type ModelConfig, scoredEntity } from '@fuzzqe/model';
import { rankStructure, treeOf } from '../golden/golden-cases.ts';
import type { GoldenQuery } from '../golden/golden-query.ts';
import type { WeightsReader } from '../weights/weights-reader.ts';

/** A query with its known answers. */
export interface ValidationQuery extends GoldenQuery {
  readonly easy: readonly number[];
  /** At least one. */
  readonly hard: readonly number[];
}

/** How many queries are answered at once: each needs room for its relations' matrices in float64. */
const batchSize = 8;
/** How many of the best entities are compared. */
const compared = 10;

/** How one profile ranks the validation queries in one mode. */
export interface ProfileRanking {
  /** Mean over structures of the filtered MRR. */
  readonly mrr: number;
  /** The best entities of each query. */
  readonly best: readonly (readonly number[])[];
}

/** How one profile ranks the validation queries by embeddings and by fuzzy sets. */
export type ProfileRankings = Readonly<Record<keyof MeasuredQuality, ProfileRanking>>;

/**
 * Ranks validation queries in float64 by the programs of a profile, so that the figures are the same on any machine.
 *
 * By embeddings, `best` is what the profile's graphs answer, and the MRR is over the exact scores of all entities, from the
 * embedding and the entities as the profile stores them; in mode `sets`, both are of the degrees, for the first `bySets` queries of
 * each structure that has golden sets: in float64 one takes a hundred times as long as an embedding. `step` is called after each batch.
 */
export async function rankWithProfile(
  config: ModelConfig,
  weights: WeightsReader,
  { queries, bySets }: { readonly queries: readonly ValidationQuery[]; readonly bySets: number },
  state: SetsState,
  step: (queries: number) => void,
): Promise<ProfileRankings> {
  const [embedding, sets] = [createRanking(), createRanking()];
  const scoresOf = exactScores(config, await entityTable(config, weights));
  const k = Math.min(compared, config.entities);
  for (const name of structureNames) {
    const chosen = queries.filter(({ structure }) => structure === name);
    for (let start = 0; start < chosen.length; start += batchSize) {
      const batch = chosen.slice(start, start + batchSize);
      const ranked = await rankStructure(config, weights, name, batch, k);
      const scores = scoresOf(ranked['embedding']!);
      const measured = hasGoldenSet(name, config.entities) ? Math.max(0, bySets - start) : 0;
      const answers = await answerSets(state, batch.slice(0, measured).map(treeOf));
      batch.forEach((query, row) => {
        const own = scores.subarray(row * config.entities, (row + 1) * config.entities);
        const best = ranked['ids']!.data.subarray(row * k, (row + 1) * k);
        embedding.add(query, own, Array.from(best));
        const answer = answers[row];
        if (answer === undefined) return;
        const degrees = Float64Array.from(answer.degrees);
        sets.add(query, degrees, Array.from(topK(degrees, k).ids));
      });
      step(batch.length);
    }
  }
  return { embedding: embedding.report(), sets: sets.report() };
}

function createRanking() {
  const metrics = createMetrics();
  const best: (readonly number[])[] = [];
  return {
    add({ structure, hard, easy }: ValidationQuery, scores: Float64Array, ids: readonly number[]): void {
      best.push(ids);
      metrics.add(structure, filteredRanks(scores, hard, [...easy, ...hard]));
    },
    report(): ProfileRanking {
      const all = Object.values(metrics.report().structures);
      return { mrr: all.reduce((sum, { mrr }) => sum + mrr, 0) / all.length, best };
    },
  };
}

/** The quality of a profile compared with the model in full precision, for the same queries. */
export function compareProfiles(reference: ProfileRankings, profile: ProfileRankings): MeasuredQuality {
  const change = (mode: keyof MeasuredQuality): QualityChange => {
    const [before, after] = [reference[mode], profile[mode]];
    const shares = before.best.map(
      (best, i) => best.filter((id) => after.best[i]!.includes(id)).length / best.length,
    );
    return {
      queries: shares.length,
      mrrChange: after.mrr - before.mrr,
      overlap10: shares.reduce((sum, share) => sum + share, 0) / shares.length,
    };
  };
  return { embedding: change('embedding'), sets: change('sets') };
}

/** s_e of (8) of every entity, as a profile stores it. Shape: [|E|, d]. */
async function entityTable(config: ModelConfig, weights: WeightsReader): Promise<NumericTensor> {
  const ids = input('ids', 'int', ['n']);
  const entities = scoredEntity(config, weights.profile.model({ ...config, relations: 1 }).anchor(ids));
  const program = createProgram({ name: 'entities', inputs: [ids], outputs: { entities } });
  const everyone = Int32Array.from({ length: config.entities }, (_, id) => id);
  const values = { ...(await weights.values([0])), ids: numeric([config.entities], everyone) };
  return evaluate(program, values)['entities']!;
}

/** Scores of all entities. Shapes: [n, d] → [n · |E|]. */
function exactScores(
  { entities, dimension: d }: ModelConfig,
  { data }: NumericTensor,
): (embedding: NumericTensor) => Float64Array {
  const transposed = new Float32Array(data.length);
  for (let e = 0; e < entities; e += 1)
    for (let i = 0; i < d; i += 1) transposed[i * entities + e] = data[e * d + i]!;
  const embedding = input('embedding', 'float', ['n', d]);
  const table = parameter('table', [d, entities]);
  const program = createProgram({
    name: 'scores',
    inputs: [embedding],
    outputs: { scores: matmul(embedding, table) },
  });
  const values = { table: numeric([d, entities], transposed) };
  return (given) => Float64Array.from(evaluate(program, { ...values, embedding: given })['scores']!.data);
}
