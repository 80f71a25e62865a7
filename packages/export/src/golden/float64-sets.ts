import { logics, sugenoNegation } from '@fuzzqe/core/logic';
import type { ModelConfig } from '@fuzzqe/core/model';
import { type Calibration, calibrationValues, type SetGraphs } from '@fuzzqe/core/sets';
import {
  createProgram,
  evaluate,
  input,
  type NumericTensor,
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
 * Sets are rounded to float32 between programs, as they are between graphs. Relations are read as links use them. Degrees of at most
 * `atOnce` entities are computed at a time, because intermediate results have a number for each of them and each member.
 */
export function float64SetGraphs(
  config: ModelConfig,
  weights: WeightsReader,
  calibration: Calibration,
  atOnce: number = 2 ** 12,
): SetGraphs {
  const { entities } = config;
  const numbers = calibrationValues(calibration);
  const run = async (
    programOf: (model: ServedModel) => Program,
    relations: readonly number[],
    feeds: NumericTensors,
  ): Promise<Float32Array> => {
    const programFor = (count: number): Program =>
      programOf(weights.profile.model({ ...config, entities: count, relations: relations.length }));
    const values = { ...(await weights.values(relations)), ...feeds };
    if (entities <= atOnce) return Float32Array.from(evaluate(programFor(entities), values)['degrees']!.data);
    const axes = new Map<string, number>([['recorded', 1]]);
    for (const { name, entityAxis } of weights.profile.tensors(config))
      if (entityAxis !== undefined) axes.set(name, entityAxis);
    const { data: heads } = values['heads']!;
    const results: Float32Array[] = [];
    // The heads go before each part of the entities, as both are rows of one table.
    const size = heads.length + atOnce;
    const whole = programFor(size);
    for (let start = 0; start < entities; start += atOnce) {
      const count = Math.min(atOnce, entities - start);
      const width = heads.length + count;
      const part = Object.entries(values).map(([name, value]): [string, NumericTensor] => {
        if (name === 'heads')
          return [
            name,
            numeric(
              [heads.length],
              heads.map((_, i) => i),
            ),
          ];
        const axis = axes.get(name);
        return [name, axis === undefined ? value : choose(value, axis, { heads, start, count })];
      });
      const { shape, data } = evaluate(width === size ? whole : programFor(width), Object.fromEntries(part))[
        'degrees'
      ]!;
      const rows = data.length / width;
      if (results.length === 0)
        for (let row = 0; row < rows; row += 1) results.push(new Float32Array(entities));
      if (shape.at(-1) !== width) throw new RangeError(`degrees of shape [${shape}]`);
      results.forEach((result, row) => {
        for (let i = 0; i < count; i += 1) result[start + i] = data[row * width + heads.length + i]!;
      });
    }
    if (results.length === 1) return results[0]!;
    const all = new Float32Array(results.length * entities);
    results.forEach((result, row) => {
      all.set(result, row * entities);
    });
    return all;
  };
  const links = (heads: Int32Array, offsets: Float32Array): NumericTensors => ({
    heads: numeric([heads.length], heads),
    offsets: numeric([heads.length], offsets),
    calibration: numeric([numbers.length], numbers),
  });

  const logic = logics[config.logic];
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
    not: createProgram({
      name: 'not',
      inputs: [left],
      outputs: { set: sugenoNegation(calibration.negationLambda)(left) },
    }),
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
    and: (a, b) => join('and', { left: a, right: b }),
    or: (a, b) => join('or', { left: a, right: b }),
    not: (a) => join('not', { left: a }),
  };
}

/** Of a table's rows (axis 0) or columns (axis 1) those of the heads, then `count` from `start` on. */
function choose(
  { shape, data }: NumericTensor,
  axis: number,
  {
    heads,
    start,
    count,
  }: { readonly heads: ArrayLike<number>; readonly start: number; readonly count: number },
): NumericTensor {
  const [rows, columns] = shape.length === 1 ? [shape[0]!, 1] : [shape[0]!, shape[1]!];
  const width = heads.length + count;
  if (axis === 0) {
    const chosen = new Float64Array(width * columns);
    for (let i = 0; i < heads.length; i += 1)
      chosen.set(data.subarray(heads[i]! * columns, (heads[i]! + 1) * columns), i * columns);
    chosen.set(data.subarray(start * columns, (start + count) * columns), heads.length * columns);
    return numeric([width, ...shape.slice(1)], chosen);
  }
  const chosen = new Float64Array(rows * width);
  for (let row = 0; row < rows; row += 1) {
    for (let i = 0; i < heads.length; i += 1) chosen[row * width + i] = data[row * columns + heads[i]!]!;
    const from = row * columns + start;
    chosen.set(data.subarray(from, from + count), row * width + heads.length);
  }
  return numeric([rows, width], chosen);
}
