import { FuzzError } from '@fuzzqe/core';
import { sizeOf } from '@fuzzqe/core/tensor';
import type { StepProgram } from '../step/step-program.ts';

/** Numbers for one input of a step, row by row; bool as one byte each. */
export interface Feed {
  readonly shape: readonly number[];
  readonly data: Float32Array | Int32Array | Uint8Array;
}

/** The inputs of one step by name. */
export type Feeds = Readonly<Record<string, Feed>>;

/** The tensors that a step carries to the next, by name. */
export type TrainingState = Readonly<Record<string, Float32Array>>;

/**
 * What a runtime needs of a step: inputs are the feeds, parameters the state, outputs `loss` and `next.<state>`.
 *
 * With `gradientStep` a runtime may compute the gradients alone and update the state itself.
 */
export type RunnableStep = Pick<StepProgram, 'program'> & Partial<Pick<StepProgram, 'gradientStep'>>;

/** A device that can train: it opens a step with a state and runs it over and over. */
export interface TrainingRuntime {
  /** As `--device` names it. */
  readonly device: string;
  /** @throws FuzzError `runtime`: the device is not available or the step does not fit it. */
  open(step: RunnableStep, state: TrainingState): Promise<TrainingSession>;
}

/** A step that is ready to run, with the state that it has reached. */
export interface TrainingSession {
  /** Runs one step and returns its loss. */
  step(feeds: Feeds): Promise<number>;
  /** Runs up to `count` consecutive steps at once, as many as there are feeds; only where that costs less than one by one. */
  readonly multiStep?: { readonly count: number; run(feeds: readonly Feeds[]): Promise<readonly number[]> };
  /** A copy of a state tensor as it is now. */
  read(name: string): Promise<Float32Array>;
  /** The state tensor itself, which the next step changes; only of tensors that are too large to be copied. */
  view?(name: string): Float32Array | undefined;
  /** Replaces a state tensor. */
  write(name: string, data: Float32Array): Promise<void>;
  close(): Promise<void>;
}

/** How a session runs steps at once: several where it has that, otherwise one. */
export function stepsAtOnce({ multiStep, step }: TrainingSession): NonNullable<TrainingSession['multiStep']> {
  return multiStep ?? { count: 1, run: async ([feeds]) => [await step(feeds!)] };
}

/**
 * The shapes of the tensors that a step carries, by name.
 *
 * @throws FuzzError `shape`: `state` lacks one of them, or has it with another size.
 */
export function stateShapes(
  { program }: RunnableStep,
  state: TrainingState,
): ReadonlyMap<string, readonly number[]> {
  return new Map(
    program.parameters.map(({ attributes: { name }, shape }) => {
      const [data, dims] = [state[name], shape as readonly number[]];
      if (data?.length !== sizeOf(dims))
        throw new FuzzError(
          'shape',
          `state "${name}": expected ${sizeOf(dims)} numbers, got ${data?.length ?? 'none'}`,
        );
      return [name, dims];
    }),
  );
}

/**
 * The shape of a state tensor.
 *
 * @throws FuzzError `shape`: the step has none of this name.
 */
export function stateShape(shapes: ReadonlyMap<string, readonly number[]>, name: string): readonly number[] {
  const shape = shapes.get(name);
  if (shape === undefined) throw new FuzzError('shape', `the step has no state "${name}"`);
  return shape;
}

/**
 * Refuses a step of which only some rows are to be updated, for devices that update whole tensors.
 *
 * @throws FuzzError `config`.
 */
export function expectWholeTensors({ gradientStep }: RunnableStep, device: string): void {
  if (gradientStep === undefined || gradientStep.byRow.size === 0) return;
  throw new FuzzError('config', `optimiser.rows "used": ${device} updates all rows at every step`, {
    path: '$.optimiser.rows',
    hint: 'train on the cpu (--device cpu), or update all rows: "optimiser": {"rows": "all"}',
  });
}

/** The whole state of a session: copies, but for views, which hold until the next step. */
export async function readState(session: TrainingSession, names: readonly string[]): Promise<TrainingState> {
  const state: Record<string, Float32Array> = {};
  for (const name of names) state[name] = session.view?.(name) ?? (await session.read(name));
  return state;
}
