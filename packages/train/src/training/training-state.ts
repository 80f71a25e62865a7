import { createRandom, FuzzError } from '@fuzzqe/core';
import { sizeOf } from '@fuzzqe/core/tensor';
import {
  initialiseParameters,
  type ModelConfig,
  type Parameters,
  parameterNames,
  parameterShapes,
} from '@fuzzqe/model';
import type { NamedTensors } from '../checkpoint/safetensors.ts';
import type { TrainingConfig } from '../config.ts';
import { learnedScalars } from '../loss/losses.ts';
import type { TrainingState } from '../runtimes/training-runtime.ts';
import { stateNames } from '../step/step-program.ts';

/** The state before the first step. */
export function initialState(model: ModelConfig, config: TrainingConfig): TrainingState {
  const parameters = initialiseParameters(model, createRandom(config.seed), config.initialisation);
  const ofLoss = learnedScalars(config.loss).map(
    ({ tensor, start }) => [tensor, Float32Array.of(start(config.loss))] as const,
  );
  const state: Record<string, Float32Array> = {};
  for (const [name, start] of [...Object.entries(parameters), ...ofLoss]) {
    state[name] = start;
    state[`${name}.sum`] = new Float32Array(start.length);
    state[`${name}.squareSum`] = new Float32Array(start.length);
  }
  return state;
}

/** The model's parameters within a state. */
export function parametersOfState(state: TrainingState): Parameters {
  const found = parameterNames.filter((name) => state[name] !== undefined);
  // fromEntries forgets the names, which are those that the model of the state has.
  return Object.fromEntries(found.map((name) => [name, state[name]!])) as Parameters;
}

/** A state with shapes, as a checkpoint holds it. */
export function stateTensors(model: ModelConfig, state: TrainingState): NamedTensors {
  return Object.fromEntries(
    Object.entries(state).map(([name, data]) => [name, { shape: shapeOf(model, name), data }]),
  );
}

/**
 * A state from the tensors of a checkpoint.
 *
 * @throws FuzzError `checkpoint`: one is missing or has another size.
 */
export function stateFromTensors(
  model: ModelConfig,
  config: Pick<TrainingConfig, 'loss' | 'model'>,
  tensors: NamedTensors,
  path: string,
): TrainingState {
  return Object.fromEntries(
    stateNames(config).map((name) => {
      const data = tensors[name]?.data;
      if (data?.length !== sizeOf(shapeOf(model, name)))
        throw new FuzzError('checkpoint', `tensor "${name}" is missing or does not have the model's size`, {
          path,
        });
      return [name, data];
    }),
  );
}

/** The shape of a tensor of the state; what a loss learns is one number. */
function shapeOf(model: ModelConfig, name: string): readonly number[] {
  const shapes: Readonly<Record<string, readonly number[] | undefined>> = parameterShapes(model);
  return shapes[name.split('.')[0]!] ?? [1];
}
