import { FuzzError } from '../../errors.ts';
import { zeros } from '../numeric.ts';
import { apply, commonTraits, expectDType, keepAttributes, type Operation } from '../operation.ts';
import { type DType, formatShape, type Shape, sameShape, sizeOf } from '../shape.ts';
import type { NoAttributes, Tensor } from '../tensor.ts';
import { addProduct } from './product.ts';

/** The products of matrices; none has attributes. */
export type ProductAttributes = Readonly<Record<'matmul' | 'integerMatmul', NoAttributes>>;

/**
 * The batch axes of a product: those of both, or of one where the other is a single matrix.
 *
 * Nothing else is broadcast: neither the reference nor the gradients have a meaning for it.
 *
 * @throws FuzzError `shape`.
 */
function batchOf(left: Shape, right: Shape): Shape {
  const [a, b] = [left.slice(0, -2), right.slice(0, -2)];
  if (a.length === 0) return b;
  if (b.length === 0 || sameShape(a, b)) return a;
  throw new FuzzError(
    'shape',
    `batch axes ${formatShape(a)} and ${formatShape(b)} differ: they must be equal, or one side a single matrix`,
  );
}

/** A matrix product of two kinds of numbers: its shape rule and its meaning. */
const product = <K extends keyof ProductAttributes>(
  kinds: readonly [DType, DType],
  result: DType,
): Operation<K> => ({
  traits: commonTraits,
  rename: keepAttributes,
  infer(_, [a, b]) {
    expectDType(a!, kinds[0]);
    expectDType(b!, kinds[1]);
    if (a!.shape.length < 2 || b!.shape.length < 2)
      throw new FuzzError('shape', 'both need two axes or more');
    const [rows, inner] = a!.shape.slice(-2);
    const [same, columns] = b!.shape.slice(-2);
    if (inner !== same) throw new FuzzError('shape', `inner dimensions ${inner} and ${same} differ`);
    return { shape: [...batchOf(a!.shape, b!.shape), rows!, columns!], dtype: result };
  },
  evaluate(_, [a, b]) {
    const [rows, inner] = a!.shape.slice(-2) as [number, number];
    const columns = b!.shape.at(-1)!;
    const batch = batchOf(a!.shape, b!.shape) as readonly number[];
    const count = sizeOf(batch);
    const total = zeros([...batch, rows, columns]);
    const [left, right] = [a!.data, b!.data];
    // A single matrix is shared by the whole batch of the other.
    const leftStep = a!.shape.length === 2 ? 0 : rows * inner;
    const rightStep = b!.shape.length === 2 ? 0 : inner * columns;
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

/**
 * `a · b` over the last two axes.
 *
 * Shapes: a [...batch, n, k], b [...batch, k, m] → [...batch, n, m]; either may be a single matrix for the whole batch.
 *
 * @example
 * const scores = matmul(input('x', 'float', ['batch', 2]), parameter('w', [2, 3])); // [batch, 3]
 */
export const matmul = (a: Tensor, b: Tensor): Tensor => apply('matmul', matmulOperation, {}, a, b);
/**
 * `a · b` over the last two axes, in whole numbers: int32 in runtimes, where the inner dimension is below 65 000.
 *
 * Shapes: a uint8 [...batch, n, k], b int8 [...batch, k, m] → int [...batch, n, m]. Ranges: keep a below 128, because
 * x86 processors without VNNI add pairs of products in 16 bits, which 2·255·127 overflows and 2·127·128 does not.
 */
export const integerMatmul = (a: Tensor, b: Tensor): Tensor =>
  apply('integerMatmul', integerMatmulOperation, {}, a, b);
