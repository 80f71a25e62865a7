import { decodeHalf, encodeHalf } from '@fuzzqe/core/tensor';
import { elementTypeNamed } from '../proto/element-type.ts';
import { combine, type OfNumbers } from './broadcast.ts';
import { integerOf, type Kernel } from './kernel.ts';
import type { Value } from './value.ts';

const arithmetic =
  (of: OfNumbers): Kernel =>
  (inputs) => {
    const given = inputs as readonly Value[];
    return [combine(given[0]!.type, given, of)];
  };

/** Of any number of inputs, two at a time. */
const folded =
  (of: OfNumbers): Kernel =>
  (inputs) => [(inputs as readonly Value[]).reduce((a, b) => combine(a.type, [a, b], of))];

/** To the nearest whole number, of two the even one. */
function roundHalfToEven(x: number): number {
  const below = Math.floor(x);
  const rest = x - below;
  if (rest !== 0.5) return rest < 0.5 ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
}

const cast: Kernel = ([given], attributes) => {
  const x = given!;
  const to = elementTypeNamed(integerOf(attributes, 'to', 0))!;
  const read: (number: number) => number = x.type === 'float16' ? decodeHalf : (number) => number;
  if (to === 'bool') return [combine(to, [x], (a) => (read(a) === 0 ? 0 : 1))];
  if (to === 'float16') return [combine(to, [x], (a) => encodeHalf(read(a)))];
  return [combine(to, [x], to === 'float' ? read : (a) => Math.trunc(read(a)))];
};

/** The operators that take each number by itself. Source: https://onnx.ai/onnx/operators/ (opset 21) */
export const elementwiseKernels: Readonly<Record<string, Kernel>> = {
  Add: arithmetic((a, b) => a + b),
  Sub: arithmetic((a, b) => a - b),
  Mul: arithmetic((a, b) => a * b),
  Div: arithmetic((a, b) => a / b),
  Max: folded((a, b) => (a > b || Number.isNaN(a) ? a : b)),
  Min: folded((a, b) => (a < b || Number.isNaN(a) ? a : b)),
  Neg: arithmetic((a) => -a),
  Exp: arithmetic(Math.exp),
  Log: arithmetic(Math.log),
  Sqrt: arithmetic(Math.sqrt),
  Sigmoid: arithmetic((a) => 1 / (1 + Math.exp(-a))),
  Softplus: arithmetic((a) => Math.max(a, 0) + Math.log1p(Math.exp(-Math.abs(a)))),
  Round: arithmetic(roundHalfToEven),
  Identity: (inputs) => [inputs[0]!],
  Cast: cast,
  GreaterOrEqual: (inputs) => [combine('bool', inputs as readonly Value[], (a, b) => (a >= b ? 1 : 0))],
  Where: (inputs) => {
    const given = inputs as readonly Value[];
    return [combine(given[1]!.type, given, (yes, a, b) => (yes === 0 ? b : a))];
  },
};
