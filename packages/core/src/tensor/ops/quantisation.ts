import { FuzzError } from '../../errors.ts';
import { type NumericTensor, zeros } from '../numeric.ts';
import {
  apply,
  commonTraits,
  expectDType,
  keepAttributes,
  type Operation,
  type Operations,
} from '../operation.ts';
import type { DType } from '../shape.ts';
import type { NoAttributes, Tensor } from '../tensor.ts';

/** Operations between real and whole numbers; none has attributes. */
export type QuantisationAttributes = Readonly<Record<'round' | 'toInt' | 'toUint8', NoAttributes>>;

function each<K extends keyof QuantisationAttributes>(
  meaning: (x: number) => number,
  dtype: DType,
): Operation<K> {
  return {
    traits: commonTraits,
    rename: keepAttributes,
    infer(_, [x]) {
      expectDType(x!, 'float');
      return { shape: x!.shape, dtype };
    },
    evaluate(_, [x]) {
      const result = zeros(x!.shape);
      for (let i = 0; i < result.data.length; i += 1) result.data[i] = meaning(x!.data[i]!);
      return result satisfies NumericTensor;
    },
  };
}

function roundToEven(x: number): number {
  const down = Math.floor(x);
  const rest = x - down;
  if (rest !== 0.5) return rest < 0.5 ? down : down + 1;
  return down % 2 === 0 ? down : down + 1;
}

/** A whole number in a range; runtimes do as they like with others, so they are no part of any program's meaning. */
const whole =
  (least: number, most: number) =>
  (x: number): number => {
    if (Number.isInteger(x) && x >= least && x <= most) return x;
    throw new FuzzError('range', `expected a whole number in [${least}, ${most}], got ${x}`);
  };

/** Operations between real and whole numbers. */
export const quantisation: Operations<keyof QuantisationAttributes> = {
  round: each(roundToEven, 'float'),
  // float32 holds every whole number up to here.
  toInt: each(whole(-(2 ** 24), 2 ** 24), 'int'),
  toUint8: each(whole(0, 255), 'uint8'),
};

/** The nearest whole number, and of two equally near ones the even. */
export const round = (x: Tensor): Tensor => apply('round', quantisation.round, {}, x);
/** Whole float numbers as int. Range: [−2²⁴, 2²⁴]. */
export const toInt = (x: Tensor): Tensor => apply('toInt', quantisation.toInt, {}, x);
/** Whole float numbers as uint8. Range: [0, 255]. */
export const toUint8 = (x: Tensor): Tensor => apply('toUint8', quantisation.toUint8, {}, x);
