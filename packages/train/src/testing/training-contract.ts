import { logicNames } from '@fuzzqe/core/logic';
import { evaluate, type NumericTensors, numeric } from '@fuzzqe/core/tensor';
import { traitsOf } from '@fuzzqe/model';
import type { TrainingConfig } from '../config.ts';
import { lossNames } from '../loss/losses.ts';
import { negativesNames } from '../negatives/negatives.ts';
import { regulariserNames } from '../regulariser/regularisers.ts';
import {
  type Feeds,
  readState,
  type TrainingRuntime,
  type TrainingState,
} from '../runtimes/training-runtime.ts';
import { learnedNames, type StepProgram } from '../step/step-program.ts';
import { tinyBlocksConfig, tinyComplexConfig, tinyConfig, tinyDistancesConfig } from './tiny-run.ts';
import { tinySteps } from './tiny-steps.ts';

/** A configuration that every runtime must train like the float64 reference. */
export interface ContractCase {
  readonly name: string;
  readonly config: TrainingConfig;
}

/** A loss that compares answers with negatives one by one. */
const byPairs = (name: 'margin' | 'bpr') => ({
  loss: { ...tinyConfig().loss, name, margin: 8, scale: 12 },
  negatives: {
    kind: name === 'bpr' ? ('own' as const) : ('all' as const),
    count: 5,
    byDegree: 0,
    allFrom: 1,
  },
});

/** Every loss with every kind of negatives, every regulariser, and every logic. */
export const contractCases: readonly ContractCase[] = [
  ...logicNames.map((logic) => ({ name: `softmax loss, ${logic} logic`, config: tinyConfig({}, logic) })),
  ...negativesNames.flatMap((kind) =>
    lossNames.map((name) => ({
      name: `${name} loss, ${kind} negatives`,
      config: tinyConfig({
        loss: { ...tinyConfig().loss, name, margin: 8, scale: 12 },
        negatives: { kind, count: 5, byDegree: 0, allFrom: 1 },
        dropout: kind === 'shared' ? { input: 0.2, output: 0.1 } : { input: 0, output: 0 },
      }),
    })),
  ),
  {
    name: "weighted structures, clipped gradients, the paper's initialisation",
    config: tinyConfig({
      weights: { '1p': 2, '2in': 0.5 },
      initialisation: 'paper',
      optimiser: { ...tinyConfig().optimiser, clipNorm: 0.05 },
    }),
  },
  {
    name: 'softmax loss, smoothed, with several answers and regularisers',
    config: tinyConfig({
      answers: 3,
      loss: { ...tinyConfig().loss, smoothing: 0.1 },
      regularisers: { n3: { weight: 2 }, l2: { weight: 0.5 } },
      negatives: { kind: 'shared', count: 5, byDegree: 0, allFrom: 1 },
    }),
  },
  ...(['shared', 'own'] as const).map((kind) => ({
    name: `softmax loss, ${kind} negatives by degree, links drawn backwards`,
    config: tinyConfig({
      negatives: { kind, count: 5, byDegree: 0.6, allFrom: 1 },
      links: { edges: 1, walk: 2 },
    }),
  })),
  ...(['margin', 'bpr'] as const).map((name) => ({
    name: `${name} loss, several answers`,
    config: tinyConfig({
      answers: 2,
      ...byPairs(name),
    }),
  })),
  ...regulariserNames.map((name) => ({
    name: `${name} regulariser`,
    config: tinyConfig({ regularisers: { [name]: { weight: 5 } } }),
  })),
  {
    name: 'bounded rectifier, L1 entities, raw inputs',
    config: tinyConfig({
      model: {
        ...tinyConfig().model,
        mapping: 'boundedRectifier',
        entityMapping: 'boundedRectifier',
        entityNormalisation: 'l1',
        projectionInput: 'raw',
      },
    }),
  },
  ...logicNames.map((logic) => ({
    name: `relations by blocks, ${logic} logic`,
    config: tinyBlocksConfig({}, logic),
  })),
  {
    name: 'relations by blocks, all facts of links',
    config: tinyBlocksConfig({ targets: 'facts', links: { pairs: 1 }, batch: { '1p': 6 } }),
  },
  {
    name: 'relations by blocks, relations of all facts predicted',
    config: tinyBlocksConfig({
      ...{ targets: 'facts', links: { pairs: 1 }, batch: { '1p': 6 }, relationPrediction: 0.5 },
    }),
  },
  {
    name: 'relations by blocks, relations predicted beside other structures, two answers each',
    config: tinyBlocksConfig({ answers: 2, relationPrediction: 0.5 }),
  },
  ...(['all', 'shared', 'own'] as const).map((kind) => ({
    name: `softmax loss, known answers counted, two answers each, ${kind} negatives`,
    config: tinyBlocksConfig({
      answers: 2,
      loss: { ...tinyBlocksConfig({}).loss, knownAnswers: 'counted' },
      negatives: { kind, count: 5, byDegree: 0, allFrom: 1 },
    }),
  })),
  {
    name: 'relations by blocks, all facts of links counted, relations of three of each predicted',
    config: tinyBlocksConfig({
      ...{ targets: 'facts', links: { pairs: 1 }, batch: { '1p': 6 }, answers: 3, relationPrediction: 0.5 },
      loss: { ...tinyBlocksConfig({}).loss, knownAnswers: 'counted' },
    }),
  },
  {
    name: 'all facts of links',
    config: tinyConfig({
      ...{ targets: 'facts', links: { pairs: 1 }, batch: { '1p': 6 }, regularisers: { l2: { weight: 0.5 } } },
    }),
  },
  {
    name: 'relations by blocks, dropout, shared negatives by degree',
    config: tinyBlocksConfig({
      dropout: { input: 0.2, output: 0.1 },
      negatives: { kind: 'shared', count: 5, byDegree: 0.6, allFrom: 1 },
    }),
  },
  {
    name: 'relations by blocks, margin loss, own negatives',
    config: tinyBlocksConfig({
      loss: { ...tinyConfig().loss, name: 'margin', margin: 1, scale: 4 },
      negatives: { kind: 'own', count: 5, byDegree: 0, allFrom: 1 },
    }),
  },
  ...(['gqe', 'gqeDeepSets', 'query2box', 'betae', 'betaeDm'] as const).flatMap((family) => [
    { name: `${family}, margin loss, own negatives`, config: tinyDistancesConfig(family) },
    {
      name: `${family}, softmax loss, shared negatives, two answers each`,
      config: tinyDistancesConfig(family, {
        loss: { ...tinyConfig().loss, temperature: 1 },
        negatives: { kind: 'shared', count: 5, byDegree: 0, allFrom: 1 },
        answers: 2,
      }),
    },
  ]),
  { name: 'complex, softmax loss, two answers each', config: tinyComplexConfig({ answers: 2 }) },
  {
    name: 'complex, all facts of links, relations of all facts predicted',
    config: tinyComplexConfig({ targets: 'facts', links: { pairs: 1 }, relationPrediction: 0.5 }),
  },
  {
    name: 'complex, margin loss, own negatives',
    config: tinyComplexConfig({
      loss: { ...tinyConfig().loss, name: 'margin', margin: 1, scale: 4 },
      negatives: { kind: 'own', count: 5, byDegree: 0, allFrom: 1 },
    }),
  },
  ...(['margin', 'bpr'] as const).map((name) => ({
    name: `${name} loss, cosines of L1 entities`,
    config: tinyConfig({
      ...byPairs(name),
      model: { ...tinyConfig().model, entityNormalisation: 'l1', score: 'cosine' },
    }),
  })),
];

