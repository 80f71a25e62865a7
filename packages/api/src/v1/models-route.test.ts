import { expect, it } from 'vitest';
import { createModelRegistry } from '../index.ts';
import { listModels } from './models-route.ts';

it.each([[[]], [['a', 'b']]])('lists no models while none of %j is open', (expected) => {
  expect(() => listModels(createModelRegistry(expected))).toThrow(
    expect.objectContaining({ code: 'runtime', passing: true }),
  );
});
