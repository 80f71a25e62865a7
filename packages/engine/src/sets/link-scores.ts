import type { LinkScores } from '@fuzzqe/evidence';
import type { ModelConfig } from '@fuzzqe/model';
import { numbersAtOnce, rowsWithin } from '../sessions/rows-within.ts';
import type { TensorValues } from '../sessions/session.ts';
import { rowsOf } from '../sessions/tensor-values.ts';

/** What scores links. */
export interface ScoreRunner {
  readonly model: Pick<ModelConfig, 'entities'>;
  /** Runs the graph `links` of a profile. */
  run(feeds: TensorValues): Promise<TensorValues>;
  /** How many numbers of links and entities one run computes at most, if that is more than a row. Default `numbersAtOnce`. */
  readonly numbers?: number;
}

/** How many links one run computes at most: a row of all entities each. */
const mostLinks = 64;

/** The model's scores of links, by the graph of a bundle. */
export function createLinkScores({
  model: { entities },
  run,
  numbers = numbersAtOnce,
}: ScoreRunner): LinkScores {
  const linksAtOnce = rowsWithin(numbers, entities, mostLinks);
  const part = async (heads: Int32Array, relations: Int32Array): Promise<Float32Array> => {
    const dims = [heads.length];
    const outputs = await run({ heads: { dims, data: heads }, relations: { dims, data: relations } });
    return rowsOf(outputs, 'scores', 1, heads.length * entities)[0]!;
  };
  return async (heads, relations) => {
    const count = heads.length;
    if (count <= linksAtOnce) return part(heads, relations);
    const scores = new Float32Array(count * entities);
    for (let from = 0; from < count; from += linksAtOnce) {
      const to = Math.min(from + linksAtOnce, count);
      scores.set(await part(heads.subarray(from, to), relations.subarray(from, to)), from * entities);
    }
    return scores;
  };
}