/** A case with fewer queries a step; one that learns from facts, or of a family of links, keeps its links alone. */
export function withBatch({ name, config }: ContractCase, batch: TrainingConfig['batch']): ContractCase {
  const isOfLinks = config.targets === 'facts' || traitsOf(config.model).only === '1p';
  return { name, config: { ...config, batch: isOfLinks ? { '1p': batch['1p']! } : batch } };
}

/**
 * How far float32 training may be from float64 after 20 steps.
 *
 * The first loss shows the formulas alone. Later ones also show AdamW, which divides by the root of small squares: a
 * gradient that is zero up to rounding changes its parameter by the whole learning rate, up or down.
 */
export const trainingTolerances = { firstLoss: 1e-5, loss: 5e-4, state: 5e-3 } as const;

/** The largest differences between a runtime and the float64 reference on the same run. */
export interface ContractResult {
  /** `|a − b| / (1 + |b|)` of the first loss. */
  readonly firstLoss: number;
  /** The largest `|a − b| / (1 + |b|)` over all losses. */
  readonly loss: number;
  /** The same over all learned tensors after the last step, and where it was. */
  readonly state: number;
  readonly where: string;
}

/** Trains a case for `steps` steps on a runtime and in float64, and compares. */
export async function compareWithReference(
  runtime: TrainingRuntime,
  each: ContractCase,
  steps: number,
  /** For negative controls: changes the state that the runtime starts from. */
  dropout: (state: TrainingState) => void = () => {},
): Promise<ContractResult> {
  const { step, start, feeds, after } = await referenceOf(each);
  const state = Object.fromEntries(
    Object.entries(start).map(([name, data]) => [name, Float32Array.from(data)]),
  );
  dropout(state);
  const session = await runtime.open(step, state);
  const losses: number[] = [];
  try {
    for (let at = 0; at < steps; at += 1)
      losses.push(difference(await session.step(feeds(at)), after(at + 1).loss));
    return {
      firstLoss: losses[0]!,
      loss: Math.max(...losses),
      ...worst(await readState(session, learnedNames(each.config)), after(steps).state),
    };
  } finally {
    await session.close();
  }
}

