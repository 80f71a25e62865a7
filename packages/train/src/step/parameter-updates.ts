import {
  add,
  div,
  input,
  minimum,
  mul,
  parameter,
  reshape,
  scalar,
  sqrt,
  square,
  sum,
  type Tensor,
} from '@fuzzqe/core/tensor';
import { gradients } from '../autodiff/gradients.ts';
import type { TrainingConfig } from '../config.ts';
import { learnedScalars } from '../loss/losses.ts';
import { type AdamWSettings, adamW, adamWDefaults } from '../optimiser/adamw.ts';

/** One tensor that a step updates, with its gradient and AdamW's settings. */
export interface ParameterUpdate {
  readonly name: string;
  readonly parameter: Tensor;
  readonly gradient: Tensor;
  readonly settings: AdamWSettings;
}

/** Returns the updates of all learned tensors: the model's with their weight decay, those of the loss without it and at twice the rate. */
export function parameterUpdates(
  config: TrainingConfig,
  learned: Readonly<Record<string, Tensor>>,
  loss: Tensor,
): readonly ParameterUpdate[] {
  const decays: Readonly<Record<string, number>> = config.optimiser.decay;
  const ofLoss = new Set(learnedScalars(config.loss).map(({ tensor }) => tensor));
  // A step without conjunctions asks for none of their layers.
  const { setAttention, setGate } = learned;
  const each = gradients(
    loss,
    Object.values(learned),
    (tensor) => tensor === setAttention || tensor === setGate,
  );
  const grads = clipped(config.optimiser.clipNorm, each);
  return Object.entries(learned).map(([name, tensor], i) => ({
    name,
    parameter: tensor,
    gradient: grads[i]!,
    settings: {
      ...adamWDefaults,
      weightDecay: decays[name] ?? 0,
      rateScale: ofLoss.has(name) ? 2 : 1,
    },
  }));
}

/** Computes `next.<name>` of every state tensor by AdamW. Declares the feeds `learningRate`, `correction1`, `correction2`. */
export function nextState(
  updates: readonly ParameterUpdate[],
  feed: (tensor: Tensor) => Tensor,
): Readonly<Record<string, Tensor>> {
  const step = {
    learningRate: feed(input('learningRate', 'float', [1])),
    correction1: feed(input('correction1', 'float', [1])),
    correction2: feed(input('correction2', 'float', [1])),
  };
  const sums = (name: string, { shape }: Tensor) => ({
    sum: parameter(`${name}.sum`, shape),
    squareSum: parameter(`${name}.squareSum`, shape),
  });
  const next: Record<string, Tensor> = {};
  for (const { name, parameter: tensor, gradient, settings } of updates) {
    const state = adamW(settings, step, { parameter: tensor, ...sums(name, tensor) }, gradient);
    next[`next.${name}`] = state.parameter;
    next[`next.${name}.sum`] = state.sum;
    next[`next.${name}.squareSum`] = state.squareSum;
  }
  return next;
}

/** Scales all gradients by one factor where their common norm exceeds `limit`; 0 is no limit. */
function clipped(limit: number, grads: readonly Tensor[]): readonly Tensor[] {
  if (limit === 0) return grads;
  const squares = grads.map((gradient) => {
    const axes = gradient.shape.map((_, axis) => axis);
    return reshape(sum(square(gradient), axes), [1]);
  });
  const length = sqrt(
    add(
      squares.reduce((total, each) => add(total, each)),
      scalar(1e-20),
    ),
  );
  const factor = minimum(scalar(1), div(scalar(limit), length));
  return grads.map((gradient) => mul(gradient, factor));
}
