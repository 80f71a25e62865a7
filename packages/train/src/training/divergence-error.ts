import { FuzzError } from '@fuzzqe/core';
import { type ModelConfig, parameterShapes } from '@fuzzqe/model';
import type { TrainingState } from '../runtimes/training-runtime.ts';

/** What a run can say about its rows and its past when it has to stop. */
export interface RunNames {
  /** What the data set calls an entity. */
  entity(row: number): string;
  /** The step of the last checkpoint; undefined where there is none yet. */
  checkpoint(): number | undefined;
}

/**
 * The error of a run whose loss is not a number, which is its configuration's: after which step, and in which learned tensors the trouble shows.
 *
 * `state` is what the step left behind. An overflowing gradient spoils the tensors it reaches, so the first tensor is
 * named with its first bad element, the others by name.
 */
export function divergenceError(
  model: ModelConfig,
  state: TrainingState,
  at: { readonly step: number; readonly loss: number },
  names?: RunNames,
): FuzzError {
  // AdamW's sums, which have a dot in their names, follow what they are of.
  const learned = Object.keys(state).filter((name) => !name.includes('.'));
  const bad = learned.flatMap((name) => {
    const data = state[name]!;
    const first = data.findIndex((value) => !Number.isFinite(value));
    return first < 0 ? [] : [{ name, data, first }];
  });
  const [worst, ...others] = bad;
  const where =
    worst === undefined
      ? 'every learned number is still finite, so the loss itself overflowed'
      : [
          `${worst.name}${place(model, worst.name, worst.first, names)} is ${worst.data[worst.first]}`,
          ...(others.length === 0 ? [] : [`so are numbers of ${others.map(({ name }) => name).join(', ')}`]),
        ].join('; ');
  const checkpoint = names?.checkpoint();
  const kept =
    checkpoint === undefined
      ? 'there is no checkpoint yet'
      : `the checkpoint of step ${checkpoint} is kept, and can be evaluated and exported`;
  const error = new FuzzError('config', `the loss became ${at.loss} at step ${at.step}: ${where}`, {
    hint: `${kept}; train again, into another folder, with a lower optimiser.learningRate or with optimiser.clipNorm`,
  });
  divergences.add(error);
  return error;
}

const divergences = new WeakSet<object>();

/** Whether an error says that a run diverged: it would again, on any machine. */
export function isDivergence(error: unknown): error is FuzzError {
  return error instanceof FuzzError && divergences.has(error);
}

/** `[3, 0] (France)`: the indices of an element, and the name of its row where it has one. */
function place(model: ModelConfig, name: string, element: number, names: RunNames | undefined): string {
  const shapes: Readonly<Record<string, readonly number[] | undefined>> = parameterShapes(model);
  const shape = shapes[name] ?? [1];
  const index: number[] = [];
  let rest = element;
  for (const dim of [...shape].reverse()) {
    index.unshift(rest % dim);
    rest = Math.floor(rest / dim);
  }
  const label = name === 'entities' && names !== undefined ? ` (${names.entity(index[0]!)})` : '';
  return `[${index.join(', ')}]${label}`;
}
