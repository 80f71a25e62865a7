import { FuzzError } from '../../errors.ts';
import { zeros } from '../numeric.ts';
import { apply, expectDType, type Operation } from '../operation.ts';
import { broadcastShapes, type DType } from '../shape.ts';
import type { Tensor } from '../tensor.ts';
import { addProduct } from './product.ts';

/** A matrix product of two kinds of numbers: its shape rule and its meaning. */
const product = (kinds: readonly [DType, DType], result: DType): Operation<'matmul' | 'integerMatmul'> => ({
  infer(_, [a, b]) {
    expectDType(a!, kinds[0]);
    expectDType(b!, kinds[1]);
    if (a!.shape.length < 2 || b!.shape.length < 2)
      throw new FuzzError('shape', 'both need two axes or more');
    const [rows, inner] = a!.shape.slice(-2);
    const [same, columns] = b!.shape.slice(-2);
    if (inner !== same) throw new FuzzError('shape', `inner extents ${inner} and ${same} differ`);
    const batch = broadcastShapes(a!.shape.slice(0, -2), b!.shape.slice(0, -2));
    return { shape: [...batch, rows!, columns!], dtype: result };
  },
  evaluate(_, [a, b]) {
    const [rows, inner] = a!.shape.slice(-2) as [number, number];
    const columns = b!.shape.at(-1)!;
    const batch = broadcastShapes(a!.shape.slice(0, -2), b!.shape.slice(0, -2)) as number[];
    const count = batch.reduce((product, dim) => product * dim, 1);
    const total = zeros([...batch, rows, columns]);
    const [left, right] = [a!.data, b!.data];
    // Only whole batches or a single shared matrix: the model needs no other broadcasting.
    const leftStep = left.length === rows * inner ? 0 : rows * inner;
    const rightStep = right.length === inner * columns ? 0 : inner * columns;
    if (leftStep !== 0 && left.length !== count * leftStep)
      throw new FuzzError('shape', 'unsupported batch axes');
    if (rightStep !== 0 && right.length !== count * rightStep)
      throw new FuzzError('shape', 'unsupported batch axes');
    for (let n = 0; n < count; n += 1)
      addProduct([rows, inner, columns], left, right, total.data, {
        left: n * leftStep,
        right: n * rightStep,
        result: n * rows * columns,
      });
    return total;
  },
});

/** The matrix product: its shape rule and its meaning. */
export const matmulOperation: Operation<'matmul'> = product(['float', 'float'], 'float');
/** The product of whole numbers, which is exact. */
export const integerMatmulOperation: Operation<'integerMatmul'> = product(['uint8', 'int8'], 'int');

/** `a · b` over the last two axes. Shapes: a [...batch, n, k], b [...batch, k, m] → [...batch, n, m]. */
export const matmul = (a: Tensor, b: Tensor): Tensor => apply('matmul', matmulOperation, {}, a, b);
/**
 * `a · b` over the last two axes, in whole numbers: int32 in runtimes, where the inner extent is below 65 000.
 *
 * Shapes: a uint8 [...batch, n, k], b int8 [...batch, k, m] → int [...batch, n, m]. Ranges: keep a below 128, because
 * x86 processors without VNNI add pairs of products in 16 bits, which 2·255·127 overflows and 2·127·128 does not.
 */
export const integerMatmul = (a: Tensor, b: Tensor): Tensor =>
  apply('integerMatmul', integerMatmulOperation, {}, a, b);
