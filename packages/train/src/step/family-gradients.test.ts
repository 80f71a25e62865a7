import { createProgram, evaluate, type NumericTensors, numeric } from '@fuzzqe/core/tensor';
import { traitsOf } from '@fuzzqe/model';
import { describe, expect, it } from 'vitest';
import type { TrainingConfig } from '../config.ts';
import { tinyComplexConfig, tinyConfig, tinyDistancesConfig, tinyModel } from '../testing/tiny-run.ts';
import { tinySteps } from '../testing/tiny-steps.ts';
import { createBatchLayout } from './batch-layout.ts';
import { stepProgram } from './step-program.ts';

const layoutOf = ({ batch }: TrainingConfig) =>
  createBatchLayout(
    Object.entries(batch).map(([structure, count]) => ({ structure: structure as '1p', count })),
  );

describe.each([
  ...(['gqe', 'gqeDeepSets', 'query2box', 'betae', 'betaeDm'] as const).map(
    (family) => [family, tinyDistancesConfig(family)] as const,
  ),
  ['complex', tinyComplexConfig({ relationPrediction: 0.5 })] as const,
])('a step of %s', (family, config) => {
  const { distances, only } = traitsOf({ relationForm: family });

  it('has the gradients of finite differences, in every tensor that it learns', async () => {
    const { step, state, feeds } = await tinySteps(config);
    const { gradients } = step.gradientStep;
    const values: Record<string, NumericTensors[string]> = { ...feeds(0) };
    for (const { attributes, shape } of gradients.parameters)
      values[attributes.name] = numeric(
        shape as readonly number[],
        Float64Array.from(state[attributes.name]!, (value, i) => value + 0.05 * Math.sin(i + 1)),
      );
    const found = evaluate(gradients, values);
    const loss = createProgram({
      name: 'loss',
      inputs: gradients.inputs,
      outputs: { loss: gradients.outputs.find(({ name }) => name === 'loss')!.tensor },
    });
    const lossOf = (): number => evaluate(loss, values)['loss']!.data[0]!;
    for (const { attributes, shape } of gradients.parameters) {
      const { name } = attributes;
      const { data } = values[name]!;
      const gradient = new Float64Array(data.length);
      const rows = found[`rows.${name}`]?.data;
      const width = rows === undefined ? data.length : data.length / (shape[0] as number);
      const given = found[`gradient.${name}`]!.data;
      for (let i = 0; i < given.length; i += 1)
        gradient[(rows?.[Math.floor(i / width)] ?? 0) * width + (i % width)]! += given[i]!;
      let moved = 0;
      for (let at = 0; at < data.length; at += Math.max(1, Math.floor(data.length / 25))) {
        const [before, h] = [data[at]!, 1e-6];
        data[at] = before + h;
        const above = lossOf();
        data[at] = before - h;
        const below = lossOf();
        data[at] = before;
        const slope = (above - below) / (2 * h);
        expect(Math.abs(gradient[at]! - slope), `${name}[${at}]`).toBeLessThan(1e-6);
        moved = Math.max(moved, Math.abs(slope));
      }
      expect(moved, name).toBeGreaterThan(1e-5);
    }
  });

  it.each<readonly [what: string, changes: Partial<TrainingConfig>, path: string]>([
    ['dropout', { dropout: { input: 0.1, output: 0 } }, '$.dropout'],
    ['groups by relation', { projection: 'grouped' }, '$.projection'],
    only
      ? ['paths', { batch: { '1p': 2, '2p': 2 } }, '$.batch.2p']
      : ['relations that are predicted', { relationPrediction: 1 }, '$.relationPrediction'],
    ...(distances === 'positive' || only
      ? ([['queries with ¬', { batch: { '1p': 2, '2in': 2 } }, '$.batch.2in']] as const)
      : []),
    ...(distances === 'trees'
      ? []
      : ([['queries with ∨', { batch: { '1p': 2, up: 2 } }, '$.batch.up']] as const)),
  ])('refuses %s', (_, changes, path) => {
    const changed: TrainingConfig = { ...config, ...changes };
    expect(() => stepProgram(tinyModel(changed), changed, layoutOf(changed))).toThrow(
      expect.objectContaining({ code: 'config', path }),
    );
  });

  it.runIf(distances === 'positive')('refuses all wrong options at once, and says what to write', () => {
    const config = tinyDistancesConfig(family, {
      ...{ projection: 'grouped' as const, dropout: { input: 0, output: 0.2 } },
      batch: { '1p': 2, '2in': 2, up: 2 },
    });
    const layout = createBatchLayout(
      (['1p', '2in', 'up'] as const).map((structure) => ({ structure, count: 2 })),
    );
    const step = (changes: object) => () => stepProgram(tinyModel(config), { ...config, ...changes }, layout);
    const write = '{"projection":"outer","dropout":{"input":0,"output":0},"batch":{"2in":0,"up":0}}';
    expect(step({})).toThrow(
      expect.objectContaining({
        ...{ code: 'config', path: '$.projection', hint: `Write ${write}.` },
        message: expect.stringMatching(
          /^\w+: expected "outer".*\n {2}\$\.dropout: .*\n {2}\$\.batch\.2in: .*2in, up$/,
        ),
      }),
    );
    const { batch, ...others } = JSON.parse(write);
    const asTold = tinyDistancesConfig(family, { ...others, batch: { ...config.batch, ...batch } });
    const links = createBatchLayout([{ structure: '1p', count: 2 }]);
    expect(() => stepProgram(tinyModel(asTold), asTold, links)).not.toThrow();
  });
});

it.each([
  ['betae', { '1p': 2, pni: 2 }],
  ['betaeDm', { '1p': 2, pni: 2, up: 2 }],
] as const)('a step of %s takes what it embeds', (family, batch) => {
  const config = tinyDistancesConfig(family, { batch });
  expect(() => stepProgram(tinyModel(config), config, layoutOf(config))).not.toThrow();
});

it('a step of bases takes what families by distances refuse', () => {
  const config = tinyConfig({ dropout: { input: 0.1, output: 0 } });
  const layout = createBatchLayout([{ structure: '2in', count: 2 }]);
  expect(() => stepProgram(tinyModel(config), config, layout)).not.toThrow();
});
