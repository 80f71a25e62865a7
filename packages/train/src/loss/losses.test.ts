import { createProgram, evaluate, input, numeric } from '@fuzzqe/core/tensor';
import { plainModel, type ScoreName } from '@fuzzqe/model';
import { describe, expect, it } from 'vitest';
import { batchLoss, type LossConfig, type LossName, learnedScalars, lossNames } from './losses.ts';

const config: LossConfig = {
  name: 'softmax',
  margin: 3,
  scale: 5,
  temperature: 1,
  smoothing: 0,
  knownAnswers: 'masked',
};
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

/** What a loss is computed for: `manyAnswers` false gives each query its first answer alone. */
interface Variant {
  readonly manyAnswers: boolean;
  readonly own: boolean;
  readonly score?: ScoreName;
  /** What each entity stands for in a softmax, where they are not equally likely. */
  readonly logWeights?: readonly number[];
  /** How many known answers each answer stands for, where they count and the entities are a sample. */
  readonly answersFor?: readonly (readonly number[])[];
}

/** The program's loss on the numbers above. */
function computed(
  changes: Partial<LossConfig>,
  { manyAnswers, own, score = 'innerProduct', logWeights, answersFor }: Variant,
): number {
  const isMasked = changes.knownAnswers !== 'counted' || answersFor !== undefined;
  const name = (of: string, shape: readonly number[]) => input(of, 'float', shape);
  const settings = { ...config, ...changes };
  const learned = learnedScalars(settings).map(({ tensor }) => tensor);
  const loss = batchLoss({ ...plainModel, score, dimension: 3, entities, relations: 2 }, settings, {
    queries: name('queries', [2, 3]),
    answers: name('answers', manyAnswers ? [2, 2, 3] : [2, 3]),
    ...(manyAnswers ? { shares: name('shares', [2, 2]) } : {}),
    others: name('others', own ? [2, 3, 3] : [3, 3]),
    ...(isMasked ? { masked: input('masked', 'bool', [2, 3]) } : {}),
    ...(answersFor === undefined ? {} : { logAnswersFor: name('logAnswersFor', [2, manyAnswers ? 2 : 1]) }),
    ...(logWeights === undefined ? {} : { logWeights: name('logWeights', [1, 3]) }),
    learned: Object.fromEntries(learned.map((each) => [each, name(each, [1])])),
  });
  const values = {
    queries: numeric([2, 3], queries.flat()),
    answers: manyAnswers
      ? numeric([2, 2, 3], answers.flat(2))
      : numeric(
          [2, 3],
          answers.flatMap((each) => each[0]!),
        ),
    others: own ? numeric([2, 3, 3], [...others, ...others].flat()) : numeric([3, 3], others.flat()),
    masked: numeric([2, 3], masked.flat().map(Number)),
    shares: numeric([2, 2], shares.flat()),
    logWeights: numeric([1, 3], [...(logWeights ?? [0, 0, 0])]),
    ...(answersFor === undefined
      ? {}
      : {
          logAnswersFor: numeric(
            [2, answersFor[0]!.length],
            answersFor.flat().map((count) => (count === 0 ? -1e30 : Math.log(count))),
          ),
        }),
    logTemperature: numeric([1], [Math.log(temperature)]),
  };
  const optional = [
    ...(isMasked ? ['masked'] : []),
    ...(manyAnswers ? ['shares'] : []),
    ...(logWeights === undefined ? [] : ['logWeights']),
    ...(answersFor === undefined ? [] : ['logAnswersFor']),
  ];
  const inputs = ['queries', 'answers', 'others', ...optional, ...learned];
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
function expected(
  { name, smoothing = 0 }: Partial<LossConfig>,
  { manyAnswers, score: served, logWeights }: Variant,
): number {
  const each = queries.map((query, row) => {
    const factor = (name === 'softmax' ? temperature : config.scale) / length(query);
    const score = (x: readonly number[]): number =>
      (factor * dot(query, x)) / (served === 'cosine' ? length(x) : 1);
    const all = others.map(score);
    const counted = all.filter((_, i) => !masked[row]![i]);
    const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b) / values.length;
    const ofAnswer = (answer: readonly number[]): number => {
      const z = score(answer);
      if (name === 'margin')
        return softplus(config.margin - z) + mean(counted.map((other) => softplus(other - config.margin)));
      if (name === 'bpr') return mean(counted.map((other) => softplus(other - z)));
      const stands = (i: number): number =>
        logWeights === undefined ? entities / others.length : Math.exp(logWeights[i]!);
      const mass = all.reduce(
        (total, other, i) => total + (masked[row]![i] ? 0 : stands(i) * Math.exp(other)),
        0,
      );
      return Math.log(1 + mass / Math.exp(z)) + smoothing * (z - mean(all));
    };
    const losses = answers[row]!.map(ofAnswer);
    return manyAnswers ? dot(losses, shares[row]!) : losses[0]!;
  });
  return (each[0]! + each[1]!) / 2;
}

