import { type Calibration, predictedDegrees } from '@fuzzqe/core/sets';
import {
  add,
  constant,
  createProgram,
  gather,
  input,
  log,
  maximum,
  mul,
  type Program,
  scalar,
  sub,
} from '@fuzzqe/core/tensor';
import type { ServedModel } from '../../programs/served-model.ts';
import { column } from '../../programs/structure-programs.ts';

/**
 * (9) The degrees that are predicted for links, a link a row, with calibration and partitions inside.
 *
 * `b_hr = ln w + a · ln max(n_hr, 1) − z_r`. Shapes: heads, relations [batch, 1]; recorded [batch, 1], n_hr, how many tails
 * are recorded, or 0; partitions |R| numbers → degrees [batch, |E|].
 */
export function linksRowsProgram(
  model: ServedModel,
  calibration: Calibration,
  partitions: Float32Array,
): Program {
  const heads = input('heads', 'int', ['batch', 1]);
  const relations = input('relations', 'int', ['batch', 1]);
  const recorded = input('recorded', 'float', ['batch', 1]);
  const temperature = scalar(calibration.temperature);
  const projected = model.project(model.anchor(column(heads, 0)), column(relations, 0));
  const logits = model.linkLogits(temperature, projected);
  const table = constant(Array.from(partitions), [partitions.length, 1]);
  const expected = mul(scalar(calibration.exponent), log(maximum(recorded, scalar(1))));
  const offsets = sub(
    add(scalar(Math.log(calibration.weight)), expected),
    gather(table, column(relations, 0)),
  );
  const numbers = { temperature, cap: scalar(calibration.cap), support: scalar(calibration.support) };
  return createProgram({
    name: 'links',
    description: 'The degree of every entity as tail of a link, as far as it is predicted and not recorded.',
    inputs: [heads, relations, recorded],
    outputs: { degrees: predictedDegrees(numbers, logits, offsets) },
  });
}
