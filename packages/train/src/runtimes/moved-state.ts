import { FuzzError, sizeOf } from '@fuzzqe/core';
import {
  type AdamWKernel,
  type AdamWNumbers,
  adamWFactors,
  createAdamWKernel,
  largestKernel,
} from '../optimiser/adamw-kernel.ts';
import type { Descent } from '../step/step-program.ts';
import type { HostState, HostTensor } from './host-state.ts';
import {
  type Feeds,
  type RunnableStep,
  stateShape,
  stateShapes,
  type TrainingState,
} from './training-runtime.ts';

/** Whether every tensor that the step moves is small enough for the kernel. */
export function canBeMoved({ gradients }: Descent): boolean {
  return gradients.outputs.every(({ tensor }) => sizeOf(tensor.shape as readonly number[]) <= largestKernel);
}

/**
 * A state in one copy that AdamW's kernel moves in place by the outputs `gradient.<name>`.
 *
 * Throws: 'shape' where `state` does not fit the step, 'runtime' where memory is short.
 */
export function createMovedState(step: RunnableStep, descent: Descent, state: TrainingState): HostState {
  const shapes = stateShapes(step, state);
  const kernels = new Map<string, AdamWKernel>();
  const arrays = new Map<string, Float32Array>();
  for (const name of descent.settings.keys()) {
    const kernel = createAdamWKernel(state[name]!.length);
    kernels.set(name, kernel);
    arrays.set(name, kernel.parameter);
    arrays.set(`${name}.sum`, kernel.sum);
    arrays.set(`${name}.squareSum`, kernel.squareSum);
  }
  for (const name of shapes.keys()) {
    const known = arrays.get(name);
    if (known === undefined) arrays.set(name, Float32Array.from(state[name]!));
    else known.set(state[name]!);
  }
  const gradientShapes = new Map(
    descent.gradients.outputs.map(({ name, tensor: { shape } }) => [name, shape as readonly number[]]),
  );
  const tensor = (name: string): HostTensor => ({
    shape: stateShape(shapes, name),
    data: arrays.get(name)!,
  });
  return {
    parameter: tensor,
    output(name) {
      const kernel = kernels.get(name.slice('gradient.'.length));
      if (kernel === undefined || !name.startsWith('gradient.')) return undefined;
      return { shape: gradientShapes.get(name)!, data: kernel.gradient };
    },
    advance(feeds) {
      const numbers = numbersOf(feeds);
      for (const [name, kernel] of kernels) kernel.apply(adamWFactors(descent.settings.get(name)!, numbers));
    },
    read: async (name) => Float32Array.from(tensor(name).data),
    write: async (name, data) => tensor(name).data.set(data),
  };
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
