import { FuzzError } from '../../errors.ts';
import { commonTraits, keepAttributes, type Operation, type Operations, type Traits } from '../operation.ts';
import { type DType, formatShape, type Shape, sizeOf } from '../shape.ts';
import type { Tensor, TensorOf } from '../tensor.ts';

/** Where numbers come from. */
export interface SourceAttributes {
  /** A tensor that is given at every run. */
  readonly input: { readonly name: string };
  /** A tensor that belongs to the model: a weight in a served graph, a piece of state in a training step. */
  readonly parameter: { readonly name: string };
  /** Numbers written into the program, row by row. */
  readonly constant: { readonly values: readonly number[] };
}

const outside: Traits = { ...commonTraits, result: 'given' };

function given<K extends 'input' | 'parameter'>(op: K): Operation<K> {
  return {
    traits: outside,
    rename: keepAttributes,
    infer() {
      throw new FuzzError('shape', `an ${op} declares its own shape`);
    },
    evaluate({ name }) {
      throw new FuzzError('shape', `no value for the ${op} "${name}"`);
    },
  };
}

/** What they are: numbers that no operation computes. */
export const sources: Operations<keyof SourceAttributes> = {
  input: given('input'),
  parameter: given('parameter'),
  constant: {
    traits: outside,
    rename: keepAttributes,
    infer() {
      throw new FuzzError('shape', 'a constant declares its own shape');
    },
    evaluate: ({ values }, _, binding) => {
      const data = Float64Array.from(values);
      return { shape: binding.resolve([data.length]), data };
    },
  },
};

/**
 * A tensor that is given at every run, e.g. `input('anchors', 'int', ['batch', 2])`.
 *
 * @example
 * const x = input('x', 'float', ['batch', 2]);
 */
export function input(name: string, dtype: DType, shape: Shape): Tensor {
  return { op: 'input', attributes: { name }, inputs: [], shape, dtype } satisfies TensorOf<'input'>;
}

/**
 * A tensor of the model, e.g. `parameter('entities', [14505, 800])`.
 *
 * @example
 * const entities = parameter('entities', [14_505, 800]);
 */
export function parameter(name: string, shape: Shape, dtype: DType = 'float'): Tensor {
  return { op: 'parameter', attributes: { name }, inputs: [], shape, dtype } satisfies TensorOf<'parameter'>;
}

/**
 * Numbers written into the program.
 *
 * @throws FuzzError `shape`: the count is not the product of the dimensions.
 */
export function constant(
  values: readonly number[],
  shape: Shape = [values.length],
  dtype: DType = 'float',
): Tensor {
  if (sizeOf(shape) !== values.length)
    throw new FuzzError(
      'shape',
      `constant ${formatShape(shape)} needs ${sizeOf(shape)} numbers, got ${values.length}`,
    );
  return { op: 'constant', attributes: { values }, inputs: [], shape, dtype } satisfies TensorOf<'constant'>;
}

/** One float number, which broadcasts against everything. */
export function scalar(value: number): Tensor {
  return constant([value]);
}
