import { FuzzError } from '../errors.ts';
import type { Binding } from './operation.ts';
import { formatShape, type Shape } from './shape.ts';

/** The dimensions of one run: names get their numbers from the tensors that the run is given. */
export interface Dimensions extends Binding {
  /**
   * Takes the numbers of a given tensor's shape.
   *
   * @throws FuzzError `shape`: it does not fit what is declared or known.
   */
  bind(name: string, declared: Shape, got: readonly number[]): void;
}

/** The dimensions of a run that has been given nothing yet. */
export function createDimensions(): Dimensions {
  const dimensions = new Map<string, number>();
  return {
    bind(name, declared, got) {
      const fits =
        got.length === declared.length &&
        declared.every((dim, axis) => {
          if (typeof dim === 'number') return dim === got[axis];
          if (!dimensions.has(dim)) dimensions.set(dim, got[axis]!);
          return dimensions.get(dim) === got[axis];
        });
      if (!fits)
        throw new FuzzError('shape', `"${name}": expected ${formatShape(declared)}, got ${formatShape(got)}`);
    },
    resolve(shape, size) {
      const known = shape.map((dim) => (typeof dim === 'number' ? dim : dimensions.get(dim)));
      const unknown = known.filter((dim) => dim === undefined).length;
      if (unknown > 1 || (unknown === 1 && size === undefined))
        throw new FuzzError('shape', `the dimensions of ${formatShape(shape)} are not known`);
      const product = known.reduce<number>((total, dim) => total * (dim ?? 1), 1);
      return known.map((dim) => dim ?? size! / product);
    },
  };
}
