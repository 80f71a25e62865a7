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
import { type AdamWSettings, adamW, adamWDefaults } from '../optimiser/adamw.ts';

/** One tensor that a step moves, and how. */
export interface ParameterMove {
  readonly name: string;
  readonly parameter: Tensor;
  readonly gradient: Tensor;
  readonly settings: AdamWSettings;
}

/** How the learned tensors are moved to lower the loss: the model's by their decays, those of the loss freely and twice as fast. */
export function parameterMoves(
  config: TrainingConfig,
  learned: Readonly<Record<string, Tensor>>,
  loss: Tensor,
): readonly ParameterMove[] {
  const decays: Readonly<Record<string, number>> = config.optimiser.decay;
  const grads = clipped(config.optimiser.clipNorm, gradients(loss, Object.values(learned)));
  return Object.entries(learned).map(([name, tensor], i) => ({
    name,
    parameter: tensor,
    gradient: grads[i]!,
    settings: {
      ...adamWDefaults,
      weightDecay: decays[name] ?? 0,
      rateScale: name in decays ? 1 : 2,
    },
  }));
}

/** `next.<name>` for every state tensor, by AdamW. Declares the feeds `learningRate`, `correction1`, `correction2`. */
export function nextState(
  moves: readonly ParameterMove[],
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
  for (const { name, parameter: tensor, gradient, settings } of moves) {
    const state = adamW(settings, step, { parameter: tensor, ...sums(name, tensor) }, gradient);
    next[`next.${name}`] = state.parameter;
    next[`next.${name}.sum`] = state.sum;
    next[`next.${name}.squareSum`] = state.squareSum;
  }
  return next;
}

/** Gradients made shorter, all by one factor, where together they are longer than `limit`; 0 is no limit. */
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
