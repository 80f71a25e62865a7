import { type LogicName, logics } from '../logic/logic.ts';
import { createProgram, evaluate, input, numeric, scalar } from '../tensor/index.ts';
import type { SetFeeds } from './answer-sets.ts';
import type { Calibration } from './calibration.ts';
import { projectedSet } from './degrees.ts';

/**
 * Finds the answers to a projection that are certain, where they leave no room for others.
 *
 * Gives the set that has 1 for them and 0 elsewhere, or undefined where the projection has to be computed.
 */
export type CertainAnswers = (
  projection: Pick<SetFeeds, 'membership' | 'recorded'>,
) => Float32Array | undefined;

/** What float32 adds to a degree by chance is far below this. */
export const certainMargin = 1e-5;

/**
 * The highest degree that a projection can give: (10) itself, which grows with what goes into it, with the cap as every
 * predicted degree.
 *
 * `memberships` are the S(m); `best` and `total` the most that `recorded` of (10) has for any of the entities in question.
 */
export type ProjectionLimit = (memberships: ArrayLike<number>, best: number, total: number) => number;

/** The limit of a logic and a calibration. */
export function createProjectionLimit(
  logic: LogicName,
  { cap, support }: Pick<Calibration, 'cap' | 'support'>,
): ProjectionLimit {
  const given = {
    predicted: input('predicted', 'float', ['members', 1]),
    membership: input('membership', 'float', ['members', 1]),
    recorded: input('recorded', 'float', [3, 1]),
  };
  const limit = createProgram({
    name: 'limit',
    inputs: Object.values(given),
    outputs: { degree: projectedSet(logics[logic], scalar(support), given) },
  });
  return (memberships, best, total) => {
    const column = [memberships.length, 1];
    const { degree } = evaluate(limit, {
      predicted: numeric(column, new Array<number>(memberships.length).fill(cap)),
      membership: numeric(column, Array.from(memberships)),
      // (10) takes the best away from the sum; here it may be that of another entity.
      recorded: numeric([3, 1], [best, total + Math.max(best, cap), 1]),
    });
    return degree!.data[0]!;
  };
}

/**
 * Looks for `count` entities to which members of degree 1 have recorded links, so that their degree is exactly 1, while
 * every other entity has to have less.
 */
export function createCertainAnswers(
  logic: LogicName,
  calibration: Pick<Calibration, 'cap' | 'support'>,
): (count: number) => CertainAnswers {
  const limit = createProjectionLimit(logic, calibration);
  return (count) =>
    ({ membership, recorded }) => {
      const entityCount = recorded.length / 3;
      let [certain, highest, most] = [0, 0, 0];
      for (let id = 0; id < entityCount; id += 1) {
        const best = recorded[id]!;
        if (best === 1) certain += 1;
        else if (best > 0) {
          highest = Math.max(highest, best);
          most = Math.max(most, recorded[entityCount + id]!);
        }
      }
      if (certain < count) return undefined;
      if (!(limit(membership, highest, most) < 1 - certainMargin)) return undefined;
      return recorded.slice(0, entityCount).map((best) => (best === 1 ? 1 : 0));
    };
}
