import { FuzzError } from '../../errors.ts';
import { zeros } from '../numeric.ts';
import { apply, commonTraits, expectDType, keepAttributes, type Operation } from '../operation.ts';
import type { NoAttributes, Tensor } from '../tensor.ts';

/** It has no attributes. */
export type PickAttributes = Readonly<Record<'pick', NoAttributes>>;

/** Elements of rows by their places: its shape rule and its meaning. */
export const pickOperation: Operation<'pick'> = {
  traits: commonTraits,
  rename: keepAttributes,
  infer(_, [x, places]) {
    expectDType(places!, 'int');
    if (x!.shape.length !== 2 || places!.shape.length !== 2 || x!.shape[0] !== places!.shape[0])
      throw new FuzzError('shape', 'both need two axes, the first of them equal');
    return { shape: places!.shape, dtype: x!.dtype };
  },
  evaluate(_, [x, places]) {
    const result = zeros(places!.shape);
    const [width, count] = [x!.shape[1]!, places!.shape[1]!];
    places!.data.forEach((place, i) => {
      if (place < 0 || place >= width)
        throw new FuzzError('range', `place ${place} is outside [0, ${width})`);
      result.data[i] = x!.data[Math.floor(i / count) * width + place]!;
    });
    return result;
  },
};

/** `y[i, j] = x[i, places[i, j]]`. Shapes: x [n, m], places [n, k] → [n, k]. */
export const pick = (x: Tensor, places: Tensor): Tensor => apply('pick', pickOperation, {}, x, places);
