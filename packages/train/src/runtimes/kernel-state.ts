import { FuzzError } from '@fuzzqe/core';
import { type Program, sizeOf } from '@fuzzqe/core/tensor';
import {
  type AdamWKernel,
  type AdamWNumbers,
  adamWFactors,
  createAdamWKernel,
  largestKernel,
} from '../optimiser/adamw-kernel.ts';
import { type AdamWRowKernel, createAdamWRowKernel } from '../optimiser/adamw-row-kernel.ts';
import { updateRows } from '../optimiser/update-rows.ts';
import type { GradientStep } from '../step/step-program.ts';
import type { HostState, HostTensor } from './host-state.ts';
import { rowGradients } from './row-gradients.ts';
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

/** A state of which AdamW's kernels update every tensor. */
export interface KernelState extends HostState {
  /** The gradients of the step, as `rowGradients` gives them. */
  readonly program: Program;
}

/**
 * Creates a state that AdamW's kernels update in place from the outputs `gradient.<name>` of a step.
 *
 * Tensors that are updated by rows are the arrays of `state` themselves: a second copy of them may not fit in memory.
 *
 * @throws FuzzError `shape`: `state` does not fit the step, `runtime`: memory is short.
 */
export function createKernelState(
  step: RunnableStep,
  gradientStep: GradientStep,
  state: TrainingState,
): KernelState {
  const shapes = stateShapes(step, state);
  const kernels = new Map<string, AdamWKernel>();
  const rowKernels = new Map<string, AdamWRowKernel>();
  const arrays = new Map<string, Float32Array>();
  const { byRow } = gradientStep;
  for (const name of byRow)
    for (const each of [name, `${name}.sum`, `${name}.squareSum`]) arrays.set(each, state[each]!);
  const tables = [...gradientStep.settings.keys()].filter((name) => !byRow.has(name));
  const { program, shapes: ofRows, parts } = rowGradients(gradientStep.gradients, tables);
  for (const [name, shape] of ofRows) rowKernels.set(name, createAdamWRowKernel(shape));
  for (const name of tables) if (!ofRows.has(name)) kernels.set(name, createAdamWKernel(state[name]!.length));
  for (const [name, { parameter, sum, squareSum }] of [...rowKernels, ...kernels]) {
    arrays.set(name, parameter);
    arrays.set(`${name}.sum`, sum);
    arrays.set(`${name}.squareSum`, squareSum);
  }
  for (const name of shapes.keys()) {
    const known = arrays.get(name);
    if (known === undefined) arrays.set(name, Float32Array.from(state[name]!));
    else if (known !== state[name]) known.set(state[name]!);
  }
  const inRows = new Set(program.outputs.flatMap(({ name }) => /^rows\.(.*)$/.exec(name)?.[1] ?? []));
  // The gradients that are written where a kernel has them. A gradient that comes in rows elsewhere is zero in all other rows.
  const whole = new Map<string, HostTensor>();
  for (const { name, tensor } of program.outputs) {
    const learned = /^gradient\.(.*)$/.exec(name)?.[1];
    const part = parts.get(name);
    if (part !== undefined) {
      const { gradient } = rowKernels.get(part.table)!;
      const data = gradient.subarray(part.start, part.start + sizeOf(part.shape));
      whole.set(name, { shape: part.shape, data });
    } else if (learned !== undefined && !inRows.has(learned))
      whole.set(name, { shape: tensor.shape as readonly number[], data: kernels.get(learned)!.gradient });
  }
  const tensor = (name: string): HostTensor => ({
    shape: stateShape(shapes, name),
    data: arrays.get(name)!,
  });
  return {
    program,
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
      for (const [name, kernel] of rowKernels)
        kernel.apply(adamWFactors(gradientStep.settings.get(name)!, numbers), others[`rows.${name}`]!);
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
