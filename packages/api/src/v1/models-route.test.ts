import { expect, it } from 'vitest';
import { createModelRegistry } from '../index.ts';
import { listModels } from './models-route.ts';

it('lists models that are not open, with why', () => {
  const closed = [{ name: 'a', version: '1', status: 'failed', reason: 'It is broken.' }] as const;
  expect(listModels({ ...createModelRegistry(), closed: () => closed })).toEqual({ models: closed });
});

it.each([[[]], [['a', 'b']]])('lists no models while none of %j is open', (expected) => {
  expect(() => listModels(createModelRegistry(expected))).toThrow(
    expect.objectContaining({ code: 'runtime', passing: true }),
  );
});
