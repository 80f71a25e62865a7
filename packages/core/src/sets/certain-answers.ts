import { type LogicName, logics } from '../logic/logic.ts';
import { createProgram, evaluate, input, numeric, scalar } from '../tensor/index.ts';
import type { Calibration } from './calibration.ts';
import { projectedSet } from './degrees.ts';
import type { Members } from './members.ts';

/**
 * Finds the answers to a projection that are certain, where they leave no room for others.
 *
 * Gives the set that has 1 for them and 0 elsewhere, or undefined where the projection has to be computed.
 */
export type CertainAnswers = (members: Members, recorded: Float32Array) => Float32Array | undefined;

/** What float32 adds to a degree by chance is far below this. */
const margin = 1e-5;

/**
 * Looks for `count` entities to which members of degree 1 have recorded links, so that their degree is exactly 1.
 *
 * Every other entity has to have less than 1, which (10) itself tells: it grows with what goes into it, and takes for
 * all of them at once the cap as every predicted degree, and the most that is recorded for any of them.
 */
export function createCertainAnswers(
  logic: LogicName,
  { cap, support }: Pick<Calibration, 'cap' | 'support'>,
): (count: number) => CertainAnswers {
  const given = {
    predicted: input('predicted', 'float', ['members', 1]),
    membership: input('membership', 'float', ['members', 1]),
    recorded: input('recorded', 'float', [3, 1]),
  };
  const bound = createProgram({
    name: 'bound',
    inputs: Object.values(given),
    outputs: { degree: projectedSet(logics[logic], scalar(support), given) },
  });
  return (count) =>
    ({ degrees }, recorded) => {
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
      const column = [degrees.length, 1];
      const { degree } = evaluate(bound, {
        predicted: numeric(column, new Array<number>(degrees.length).fill(cap)),
        membership: numeric(column, Array.from(degrees)),
        // (10) takes the best away from the sum; here it may be that of another entity.
        recorded: numeric([3, 1], [highest, most + Math.max(highest, cap), 1]),
      });
      if (!(degree!.data[0]! < 1 - margin)) return undefined;
      return recorded.slice(0, entityCount).map((best) => (best === 1 ? 1 : 0));
    };
}
