import type { NumericTensor } from '../tensor/index.ts';

/**
 * What is different between two tensors, or nothing: shapes first, then the worst element.
 *
 * Elements agree where `|got − expected| ≤ slack·(1e-6 + 1e-5·|expected|)`: float32 against float64 on small programs;
 * long programs need some slack.
 */
export function difference(got: NumericTensor, expected: NumericTensor, slack = 1): string | undefined {
  if (got.shape.join() !== expected.shape.join()) return `shape [${got.shape}], expected [${expected.shape}]`;
  let worst = -1;
  let excess = 0;
  for (let i = 0; i < expected.data.length; i += 1) {
    const [a, b] = [got.data[i]!, expected.data[i]!];
    if (Object.is(a, b) || a === b) continue;
    const over = Math.abs(a - b) - slack * (1e-6 + 1e-5 * Math.abs(b));
    if (!(over <= excess)) [worst, excess] = [i, over];
  }
  return worst < 0 ? undefined : `element ${worst}: ${got.data[worst]}, expected ${expected.data[worst]}`;
}
