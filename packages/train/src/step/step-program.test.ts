import { createRandom } from '@fuzzqe/core';
import { evaluate, type NumericTensors, numeric, type Program } from '@fuzzqe/core/tensor';
import { tinyGraph } from '@fuzzqe/data/testing';
import { describe, expect, it } from 'vitest';
import { isMasked, type TrainingConfig } from '../config.ts';
import type { Feeds } from '../runtimes/training-runtime.ts';
import { tinyBlocksConfig, tinyConfig, tinyModel } from '../testing/tiny-run.ts';
import { tinySteps } from '../testing/tiny-steps.ts';
import { batchGroups } from '../training/trainer.ts';
import { createBatchLayout } from './batch-layout.ts';
import { stepProgram } from './step-program.ts';

/** The outputs of one float64 step. */
async function oneStep(config: TrainingConfig): Promise<Record<string, number[]>> {
  const { step, state, feeds } = await tinySteps(config);
  const values: Record<string, NumericTensors[string]> = { ...feeds(0) };
  for (const { attributes, shape } of step.program.parameters)
    values[attributes.name] = numeric(shape as readonly number[], state[attributes.name]!);
  const results = evaluate(step.program, values);
  return Object.fromEntries(Object.entries(results).map(([name, { data }]) => [name, Array.from(data)]));
}

