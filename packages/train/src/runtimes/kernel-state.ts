import { FuzzError } from '@fuzzqe/core';
import { sizeOf } from '@fuzzqe/core/tensor';
import {
  type AdamWKernel,
  type AdamWNumbers,
  adamWFactors,
  createAdamWKernel,
  largestKernel,
} from '../optimiser/adamw-kernel.ts';
import { updateRows } from '../optimiser/update-rows.ts';
import type { GradientStep } from '../step/step-program.ts';
import type { HostState, HostTensor } from './host-state.ts';
import {
  type Feed,
  type Feeds,
  type RunnableStep,
  stateShape,
  stateShapes,
  type TrainingState,
} from './training-runtime.ts';

/** Returns whether AdamW's kernel can hold every tensor of a step's state of which whole tensors are updated. */
export function fitsKernel({ program, gradientStep }: RunnableStep): boolean {
  return program.parameters.every(
    ({ attributes: { name }, shape }) =>
      gradientStep?.byRow.has(name.split('.')[0]!) === true ||
      sizeOf(shape as readonly number[]) <= largestKernel,
  );
}

/**
 * Creates a state that AdamW's kernel updates in place from the outputs `gradient.<name>` of a step.
 *
 * Tensors that are updated by rows are the arrays of `state` themselves: a second copy of them may not fit in memory.
 *
 * @throws FuzzError `shape`: `state` does not fit the step, `runtime`: memory is short.
 */
export function createKernelState(
  step: RunnableStep,
  gradientStep: GradientStep,
  state: TrainingState,
): HostState {
  const shapes = stateShapes(step, state);
  const kernels = new Map<string, AdamWKernel>();
  const arrays = new Map<string, Float32Array>();
  const { byRow } = gradientStep;
  for (const name of byRow)
    for (const each of [name, `${name}.sum`, `${name}.squareSum`]) arrays.set(each, state[each]!);
  for (const name of gradientStep.settings.keys()) {
    if (byRow.has(name)) continue;
    const kernel = createAdamWKernel(state[name]!.length);
    kernels.set(name, kernel);
    arrays.set(name, kernel.parameter);
    arrays.set(`${name}.sum`, kernel.sum);
    arrays.set(`${name}.squareSum`, kernel.squareSum);
  }
  for (const name of shapes.keys()) {
    const known = arrays.get(name);
    if (known === undefined) arrays.set(name, Float32Array.from(state[name]!));
    else if (known !== state[name]) known.set(state[name]!);
  }
  const { outputs } = gradientStep.gradients;
  const inRows = new Set(outputs.flatMap(({ name }) => /^rows\.(.*)$/.exec(name)?.[1] ?? []));
  // The gradients that are written whole. Where only rows come, the others stay zero.
  const whole = new Map<string, HostTensor>();
  for (const { name, tensor } of outputs) {
    const learned = /^gradient\.(.*)$/.exec(name)?.[1];
    if (learned !== undefined && !inRows.has(learned))
      whole.set(name, { shape: tensor.shape as readonly number[], data: kernels.get(learned)!.gradient });
  }
  const tensor = (name: string): HostTensor => ({
    shape: stateShape(shapes, name),
    data: arrays.get(name)!,
  });
  return {
    parameter: tensor,
    output: (name) => whole.get(name),
    advance(feeds, others) {
      const numbers = numbersOf(feeds);
      for (const name of byRow) {
        const factors = adamWFactors(gradientStep.settings.get(name)!, numbers);
        const gradient = { rows: others[`rows.${name}`]!, values: others[`gradient.${name}`]! };
        const [parameter, sum, squareSum] = ['', '.sum', '.squareSum'].map((of) => arrays.get(name + of)!);
        updateRows({ parameter: parameter!, sum: sum!, squareSum: squareSum! }, gradient, factors);
      }
      for (const [name, kernel] of kernels) {
        const factors = adamWFactors(gradientStep.settings.get(name)!, numbers);
        if (!inRows.has(name)) {
          kernel.apply(factors);
          continue;
        }
        const [rows, values] = [others[`rows.${name}`]!, others[`gradient.${name}`]!];
        addRows(kernel.gradient, rows, values);
        kernel.apply(factors);
        clearRows(kernel.gradient, rows, values.length / rows.length);
      }
    },
    read: async (name) => tensor(name).data.slice(),
    view: (name) => (byRow.has(name.split('.')[0]!) ? arrays.get(name) : undefined),
    write: async (name, data) => tensor(name).data.set(data),
  };
}

/** Adds row i of `values` to the row of `target` that `rows[i]` names. */
function addRows(target: Float32Array, rows: Feed['data'], values: Feed['data']): void {
  const width = values.length / rows.length;
  for (let i = 0; i < rows.length; i += 1) {
    const [from, to] = [i * width, rows[i]! * width];
    for (let k = 0; k < width; k += 1) target[to + k]! += values[from + k]!;
  }
}

function clearRows(target: Float32Array, rows: Feed['data'], width: number): void {
  for (const row of rows) target.fill(0, row * width, (row + 1) * width);
}

function numbersOf(feeds: Feeds): AdamWNumbers {
  const number = (name: string): number => {
    const value = feeds[name]?.data[0];
    if (value === undefined) throw new FuzzError('shape', `no feed "${name}"`);
    return value;
  };
  return {
    learningRate: number('learningRate'),
    correction1: number('correction1'),
    correction2: number('correction2'),
  };
}
