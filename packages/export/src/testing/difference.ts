import type { Tolerance } from '@fuzzqe/core/bundle';
import type { NumericTensor } from '@fuzzqe/core/tensor';

/** What is different between two tensors, or nothing: the shapes, then the worst element outside the tolerance. */
export function difference(
  got: NumericTensor,
  expected: NumericTensor,
  { absolute, relative }: Tolerance,
): string | undefined {
  if (got.shape.join() !== expected.shape.join()) return `shape [${got.shape}], expected [${expected.shape}]`;
  let [worst, excess] = [-1, 0];
  expected.data.forEach((wanted, i) => {
    const over = Math.abs(got.data[i]! - wanted) - (absolute + relative * Math.abs(wanted));
    if (!(over <= excess)) [worst, excess] = [i, over];
  });
  return worst < 0 ? undefined : `element ${worst}: ${got.data[worst]}, expected ${expected.data[worst]}`;
}
