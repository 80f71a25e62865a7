import { expect, it } from 'vitest';
import type { Engine } from '../../index.ts';
import { createModelRegistry } from '../index.ts';
import { listModels } from './models-route.ts';

it('lists no models while one that is expected is not open: whoever reads the list would take it for none', async () => {
  const early = expect.objectContaining({ code: 'runtime', passing: true });
  expect(() => listModels(createModelRegistry())).toThrow(early);
  const models = createModelRegistry(['a', 'b']);
  // Nothing else of it is looked at.
  await models.put('a', { ready: true, close: () => Promise.resolve() } as unknown as Engine);
  expect(() => listModels(models)).toThrow(early);
});
