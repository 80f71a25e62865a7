import { createProgram, parameter, sum, type Tensor } from '@fuzzqe/core/tensor';
import { describe, expect, it } from 'vitest';
import { tinyConfig, tinyDistancesConfig } from '../testing/tiny-run.ts';
import { tinySteps } from '../testing/tiny-steps.ts';
import { rowGradients } from './row-gradients.ts';

describe('gradients that come as rows', () => {
  it('are parts that side by side are as many numbers as the joined rows', async () => {
    const { step } = await tinySteps(tinyDistancesConfig('gqe'));
    const { gradients } = step.gradientStep;
    const { program, shapes, parts } = rowGradients(gradients, ['entities', 'coefficients', 'setAttention']);
    const { rows, width, given } = shapes.get('entities')!;
    expect([rows, width]).toEqual(
      gradients.parameters.find(({ attributes }) => attributes.name === 'entities')!.shape,
    );
    const ofEntities = [...parts.values()].filter(({ table }) => table === 'entities');
    expect(ofEntities.length).toBeGreaterThan(1);
    let at = 0;
    for (const { start, shape } of ofEntities) {
      expect(start).toBe(at);
      at += shape.reduce((product, size) => product * size, 1);
    }
    expect(at).toBe(given * width);
    expect(shapes.has('setAttention')).toBe(false);
    const names = program.outputs.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['loss', 'rows.entities', 'gradient.setAttention', ...parts.keys()]),
    );
    expect(names).not.toContain('gradient.entities');
  });

  it('stay joined where a step does not say how many there are', async () => {
    const { step } = await tinySteps(tinyConfig());
    const { shapes, program } = rowGradients(step.gradientStep.gradients, ['coefficients', 'bases']);
    expect(shapes.size).toBe(0);
    expect(program.outputs).toEqual(step.gradientStep.gradients.outputs);
  });

  it('are rows of tables that the program has', () => {
    const x: Tensor = parameter('x', [3, 4]);
    const given = createProgram({
      name: 'whole',
      inputs: [],
      outputs: { loss: sum(x, [0, 1]), 'gradient.x': x },
    });
    expect(rowGradients(given, ['x', 'z']).shapes.size).toBe(0);
  });
});
