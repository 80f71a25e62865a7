import type { DataMovementAttributes } from './ops/data-movement.ts';
import type { ElementwiseAttributes } from './ops/elementwise.ts';
import type { ProductAttributes } from './ops/matmul.ts';
import type { PickAttributes } from './ops/pick.ts';
import type { QuantisationAttributes } from './ops/quantisation.ts';
import type { ReductionAttributes } from './ops/reduction.ts';
import type { SourceAttributes } from './ops/source.ts';
import type { DType, Shape } from './shape.ts';

/** The attributes of an operation that needs only its inputs. */
export type NoAttributes = Readonly<Record<never, never>>;

/**
 * Every operation of a tensor program, with what it needs in addition to its inputs.
 *
 * This list is closed: the float64 reference, the gradients, the ONNX emitter and every other interpreter are
 * exhaustive records over its keys, so a new operation does not compile until each of them knows it.
 */
export interface OpAttributes
  extends SourceAttributes,
    ElementwiseAttributes,
    ProductAttributes,
    DataMovementAttributes,
    ReductionAttributes,
    QuantisationAttributes,
    PickAttributes {}

/** The name of an operation. */
export type OpName = keyof OpAttributes;

/** The result of one operation: an immutable node of a program that has not run yet. */
export interface TensorOf<K extends OpName> {
  readonly op: K;
  readonly attributes: OpAttributes[K];
  readonly inputs: readonly Tensor[];
  readonly shape: Shape;
  readonly dtype: DType;
  /** A name for people who look at the exported graph; it changes no number. */
  readonly label?: string;
}

/** Any node of a tensor program. */
export type Tensor = { [K in OpName]: TensorOf<K> }[OpName];

/** `tensor` under a name that exported graphs show. */
export function labelled(label: string, tensor: Tensor): Tensor {
  return { ...tensor, label };
}
