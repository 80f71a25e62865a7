import type { Random } from '@fuzzqe/core';
import { sizeOf } from '@fuzzqe/core/tensor';

/** An array of a shape whose numbers are drawn one after the other. */
export function filled(
  shape: readonly number[],
  stream: Random,
  draw: (random: Random) => number,
): Float32Array {
  const values = new Float32Array(sizeOf(shape));
  for (let i = 0; i < values.length; i += 1) values[i] = draw(stream);
  return values;
}
