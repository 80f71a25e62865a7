import { add, createProgram, evaluate, mul, numeric, parameter, scalar, sum } from '@fuzzqe/core/tensor';
import { describe, expect, it } from 'vitest';
import { tinyConfig } from '../testing/tiny-run.ts';
import { nextState, parameterUpdates } from './parameter-updates.ts';

const start = { entities: [2, -1], logTemperature: [0.5] };
const rate = 0.01;

/** One first step of a loss of which every entity has the gradient 3, and the temperature −4: together of length √34. */
function firstStep(clipNorm: number): Record<string, number[]> {
  const learned = { entities: parameter('entities', [2]), logTemperature: parameter('logTemperature', [1]) };
  const loss = add(sum(mul(learned.entities, scalar(3)), [0]), mul(learned.logTemperature, scalar(-4)));
  const { optimiser } = tinyConfig();
  const config = tinyConfig({
    optimiser: { ...optimiser, clipNorm, decay: { ...optimiser.decay, entities: 0.5 } },
  });
  const inputs: Parameters<typeof createProgram>[0]['inputs'][number][] = [];
  const outputs = nextState(parameterUpdates(config, learned, loss), (tensor) => {
    inputs.push(tensor);
    return tensor;
  });
  const zeros = Object.entries(start).flatMap(([name, { length }]) =>
    ['sum', 'squareSum'].map((which) => [`${name}.${which}`, numeric([length], new Float64Array(length))]),
  );
  const results = evaluate(createProgram({ name: 'first-step', inputs, outputs }), {
    ...Object.fromEntries(zeros),
    ...Object.fromEntries(Object.entries(start).map(([name, x]) => [name, numeric([x.length], x)])),
    learningRate: numeric([1], [rate]),
    // As if there had been no step before: the means are the gradient and its square.
    correction1: numeric([1], [1 / (1 - 0.9)]),
    correction2: numeric([1], [1 / (1 - 0.999)]),
  });
  return Object.fromEntries(Object.entries(results).map(([name, { data }]) => [name, Array.from(data)]));
}

describe('the updates of a step', () => {
  it('move what the loss learns at twice the rate and without decay', () => {
    const next = firstStep(0);
    // A first step of AdamW is as long as the rate, against the sign of the gradient.
    expect(next['next.entities']![0]).toBeCloseTo(2 - rate * 0.5 * 2 - rate, 9);
    expect(next['next.entities']![1]).toBeCloseTo(-1 + rate * 0.5 - rate, 9);
    expect(next['next.logTemperature']![0]).toBeCloseTo(0.5 + 2 * rate, 9);
  });

  it('leave gradients that are shorter than the limit as they are', () => {
    // Sums that were empty are the gradient.
    for (const limit of [0, 6, 100]) {
      expect(firstStep(limit)['next.entities.sum']).toEqual([3, 3]);
      expect(firstStep(limit)['next.logTemperature.sum']).toEqual([-4]);
    }
  });

  it('shorten all gradients by one factor where they are longer together', () => {
    // None of the two is longer than 5 by itself.
    const next = firstStep(5);
    const factor = 5 / Math.sqrt(34);
    for (const x of next['next.entities.sum']!) expect(x).toBeCloseTo(3 * factor, 9);
    expect(next['next.logTemperature.sum']![0]).toBeCloseTo(-4 * factor, 9);
  });
});
