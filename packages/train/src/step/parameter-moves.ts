import type { ParameterName } from '@fuzzqe/core/model';
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

/** The tensors that a step may move. */
type Moving = Readonly<Record<ParameterName | 'logTemperature', Tensor>>;

/** One tensor that a step moves, and how. */
export interface ParameterMove {
  readonly name: string;
  readonly parameter: Tensor;
  readonly gradient: Tensor;
  readonly settings: AdamWSettings;
}

/** Which tensors the loss moves, by which gradients, and which stay as they are. */
export function parameterMoves(
  config: TrainingConfig,
  learned: Moving,
  loss: Tensor,
): { readonly moves: readonly ParameterMove[]; readonly unmoved: readonly (readonly [string, Tensor])[] } {
  // The margin loss has no temperature: its state is carried along unchanged, so that every run has the same state.
  const moves = (name: string): boolean => name !== 'logTemperature' || config.loss.name === 'softmax';
  const moving = Object.entries(learned).filter(([name]) => moves(name));
  const grads = clipped(
    config.optimiser.clipNorm,
    gradients(
      loss,
      moving.map(([, tensor]) => tensor),
    ),
  );
  return {
    moves: moving.map(([name, tensor], i) => ({
      name,
      parameter: tensor,
      gradient: grads[i]!,
      settings: {
        ...adamWDefaults,
        weightDecay: name === 'logTemperature' ? 0 : config.optimiser.decay[name as ParameterName],
        rateScale: name === 'logTemperature' ? 2 : 1,
      },
    })),
    unmoved: Object.entries(learned).filter(([name]) => !moves(name)),
  };
}

/** `next.<name>` for every state tensor, by AdamW. Declares the feeds `learningRate`, `correction1`, `correction2`. */
export function nextState(
  moves: readonly ParameterMove[],
  unmoved: readonly (readonly [string, Tensor])[],
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
  const put = (name: string, state: { parameter: Tensor; sum: Tensor; squareSum: Tensor }): void => {
    next[`next.${name}`] = state.parameter;
    next[`next.${name}.sum`] = state.sum;
    next[`next.${name}.squareSum`] = state.squareSum;
  };
  for (const { name, parameter: tensor, gradient, settings } of moves)
    put(name, adamW(settings, step, { parameter: tensor, ...sums(name, tensor) }, gradient));
  for (const [name, tensor] of unmoved) put(name, { parameter: tensor, ...sums(name, tensor) });
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
