import { FuzzError } from '../../errors.ts';
import { zeros } from '../numeric.ts';
import { apply, expectDType, type Operation } from '../operation.ts';
import { broadcastShapes } from '../shape.ts';
import type { Tensor } from '../tensor.ts';

/** The matrix product: its shape rule and its meaning. */
export const matmulOperation: Operation<'matmul'> = {
  infer(_, [a, b]) {
    expectDType(a!, 'float');
    expectDType(b!, 'float');
    if (a!.shape.length < 2 || b!.shape.length < 2)
      throw new FuzzError('shape', 'both need two axes or more');
    const [rows, inner] = a!.shape.slice(-2);
    const [same, columns] = b!.shape.slice(-2);
    if (inner !== same) throw new FuzzError('shape', `inner extents ${inner} and ${same} differ`);
    const batch = broadcastShapes(a!.shape.slice(0, -2), b!.shape.slice(0, -2));
    return { shape: [...batch, rows!, columns!], dtype: 'float' };
  },
  evaluate(_, [a, b]) {
    const [rows, inner] = a!.shape.slice(-2) as [number, number];
    const columns = b!.shape.at(-1)!;
    const batch = broadcastShapes(a!.shape.slice(0, -2), b!.shape.slice(0, -2)) as number[];
    const count = batch.reduce((product, dim) => product * dim, 1);
    const result = zeros([...batch, rows, columns]);
    const [left, right] = [a!.data, b!.data];
    // Only whole batches or a single shared matrix: the model needs no other broadcasting.
    const leftStep = left.length === rows * inner ? 0 : rows * inner;
    const rightStep = right.length === inner * columns ? 0 : inner * columns;
    if (leftStep !== 0 && left.length !== count * leftStep)
      throw new FuzzError('shape', 'unsupported batch axes');
    if (rightStep !== 0 && right.length !== count * rightStep)
      throw new FuzzError('shape', 'unsupported batch axes');
    for (let n = 0; n < count; n += 1)
      for (let i = 0; i < rows; i += 1) {
        const row = result.data.subarray((n * rows + i) * columns, (n * rows + i + 1) * columns);
        for (let k = 0; k < inner; k += 1) {
          const factor = left[n * leftStep + i * inner + k]!;
          if (factor === 0) continue;
          const from = n * rightStep + k * columns;
          for (let j = 0; j < columns; j += 1) row[j]! += factor * right[from + j]!;
        }
      }
    return result;
  },
};

/** `a · b` over the last two axes. Shapes: a [...batch, n, k], b [...batch, k, m] → [...batch, n, m]. */
export const matmul = (a: Tensor, b: Tensor): Tensor => apply('matmul', matmulOperation, {}, a, b);
