import {
  type Golden,
  type GoldenCase,
  type GoldenSet,
  hasGoldenSet,
  profileTolerances,
} from '@fuzzqe/bundle';
import { instantiate, type StructureName, structureNames, structures } from '@fuzzqe/core/query';
import { topK } from '@fuzzqe/core/ranking';
import { answerSets, membersAreDecided, type OnMembers, type SetsState } from '@fuzzqe/core/sets';
import {
  createProgram,
  evaluate,
  input,
  type NumericTensor,
  type NumericTensors,
  numeric,
} from '@fuzzqe/core/tensor';
import type { ModelConfig } from '@fuzzqe/model';
import { structureProgram } from '../programs/structure-programs.ts';
import type { WeightsReader } from '../weights/weights-reader.ts';
import type { GoldenQuery } from './golden-query.ts';

/**
 * Answers queries in float64, by the programs of a profile and from the weights that are in its file: what every
 * runtime starts from.
 *
 * A case has no set where runtimes might take different members along, unless its structure has no other, and where
 * `hasGoldenSet` leaves it out. Only the
 * relations that the queries use are read, so a large model needs no more memory than its entities.
 * Ranges: k in [1, |E|]; queries as checked by `checkGoldenQueries`. Cases keep the order of the structures.
 */
export async function goldenCases(
  config: ModelConfig,
  weights: WeightsReader,
  queries: readonly GoldenQuery[],
  k: number,
  state: SetsState,
): Promise<Golden> {
  const { relative } = profileTolerances[weights.profile.name].degree;
  const cases: GoldenCase[] = [];
  for (const name of structureNames) {
    const chosen = queries.filter(({ structure }) => structure === name);
    if (chosen.length === 0) continue;
    const ranked = await rankStructure(config, weights, name, chosen, k);
    const sets: { readonly decided: boolean; readonly best: GoldenSet }[] = [];
    for (const query of hasGoldenSet(name, config.entities) ? chosen : []) {
      let decided = true;
      const noteMembers: OnMembers = (set, expected) => {
        decided &&= membersAreDecided(set, expected, state.projection, relative);
      };
      const [answer] = await answerSets(state, [treeOf(query)], noteMembers);
      sets.push({ decided, best: bestOf(answer!.degrees, k) });
    }
    const none = sets.every(({ decided }) => !decided);
    chosen.forEach(({ structure, anchors, relations }, i) => {
      const set = sets[i];
      cases.push({
        structure,
        anchors,
        relations,
        embedding: row(ranked['embedding']!, i),
        ids: row(ranked['ids']!, i),
        scores: row(ranked['scores']!, i),
        sets: set !== undefined && (set.decided || (none && i === 0)) ? set.best : null,
      });
    });
  }
  return { k, cases };
}

/** The tree of a query. */
export const treeOf = ({ structure, anchors, relations }: GoldenQuery): ReturnType<typeof instantiate> =>
  instantiate(structures[structure].template, anchors, relations);

function bestOf(degrees: Float32Array, k: number): GoldenSet {
  const { ids, scores } = topK(Float64Array.from(degrees), k);
  return { ids: Array.from(ids), degrees: Array.from(scores) };
}

const row = ({ shape, data }: NumericTensor, at: number): number[] =>
  Array.from(data.subarray(at * shape[1]!, (at + 1) * shape[1]!));

/** Embeds queries of a structure and ranks all entities, in float64 with the weights of a profile. */
export async function rankStructure(
  config: ModelConfig,
  weights: WeightsReader,
  name: StructureName,
  queries: readonly Omit<GoldenQuery, 'structure'>[],
  k: number,
): Promise<NumericTensors> {
  const used = [...new Set(queries.flatMap(({ relations }) => relations))].sort((a, b) => a - b);
  const model = weights.profile.model({ ...config, relations: used.length });
  const { inputs, outputs } = structureProgram(model, name);
  const embedding = outputs[0]!.tensor;
  const allowed = input('allowed', 'float', ['batch', config.entities]);
  const limit = input('k', 'int', [1]);
  const program = createProgram({
    name,
    inputs: [...inputs, allowed, limit],
    outputs: { embedding, ...model.ranking(embedding, allowed, limit) },
  });
  return evaluate(program, {
    ...(await weights.values(used)),
    anchors: matrix(queries.map(({ anchors }) => anchors)),
    relations: matrix(queries.map(({ relations }) => relations.map((id) => used.indexOf(id)))),
    allowed: numeric(
      [queries.length, config.entities],
      new Float32Array(queries.length * config.entities).fill(1),
    ),
    k: numeric([1], [k]),
  });
}

const matrix = (rows: readonly (readonly number[])[]): NumericTensor =>
  numeric([rows.length, rows[0]!.length], rows.flat());
