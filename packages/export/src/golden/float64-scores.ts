import { evaluate, type NumericTensor, numeric, type Program } from '@fuzzqe/core/tensor';
import type { LinkScores } from '@fuzzqe/evidence';
import type { ModelConfig } from '@fuzzqe/model';
import { linksProgram } from '../programs/answer-programs.ts';
import type { WeightsReader } from '../weights/weights-reader.ts';

/**
 * The model's scores of links in float64, by the program of a profile and from the weights in its file.
 *
 * Scores are rounded to float32, as those of graphs are. Relations are read as links use them. At most `atOnce` entities are computed at a
 * time, because intermediate results have a number for each of them and each link.
 */
export function float64Scores(
  config: ModelConfig,
  weights: WeightsReader,
  atOnce: number = 2 ** 12,
): LinkScores {
  const { entities } = config;
  const programs = new Map<string, Program>();
  return async (heads, given) => {
    const used = [...new Set(given)];
    const programFor = (count: number): Program => {
      const key = `${count} ${used.length}`;
      const known = programs.get(key);
      if (known !== undefined) return known;
      const made = linksProgram(
        weights.profile.model({ ...config, entities: count, relations: used.length }),
      );
      programs.set(key, made);
      return made;
    };
    const relations = numeric(
      [given.length],
      Array.from(given, (id) => used.indexOf(id)),
    );
    const values = await weights.values(used);
    if (entities <= atOnce) {
      const feeds = { ...values, heads: numeric([heads.length], heads), relations };
      return Float32Array.from(evaluate(programFor(entities), feeds)['scores']!.data);
    }
    const axes = new Map<string, number>();
    for (const { name, entityAxis } of weights.profile.tensors(config))
      if (entityAxis !== undefined) axes.set(name, entityAxis);
    const scores = new Float32Array(heads.length * entities);
    // The heads go before each part of the entities, as both are rows of one table.
    const own = numeric(
      [heads.length],
      heads.map((_, i) => i),
    );
    const whole = programFor(heads.length + atOnce);
    for (let start = 0; start < entities; start += atOnce) {
      const count = Math.min(atOnce, entities - start);
      const width = heads.length + count;
      const part = Object.entries(values).map(([name, value]): [string, NumericTensor] => {
        const axis = axes.get(name);
        return [name, axis === undefined ? value : choose(value, axis, { heads, start, count })];
      });
      const program = count === atOnce ? whole : programFor(width);
      const { data } = evaluate(program, { ...Object.fromEntries(part), heads: own, relations })['scores']!;
      for (let row = 0; row < heads.length; row += 1)
        for (let i = 0; i < count; i += 1)
          scores[row * entities + start + i] = data[row * width + heads.length + i]!;
    }
    return scores;
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
