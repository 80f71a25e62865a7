import type { ModelConfig } from '@fuzzqe/core/model';
import { type Calibration, calibrationValues, type SetGraphs } from '@fuzzqe/core/sets';
import {
  createProgram,
  evaluate,
  input,
  type NumericTensors,
  numeric,
  type Program,
} from '@fuzzqe/core/tensor';
import { linksProgram, projectSetProgram } from '../programs/answer-programs.ts';
import type { ServedModel } from '../programs/served-model.ts';
import type { WeightsReader } from '../weights/weights-reader.ts';

/**
 * What `answerSets` needs, in float64 by the programs of a profile and from the weights in its file.
 *
 * Sets are rounded to float32 between programs, as they are between graphs. Relations are read as links use them.
 */
export function float64SetGraphs(
  config: ModelConfig,
  weights: WeightsReader,
  calibration: Calibration,
): SetGraphs {
  const { entities } = config;
  const numbers = calibrationValues(calibration);
  const run = async (
    programOf: (model: ServedModel) => Program,
    relations: readonly number[],
    feeds: NumericTensors,
  ): Promise<Float32Array> => {
    const model = weights.profile.model({ ...config, relations: relations.length });
    const values = { ...(await weights.values(relations)), ...feeds };
    return Float32Array.from(evaluate(programOf(model), values)['degrees']!.data);
  };
  const links = (heads: Int32Array, offsets: Float32Array): NumericTensors => ({
    heads: numeric([heads.length], heads),
    offsets: numeric([heads.length], offsets),
    calibration: numeric([numbers.length], numbers),
  });

  const { logic } = weights.profile.model({ ...config, relations: 1 });
  const [left, right] = [input('left', 'float', ['n']), input('right', 'float', ['n'])];
  const joined = {
    and: createProgram({
      name: 'and',
      inputs: [left, right],
      outputs: { set: logic.conjunction(left, right) },
    }),
    or: createProgram({
      name: 'or',
      inputs: [left, right],
      outputs: { set: logic.disjunction(left, right) },
    }),
    not: createProgram({ name: 'not', inputs: [left], outputs: { set: logic.negation(left) } }),
  };
  const join = (name: keyof typeof joined, sets: Readonly<Record<string, Float32Array>>): Float32Array => {
    const feeds = Object.entries(sets).map(([of, set]) => [of, numeric([set.length], set)] as const);
    return Float32Array.from(evaluate(joined[name], Object.fromEntries(feeds))['set']!.data);
  };
  return {
    links({ heads, relations, offsets }) {
      const used = [...new Set(relations)];
      return run(linksProgram, used, {
        ...links(heads, offsets),
        relations: numeric(
          [relations.length],
          relations.map((id) => used.indexOf(id)),
        ),
      });
    },
    projectSet: ({ heads, relation, offsets, membership, recorded }) =>
      run(projectSetProgram, [relation], {
        ...links(heads, offsets),
        relation: numeric([1], [0]),
        membership: numeric([membership.length], membership),
        recorded: numeric([3, entities], recorded),
      }),
    and: async (a, b) => join('and', { left: a, right: b }),
    or: async (a, b) => join('or', { left: a, right: b }),
    not: async (a) => join('not', { left: a }),
  };
}
