import * as tf from '@tensorflow/tfjs-core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { presentBackends } from '../testing/present-backends.ts';
import { openBackend, probeBackend } from './open-backend.ts';

const { present } = await presentBackends();

describe('a backend', () => {
  it('is the one of tfjs once it is activated, and says what it is', async () => {
    for (const name of present) {
      const backend = await openBackend(name);
      backend.activate();
      expect(tf.getBackend()).toBe(name);
      expect(backend.description).toMatch(new RegExp(`^tfjs ${name}`));
      expect(backend.adapter === undefined).toBe(name !== 'webgpu');
      await backend.close();
      expect(() => backend.activate()).toThrow(`tfjs ${name} is closed`);
    }
  });

  it('stays open for whoever else has it, and opens again', async () => {
    for (const name of present) {
      const [one, other] = [await openBackend(name), await openBackend(name)];
      await one.close();
      await one.close();
      other.activate();
      expect(Array.from(await tf.add([1, 2], [3, 4]).data())).toEqual([4, 6]);
      await other.close();
      const again = await openBackend(name);
      again.activate();
      expect(Array.from(await tf.add([1, 2], [3, 4]).data())).toEqual([4, 6]);
      await again.close();
    }
  });

  it('prints nothing', async () => {
    const spies = (['log', 'warn', 'error'] as const).map((way) => vi.spyOn(console, way));
    const backend = await openBackend('cpu');
    backend.activate();
    tf.add([1], [2]).dispose();
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });
});

describe('what is missing is said in one line, with the way to install it:', () => {
  afterEach(() => {
    vi.doUnmock('webgpu');
    vi.resetModules();
  });

  it('a graphics adapter', async () => {
    vi.doMock('webgpu', () => ({
      create: () => ({ requestAdapter: async () => null }),
      globals: {},
    }));
    await expect(openBackend('webgpu')).rejects.toMatchObject({
      code: 'runtime',
      message: 'tfjs webgpu: there is no WebGPU adapter here',
      hint: expect.stringContaining('libvulkan1'),
    });
    expect(await probeBackend('webgpu')).toEqual({
      available: false,
      reason: 'tfjs webgpu: there is no WebGPU adapter here',
    });
  });

  it.skipIf(present.includes('tensorflow'))("TensorFlow's library", async () => {
    const probe = await probeBackend('tensorflow');
    expect(probe).toMatchObject({
      available: false,
      reason: expect.stringMatching(/^tfjs tensorflow: .*@tensorflow\/tfjs-node-gpu.*tfjs-node /),
    });
  });
});
