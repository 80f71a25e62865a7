import type { ModelConfig } from '@fuzzqe/core/model';
import {
  type Calibration,
  type CandidateGraphs,
  calibrationValues,
  createSetLogic,
  type LinkFeeds,
  type SetFeeds,
} from '@fuzzqe/core/sets';
import { numbersAtOnce, rowsWithin } from '../sessions/rows-within.ts';
import type { TensorValue, TensorValues } from '../sessions/session.ts';
import { rowsOf } from '../sessions/tensor-values.ts';

/** The graphs of a profile that answers by fuzzy sets run on; ∧, ∨ and ¬ of sets take none. */
export const setGraphNames = ['links', 'projectSet', 'projectSetAt'] as const;
export type SetGraphName = (typeof setGraphNames)[number];

/** What answers by fuzzy sets are computed with. */
export interface SetRunner {
  readonly model: Pick<ModelConfig, 'entities' | 'dimension' | 'logic'>;
  readonly calibration: Calibration;
  /** Runs one graph of a profile. */
  run(graph: SetGraphName, feeds: TensorValues): Promise<TensorValues>;
  /** How many numbers of links and entities one run computes at most, where that is more than a row. Default `numbersAtOnce`. */
  readonly numbers?: number;
}

/** How many links one run computes at most: a row of degrees of all entities each. */
const mostLinks = 64;

/** The graphs of a bundle as the plan of queries over fuzzy sets takes them. */
export function createSetGraphs({
  model,
  calibration,
  run,
  numbers = numbersAtOnce,
}: SetRunner): CandidateGraphs {
  const { entities, dimension, logic } = model;
  const linksAtOnce = rowsWithin(numbers, entities, mostLinks);
  const values = calibrationValues(calibration);
  const calibrationTensor: TensorValue = { dims: [values.length], data: values };

  const linkFeeds = ({ heads, relations, offsets }: LinkFeeds): TensorValues => {
    const dims = [heads.length];
    return {
      heads: { dims, data: heads },
      relations: { dims, data: relations },
      offsets: { dims, data: offsets },
      calibration: calibrationTensor,
    };
  };
  const setFeeds = (
    { heads, relation, offsets, membership, recorded }: SetFeeds,
    count: number,
  ): TensorValues => {
    const dims = [heads.length];
    return {
      heads: { dims, data: heads },
      relation: { dims: [1], data: Int32Array.of(relation) },
      offsets: { dims, data: offsets },
      calibration: calibrationTensor,
      membership: { dims, data: membership },
      recorded: { dims: [3, count], data: recorded },
    };
  };

  const projectAt = async (feeds: SetFeeds, candidates: Int32Array): Promise<Float32Array> => {
    const count = candidates.length;
    const outputs = await run('projectSetAt', {
      ...setFeeds(feeds, count),
      candidates: { dims: [count], data: candidates },
    });
    return rowsOf(outputs, 'degrees', 1, count)[0]!;
  };
  /** The projection for some candidates after the other, so that a run holds no number for every member and candidate. */
  const projectSetAt = async (feeds: SetFeeds, candidates: Int32Array): Promise<Float32Array> => {
    const total = candidates.length;
    // The rows of candidates that are gathered have d numbers.
    const atOnce = rowsWithin(numbers, Math.max(feeds.heads.length, dimension), total);
    if (total <= atOnce) return projectAt(feeds, candidates);
    const degrees = new Float32Array(total);
    for (let from = 0; from < total; from += atOnce) {
      const to = Math.min(from + atOnce, total);
      const recorded = new Float32Array(3 * (to - from));
      for (let row = 0; row < 3; row += 1)
        recorded.set(feeds.recorded.subarray(row * total + from, row * total + to), row * (to - from));
      degrees.set(await projectAt({ ...feeds, recorded }, candidates.subarray(from, to)), from);
    }
    return degrees;
  };

  return {
    async links({ heads, relations, offsets }) {
      const count = heads.length;
      const part = (from: number, to: number): Promise<TensorValues> =>
        run(
          'links',
          linkFeeds({
            heads: heads.subarray(from, to),
            relations: relations.subarray(from, to),
            offsets: offsets.subarray(from, to),
          }),
        );
      if (count <= linksAtOnce) return rowsOf(await part(0, count), 'degrees', 1, count * entities)[0]!;
      const degrees = new Float32Array(count * entities);
      for (let from = 0; from < count; from += linksAtOnce) {
        const to = Math.min(from + linksAtOnce, count);
        const [some] = rowsOf(await part(from, to), 'degrees', 1, (to - from) * entities);
        degrees.set(some!, from * entities);
      }
      return degrees;
    },
    async projectSet(feeds) {
      if (feeds.heads.length * entities > numbers)
        return projectSetAt(
          feeds,
          Int32Array.from({ length: entities }, (_, id) => id),
        );
      return rowsOf(await run('projectSet', setFeeds(feeds, entities)), 'degrees', 1, entities)[0]!;
    },
    projectSetAt,
    ...createSetLogic(logic, calibration),
  };
}
