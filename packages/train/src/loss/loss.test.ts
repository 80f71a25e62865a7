import { createProgram, evaluate, input, numeric } from '@fuzzqe/core/tensor';
import { describe, expect, it } from 'vitest';
import { type LossConfig, type LossName, lossNames, lossOf, withPenalty } from './loss.ts';

const config: LossConfig = { name: 'softmax', margin: 3, scale: 5, temperature: 1, smoothing: 0, penalty: 0 };
const temperature = 4;
const entities = 9;

/** Two queries with two answers each, the second query's second one without a share, and three entities beside them. */
const queries = [
  [0.2, 0.9, 0.4],
  [0.7, 0.1, 0.6],
];
const answers = [
  [
    [0.1, 0.8, 0.2],
    [0.3, 0.5, 0.9],
  ],
  [
    [0.9, 0.2, 0.4],
    [0.5, 0.5, 0.5],
  ],
];
const shares = [
  [0.5, 0.5],
  [1, 0],
];
const others = [
  [0.6, 0.3, 0.1],
  [0.2, 0.2, 0.8],
  [0.4, 0.9, 0.7],
];
const masked = [
  [false, true, false],
  [false, false, false],
];

/** The program's loss on the numbers above; `several` false gives each query its first answer alone. */
function computed(changes: Partial<LossConfig>, several: boolean, own: boolean): number {
  const name = (of: string, shape: readonly number[]) => input(of, 'float', shape);
  const loss = lossOf(
    { ...config, ...changes },
    {
      queries: name('queries', [2, 3]),
      positives: name('positives', several ? [2, 2, 3] : [2, 3]),
      ...(several ? { shares: name('shares', [2, 2]) } : {}),
      negatives: name('negatives', own ? [2, 3, 3] : [3, 3]),
      masked: input('masked', 'bool', [2, 3]),
      logTemperature: name('logTemperature', [1]),
      entities,
    },
  );
  const inputs = [
    ...['queries', 'positives', 'negatives', 'masked', ...(several ? ['shares'] : [])],
    ...(changes.name === 'margin' || changes.name === 'bpr' ? [] : ['logTemperature']),
  ];
  const values = {
    queries: numeric([2, 3], queries.flat()),
    positives: several
      ? numeric([2, 2, 3], answers.flat(2))
      : numeric(
          [2, 3],
          answers.flatMap((each) => each[0]!),
        ),
    negatives: own ? numeric([2, 3, 3], [...others, ...others].flat()) : numeric([3, 3], others.flat()),
    masked: numeric([2, 3], masked.flat().map(Number)),
    shares: numeric([2, 2], shares.flat()),
    logTemperature: numeric([1], [Math.log(temperature)]),
  };
  const fed = tensorsOf(loss, inputs);
  const program = createProgram({ name: 'loss', description: 'A loss.', inputs: fed, outputs: { loss } });
  return evaluate(program, values)['loss']!.data[0]!;
}

type Tensor = ReturnType<typeof input>;

/** The inputs of those names below a tensor. */
function tensorsOf(loss: Tensor, names: readonly string[]): Tensor[] {
  const found = new Map<string, Tensor>();
  const visit = (tensor: Tensor): void => {
    if (tensor.op === 'input') found.set(tensor.attributes.name, tensor);
    for (const each of tensor.inputs) visit(each);
  };
  visit(loss);
  return names.map((name) => found.get(name)!);
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((total, value, i) => total + value * b[i]!, 0);
const length = (a: readonly number[]): number => Math.sqrt(dot(a, a));
const softplus = (x: number): number => Math.log1p(Math.exp(x));

/** The formulas of docs/model.md on plain numbers. */
function expected({ name, smoothing = 0 }: Partial<LossConfig>, several: boolean): number {
  const each = queries.map((query, row) => {
    const score = (x: readonly number[]): number =>
      name === 'softmax'
        ? (temperature * dot(query, x)) / length(query) / length(x)
        : (config.scale * dot(query, x)) / length(query);
    const counted = others.filter((_, i) => !masked[row]![i]).map(score);
    const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b) / values.length;
    const ofAnswer = (answer: readonly number[]): number => {
      const z = score(answer);
      if (name === 'margin')
        return softplus(config.margin - z) + mean(counted.map((other) => softplus(other - config.margin)));
      if (name === 'bpr') return mean(counted.map((other) => softplus(other - z)));
      const mass = (counted.reduce((total, other) => total + Math.exp(other), 0) * entities) / others.length;
      return Math.log(1 + mass / Math.exp(z)) + smoothing * (z - mean(counted));
    };
    const losses = answers[row]!.map(ofAnswer);
    return several ? dot(losses, shares[row]!) : losses[0]!;
  });
  return (each[0]! + each[1]!) / 2;
}

describe.each(lossNames)('the %s loss', (name: LossName) => {
  it.each([
    ['one answer, shared entities', false, false],
    ['one answer, own entities', false, true],
    ['several answers, shared entities', true, false],
    ['several answers, own entities', true, true],
  ] as const)('is that of the formula: %s', (_, several, own) => {
    expect(computed({ name }, several, own)).toBeCloseTo(expected({ name }, several), 9);
    expect(computed({ name }, several, own)).not.toBeCloseTo(expected({ name }, !several), 3);
  });
});

describe('label smoothing', () => {
  it.each([false, true])('gives all entities a share of the target (several answers: %s)', (several) => {
    const smoothed = { name: 'softmax', smoothing: 0.2 } as const;
    expect(computed(smoothed, several, false)).toBeCloseTo(expected(smoothed, several), 9);
    expect(computed(smoothed, several, false)).not.toBeCloseTo(expected({ name: 'softmax' }, several), 3);
  });
});

describe('the N3 penalty', () => {
  it('is the mean over entities of the sum of cubes', () => {
    const x = input('x', 'float', [2, 3]);
    const loss = input('loss', 'float', [1, 1]);
    const program = createProgram({
      name: 'penalty',
      description: 'A loss with a penalty.',
      inputs: [x, loss],
      outputs: { loss: withPenalty(0.1, loss, x) },
    });
    const values = { x: numeric([2, 3], [1, -2, 0.5, 0, 3, -1]), loss: numeric([1, 1], [7]) };
    const cubes = 1 + 8 + 0.125 + 27 + 1;
    expect(evaluate(program, values)['loss']!.data[0]).toBeCloseTo(7 + (0.1 * cubes) / 2, 12);
    expect(withPenalty(0, loss, x)).toBe(loss);
  });
});
