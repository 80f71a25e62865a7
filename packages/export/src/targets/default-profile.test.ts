import { expect, it } from 'vitest';
import { blocksConfig, sampleConfig } from '../testing/sample.ts';
import { defaultProfile } from './default-profile.ts';

it('is the first of a target that a model can have', () => {
  expect(defaultProfile(sampleConfig, 'workers')).toBe('int8-basis');
  expect(defaultProfile(blocksConfig, 'workers')).toBe('int8');
  expect(defaultProfile(blocksConfig, 'node')).toBe('fp32');
});

it.each(['gqe', 'gqeDeepSets', 'query2box'] as const)(
  'is refused for workers of %s, with its own reason',
  (relationForm) => {
    const model = { ...sampleConfig, relationForm };
    expect(() => defaultProfile(model, 'workers')).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: `target workers has profile int8-basis or int8, and a model of ${relationForm} can have neither: scores of ${relationForm} are distances, and its codes give products`,
      }),
    );
    expect(defaultProfile(model, 'node')).toBe('fp32');
  },
);