describe('a training step', () => {
  it('is the same with grouped and with outer projections', async () => {
    const grouped = await oneStep(tinyConfig({ projection: 'grouped' }));
    const outer = await oneStep(tinyConfig({ projection: 'outer' }));
    expect(Object.keys(outer)).toEqual(Object.keys(grouped));
    for (const [name, values] of Object.entries(grouped))
      values.forEach((value, i) => {
        expect(outer[name]![i], name).toBeCloseTo(value, 9);
      });
  });

  it('differs where the logic differs', async () => {
    const product = await oneStep(tinyConfig({}, 'product'));
    const godel = await oneStep(tinyConfig({}, 'godel'));
    expect(godel['loss']![0]).not.toBeCloseTo(product['loss']![0]!, 6);
  });

  it('refuses to group rows by matrices that blocks do not have', () => {
    const config = tinyBlocksConfig({ projection: 'grouped' });
    expect(() =>
      stepProgram(tinyModel(config), config, createBatchLayout([{ structure: '1p', count: 2 }])),
    ).toThrow(
      expect.objectContaining({
        code: 'config',
        path: '$.projection',
        hint: expect.stringContaining('"outer"'),
      }),
    );
  });

  it.each([
    ['other structures', '$.batch', { batch: { '1p': 2, '2p': 1 } }],
    [
      'a sample of negatives',
      '$.negatives.kind',
      { negatives: { kind: 'shared', count: 5, byDegree: 0, allFrom: 1 } },
    ],
    ['another loss', '$.loss.name', { loss: { ...tinyConfig().loss, name: 'margin' } }],
    ['links drawn by edges', '$.links', { links: { pairs: 1, edges: 1 } }],
    ['more scores than 32 bits tell apart', '$.batch.1p', { batch: { '1p': 200_000_000 } }],
  ] as const)('refuses to learn from all facts of links with %s', (_, path, changes) => {
    const config = tinyConfig({ targets: 'facts', links: { pairs: 1 }, batch: { '1p': 2 }, ...changes });
    const layout = createBatchLayout(batchGroups(config));
    expect(() => stepProgram(tinyModel(config), config, layout)).toThrow(
      expect.objectContaining({
        code: 'config',
        path,
        message: expect.stringContaining('targets "facts": expected'),
      }),
    );
  });

  it.each([
    [
      'relations by bases',
      'expected 0, or relationForm "blocks" or "complex"',
      tinyConfig({ relationPrediction: 1 }),
    ],
    ['no links', '1p queries in the batch', tinyBlocksConfig({ relationPrediction: 1, batch: { '2p': 2 } })],
  ] as const)('refuses to predict relations with %s', (_, expected, config) => {
    const layout = createBatchLayout(batchGroups(config));
    expect(() => stepProgram(tinyModel(config), config, layout)).toThrow(
      expect.objectContaining({
        code: 'config',
        path: '$.relationPrediction',
        message: expect.stringContaining(expected),
      }),
    );
  });

  it.each(['margin', 'bpr'] as const)(
    'refuses to count known answers in the %s loss, which sums nothing',
    (name) => {
      const config = tinyConfig({ loss: { ...tinyConfig().loss, name, knownAnswers: 'counted' } });
      const layout = createBatchLayout(batchGroups(config));
      expect(() => stepProgram(tinyModel(config), config, layout)).toThrow(
        expect.objectContaining({
          code: 'config',
          path: '$.loss.knownAnswers',
          message: `knownAnswers "counted": expected the softmax loss, got ${name}`,
        }),
      );
    },
  );

  it.each([
    ['bases', tinyConfig({})],
    [
      'bases, known answers counted',
      tinyConfig({ loss: { ...tinyConfig({}).loss, knownAnswers: 'counted' } }),
    ],
    [
      'bases, known answers counted, smoothed',
      tinyConfig({ loss: { ...tinyConfig({}).loss, knownAnswers: 'counted', smoothing: 0.1 } }),
    ],
    [
      'blocks, relations predicted',
      tinyBlocksConfig({ regularisers: {}, relationPrediction: 0.5, answers: 4 }),
    ],
  ] as const)(
    'of all facts of links is the mean over facts of the loss of each alone: %s',
    async (_, kind) => {
      const config: TrainingConfig = {
        ...kind,
        ...{ targets: 'facts', links: { pairs: 1 }, batch: { '1p': 5 }, projection: 'outer' },
      };
      const { step, state, feeds } = await tinySteps(config);
      const of = (
        given: Readonly<Record<string, NumericTensors[string]>>,
        program = step.program,
      ): number => {
        const values: Record<string, NumericTensors[string]> = { ...given };
        for (const { attributes, shape } of program.parameters)
          values[attributes.name] = numeric(shape as readonly number[], state[attributes.name]!);
        return evaluate(program, values)['loss']!.data[0]!;
      };
      const { entities } = tinyModel(config);
      // Where relations are predicted, of so many facts that each of these is drawn equally often.
      const graph = tinyGraph();
      const tailsOf = (batch: Feeds, row: number): number[] =>
        Array.from({ length: entities }, (_, id) => id).filter((id) =>
          graph.has(batch['entityRows']!.data[row]!, batch['relations.0']!.data[row]!, id),
        );
      const factsOf = (batch: Feeds): number =>
        [0, 1, 2, 3, 4].reduce((sum, row) => sum + tailsOf(batch, row).length, 0);
      const batch = Array.from({ length: 100 }, (_, at) => feeds(at)).find((each) => {
        return config.relationPrediction === 0 || (5 * config.answers) % factsOf(each) === 0;
      })!;
      // The same links, each with one of its tails as the answer, as a step of drawn answers compares it.
      const drawn: TrainingConfig = { ...kind, batch: { '1p': 1 }, projection: 'outer', answers: 1 };
      const one = stepProgram(
        tinyModel(drawn),
        drawn,
        createBatchLayout([{ structure: '1p', count: 1 }]),
      ).program;
      const [anchors, relations] = ['entityRows', 'relations.0'].map((name) => batch[name]!.data);
      const losses: number[] = [];
      for (let row = 0; row < 5; row += 1) {
        const [head, relation] = [anchors![row]!, relations![row]!];
        const tails = tailsOf(batch, row);
        for (const tail of tails) {
          const known = Array.from({ length: entities }, (_, id) => (tails.includes(id) ? 1 : 0));
          const given = {
            entityRows: numeric([2], [head, tail]),
            'relations.0': numeric([1], [relation]),
            ...(isMasked(drawn) ? { masked: numeric([1, entities], known) } : {}),
          };
          const numbers = ['learningRate', 'correction1', 'correction2'].map((name) => [name, batch[name]!]);
          losses.push(of({ ...Object.fromEntries(numbers), ...given }, one));
        }
      }
      expect(losses).toHaveLength(factsOf(batch));
      expect(losses.length).toBeGreaterThanOrEqual(5);
      expect(new Set(losses).size).toBeGreaterThan(2);
      // Shares are fed in single precision.
      expect(of(batch)).toBeCloseTo(losses.reduce((sum, loss) => sum + loss, 0) / losses.length, 5);
    },
  );

  it('learns of blocks two tensors, and differs where the penalty does', async () => {
    const some = await oneStep(tinyBlocksConfig());
    const none = await oneStep(tinyBlocksConfig({ regularisers: {} }));
    expect(Object.keys(some).filter((name) => /^next\.\w+$/.test(name))).toEqual([
      'next.entities',
      'next.coefficients',
      'next.logTemperature',
    ]);
    expect(some['loss']![0]).toBeGreaterThan(none['loss']![0]! + 1e-4);
  });

  it.each(['shared', 'own'] as const)('refuses more %s negatives than there are entities', (kind) => {
    const build = (count: number) => {
      const config = tinyConfig({ negatives: { kind, count, byDegree: 0, allFrom: 1 } });
      return stepProgram(tinyModel(config), config, createBatchLayout([{ structure: '1p', count: 2 }]));
    };
    expect(build(24).negatives).toBe(24);
    expect(() => build(25)).toThrow(
      expect.objectContaining({
        code: 'config',
        path: '$.negatives.count',
        message: 'expected at most |E| = 24 negatives, got 25',
        hint: expect.stringContaining('"kind": "all"'),
      }),
    );
  });

  it.each([
    [
      'inputs of bases',
      tinyConfig({ model: { ...tinyConfig().model, projectionInput: 'raw' } }),
      { input: 0.6, output: 0 },
      ['bases'],
    ],
    ['inputs of blocks', tinyBlocksConfig({ regularisers: {} }), { input: 0.6, output: 0 }, ['coefficients']],
    [
      'outputs of blocks',
      tinyBlocksConfig({ regularisers: {} }),
      { input: 0, output: 0.6 },
      ['coefficients'],
    ],
  ] as const)(
    'lets what dropout keeps grow by what it takes on average: %s',
    async (_, kind, dropout, before) => {
      const batch = { '1p': 6 };
      const { step, state, feeds } = await tinySteps({ ...kind, batch, projection: 'outer', dropout });
      const whole = await tinySteps({ ...kind, batch, projection: 'outer' });
      const random = createRandom('dropout');
      const drawn = Object.fromEntries(
        Object.entries(state).map(([name, { length }]) => [
          name,
          Float64Array.from({ length }, () => random.normal()),
        ]),
      );
      const lossOf = (program: Program, given: Feeds, scale: number): number => {
        const values: Record<string, NumericTensors[string]> = { ...given };
        for (const { attributes, shape } of program.parameters) {
          const { name } = attributes;
          const factor = (before as readonly string[]).includes(name) ? scale : 1;
          values[name] = numeric(
            shape as readonly number[],
            drawn[name]!.map((x) => x * factor),
          );
        }
        return evaluate(program, values)['loss']!.data[0]!;
      };
      // Where all is kept, it grows as if what it is multiplied with had grown.
      const given = Object.entries(feeds(0));
      expect(given.some(([name]) => name.startsWith('kept'))).toBe(true);
      const kept = Object.fromEntries(
        given.map(([name, each]) => [
          name,
          name.startsWith('kept') ? { ...each, data: each.data.map(() => 1) } : each,
        ]),
      );
      const plain = lossOf(whole.step.program, whole.feeds(0), 1);
      expect(lossOf(step.program, kept, 0.4)).toBeCloseTo(plain, 9);
      expect(Math.abs(lossOf(step.program, kept, 1) - plain)).toBeGreaterThan(1e-3);
    },
  );

  it('takes vectors as they are, whatever the model that is served does to short ones', async () => {
    const served = (projectionInput: 'lengthened' | 'raw') =>
      oneStep(tinyBlocksConfig({ model: { ...tinyBlocksConfig().model, projectionInput } }));
    expect(await served('lengthened')).toEqual(await served('raw'));
  });

  it('keeps the gradient at most as long as it is told to', async () => {
    const length = (run: Record<string, number[]>): number =>
      Math.hypot(
        ...['entities', 'coefficients', 'bases', 'biasBases', 'logTemperature'].flatMap(
          (n) => run[`next.${n}.sum`]!,
        ),
      );
    const optimiser = tinyConfig().optimiser;
    const free = await oneStep(tinyConfig());
    const clipped = await oneStep(tinyConfig({ optimiser: { ...optimiser, clipNorm: 0.01 } }));
    // After one step from zero, the sum of the gradients is the gradient.
    expect(length(free)).toBeGreaterThan(0.011);
    expect(length(clipped)).toBeCloseTo(0.01, 9);
  });
});