/** What a result exceeds of the tolerances, in words; empty where it is within all of them. */
export function outsideTolerances(found: ContractResult): string[] {
  return (['firstLoss', 'loss', 'state'] as const)
    .filter((name) => !(found[name] < trainingTolerances[name]))
    .map((name) => `${name} differs by ${found[name]}${name === 'state' ? ` at ${found.where}` : ''}`);
}

/** The functions of a test runner: those of vitest, or any with the same form. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/**
 * Declares the contract of `TrainingRuntime` as tests of one runtime: it trains every case as float64 does, and the
 * comparison notices a start that is damaged.
 *
 * @example
 * describeTrainingRuntime({ describe, it }, 'onnxruntime-node', () => ortCpuRuntime({ threads: 1 }));
 */
export function describeTrainingRuntime(
  { describe, it }: TestRunner,
  name: string,
  runtime: () => TrainingRuntime,
  cases: readonly ContractCase[] = contractCases,
  steps = 20,
): void {
  describe(name, () => {
    for (const each of cases)
      it(`equals the float64 reference after ${steps} steps: ${each.name}`, async () => {
        const outside = outsideTolerances(await compareWithReference(runtime(), each, steps));
        if (outside.length > 0) throw new Error(outside.join('; '));
      });
    it('is told apart from the reference when one number of one basis differs by 1 %', async () => {
      const found = await compareWithReference(runtime(), cases[0]!, 2, (state) => {
        state['bases']![17]! *= 1.01;
      });
      if (found.firstLoss < trainingTolerances.firstLoss) throw new Error('a damaged start was not noticed');
    });
  });
}

/** A case's run in float64, as far as somebody asked for it. */
interface Reference {
  readonly step: StepProgram;
  readonly start: TrainingState;
  feeds(at: number): Feeds;
  /** The loss of the last of so many steps, and the state after it. */
  after(steps: number): ReferenceStep;
}

interface ReferenceStep {
  readonly loss: number;
  readonly state: TrainingState64;
}

const references = new WeakMap<ContractCase, Promise<Reference>>();

/** The reference of a case, which is the same for every device: computed once. */
function referenceOf(each: ContractCase): Promise<Reference> {
  const reference = references.get(each) ?? createReference(each);
  references.set(each, reference);
  return reference;
}

async function createReference({ config }: ContractCase): Promise<Reference> {
  const { step, state: start, feeds } = await tinySteps(config);
  const reached: ReferenceStep[] = [
    {
      loss: Number.NaN,
      state: Object.fromEntries(Object.entries(start).map(([name, data]) => [name, Float64Array.from(data)])),
    },
  ];
  return {
    step,
    start,
    feeds,
    after(steps) {
      while (reached.length <= steps)
        reached.push(referenceStep(step, feeds(reached.length - 1), reached.at(-1)!.state));
      return reached[steps]!;
    },
  };
}

type TrainingState64 = Readonly<Record<string, Float64Array>>;

function referenceStep(step: StepProgram, feeds: Feeds, state: TrainingState64): ReferenceStep {
  const values: Record<string, NumericTensors[string]> = {};
  for (const [name, feed] of Object.entries(feeds)) values[name] = feed;
  for (const { attributes, shape } of step.program.parameters)
    values[attributes.name] = numeric(shape as readonly number[], state[attributes.name]!);
  const results = evaluate(step.program, values);
  return {
    loss: results['loss']!.data[0]!,
    state: Object.fromEntries(
      Object.keys(state).map((name) => [name, Float64Array.from(results[`next.${name}`]!.data)]),
    ),
  };
}

function worst(state: TrainingState, reference: TrainingState64): { state: number; where: string } {
  let result = { state: 0, where: '' };
  for (const [name, found] of Object.entries(state))
    reference[name]!.forEach((value, i) => {
      const d = difference(found[i]!, value);
      if (!(d <= result.state)) result = { state: d, where: `${name}[${i}]` };
    });
  return result;
}

function difference(a: number, b: number): number {
  return Math.abs(a - b) / (1 + Math.abs(b));
}
