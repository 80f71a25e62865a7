import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type ParityOptions, runParity } from './run-parity.ts';
import { tinyBundle } from './testing/tiny-bundle.ts';

/** What callers without types may give. */
const given = (options: unknown): Partial<ParityOptions> => options as object;

describe('runParity', () => {
  it.each<[string, Partial<ParityOptions>, string]>([
    ['no runtime', { runtimes: [] }, 'runtimes: expected at least one, got none'],
    ['a runtime that there is not', given({ runtimes: ['x'] }), 'expected names of them, got ["x"]'],
    ['a runtime that is no list', given({ runtimes: 'node' }), 'expected names of them, got "node"'],
    ['no profile', { profiles: [] }, 'profiles: expected at least one, got none'],
    ['no batch of a structure', { fresh: 1 }, 'fresh: expected at least 2 queries of each structure, got 1'],
    ['queries without a number', { fresh: Number.NaN }, 'fresh: expected at least 2'],
  ])('refuses %s, of which nothing could differ', async (_, change, message) => {
    const options: ParityOptions = { bundle: '/nowhere', runtimes: ['node'], fresh: 2, trees: 0, seed: 1 };
    await expect(runParity({ ...options, ...change })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message),
    });
    // What is missing otherwise is the bundle.
    await expect(runParity(options)).rejects.toMatchObject({ code: 'bundle', path: '/nowhere' });
  });

  it('stops where its signal is raised, after the answer under way', async () => {
    const { directory } = await tinyBundle();
    const controller = new AbortController();
    let last = 0;
    const stopped = runParity({
      ...{ bundle: directory, runtimes: ['javascript'], fresh: 2, trees: 0, seed: 1 },
      signal: controller.signal,
      onProgress(done, _, what) {
        last = done;
        if (what === 'javascript, fp32' && done > 0) controller.abort();
      },
    });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted', message: 'parity: stopped' });
    const reached = last;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(last).toBe(reached);
    await rm(directory, { recursive: true });
  });
});