describe.each(lossNames)('the %s loss', (name: LossName) => {
  it.each([
    ['one answer, shared entities', { manyAnswers: false, own: false }],
    ['one answer, own entities', { manyAnswers: false, own: true }],
    ['more than one answer, shared entities', { manyAnswers: true, own: false }],
    ['more than one answer, own entities', { manyAnswers: true, own: true }],
    ['cosines, one answer', { manyAnswers: false, own: false, score: 'cosine' }],
    ['cosines, several answers, own entities', { manyAnswers: true, own: true, score: 'cosine' }],
  ] as const)('is that of the formula: %s', (_, variant) => {
    const { manyAnswers, score = 'innerProduct' }: Variant = variant;
    const otherScore = score === 'cosine' ? 'innerProduct' : 'cosine';
    expect(computed({ name }, variant)).toBeCloseTo(expected({ name }, variant), 9);
    expect(computed({ name }, variant)).not.toBeCloseTo(
      expected({ name }, { ...variant, manyAnswers: !manyAnswers }),
      3,
    );
    expect(computed({ name }, variant)).not.toBeCloseTo(
      expected({ name }, { ...variant, score: otherScore }),
      3,
    );
  });
});

describe('a sample of entities that are not equally likely', () => {
  it.each([false, true])('is summed with what each stands for (several answers: %s)', (manyAnswers) => {
    const variant = { manyAnswers, own: false, logWeights: [0.3, 5, -0.7] };
    expect(computed({}, variant)).toBeCloseTo(expected({ name: 'softmax' }, variant), 9);
    expect(computed({}, variant)).not.toBeCloseTo(
      expected({ name: 'softmax' }, { manyAnswers, own: false }),
      3,
    );
  });
});

describe('known answers that count', () => {
  const counted = { name: 'softmax', knownAnswers: 'counted' } as const;
  /** The scores of a query with its answers and with the other entities. */
  const scored = (row: number) => {
    const z = (x: readonly number[]): number => (temperature * dot(queries[row]!, x)) / length(queries[row]!);
    return { ofAnswers: answers[row]!.map(z), ofOthers: others.map(z) };
  };
  const exps = (values: readonly number[]): number[] => values.map(Math.exp);
  const total = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0);

  it('are in the sum over all entities', () => {
    const each = [0, 1].map((row) => {
      const { ofAnswers, ofOthers } = scored(row);
      return Math.log(total(exps(ofOthers))) - dot(shares[row]!, ofAnswers);
    });
    const found = computed(counted, { manyAnswers: true, own: false });
    expect(found).toBeCloseTo((each[0]! + each[1]!) / 2, 9);
    expect(computed({ name: 'softmax' }, { manyAnswers: true, own: false })).not.toBeCloseTo(found, 3);
  });

  it.each([true, false])(
    'are what the drawn ones stand for beside a sample (several answers: %s)',
    (manyAnswers) => {
      // Five known answers of the first query, of which two are drawn, and one of the second.
      const answersFor = manyAnswers
        ? [
            [2.5, 2.5],
            [1, 0],
          ]
        : [[5], [1]];
      const each = [0, 1].map((row) => {
        const { ofAnswers, ofOthers } = scored(row);
        const drawn = manyAnswers ? ofAnswers : ofAnswers.slice(0, 1);
        const noAnswers = exps(ofOthers).filter((_, i) => !masked[row]![i]);
        const sum = (entities / others.length) * total(noAnswers) + dot(answersFor[row]!, exps(drawn));
        return Math.log(sum) - (manyAnswers ? dot(shares[row]!, drawn) : drawn[0]!);
      });
      const found = computed(counted, { manyAnswers, own: false, answersFor });
      expect(found).toBeCloseTo((each[0]! + each[1]!) / 2, 9);
      const alone = answersFor.map((row) => row.map((count) => Math.min(1, count)));
      expect(computed(counted, { manyAnswers, own: false, answersFor: alone })).not.toBeCloseTo(found, 3);
    },
  );

  it('are what is masked beside one drawn answer that stands for itself', () => {
    const variant = { manyAnswers: false, own: false };
    expect(computed(counted, { ...variant, answersFor: [[1], [1]] })).toBeCloseTo(
      computed({ name: 'softmax' }, variant),
      9,
    );
  });
});

describe('label smoothing', () => {
  it.each([false, true])('gives all entities a share of the target (several answers: %s)', (manyAnswers) => {
    const smoothed = { name: 'softmax', smoothing: 0.2 } as const;
    const variant = { manyAnswers, own: false };
    expect(computed(smoothed, variant)).toBeCloseTo(expected(smoothed, variant), 9);
    expect(computed(smoothed, variant)).not.toBeCloseTo(expected({ name: 'softmax' }, variant), 3);
  });
});
