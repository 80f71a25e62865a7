import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ParityOptions, runParity } from '../run-parity.ts';
import { childrenNamed } from '../testing/children.ts';
import { type TinyBundle, tinyBundle } from '../testing/tiny-bundle.ts';
import { parityRuntimes } from './registry.ts';

let bundle: TinyBundle;
beforeAll(async () => {
  bundle = await tinyBundle('ends');
});
afterAll(() => rm(bundle.directory, { recursive: true, force: true }));

const target = { directory: '', profile: 'fp32' };
const programs = { workerd: /^workerd$/, chromium: /^chrom/ } as const;
const present = await Promise.all(
  (['workerd', 'chromium'] as const).map(
    async (name) =>
      [name, process.platform === 'linux' && (await parityRuntimes[name].available(target)).present] as const,
  ),
);

describe.each(present)('%s', (name, isPresent) => {
  const started = (): readonly number[] => childrenNamed(programs[name]);
  /** Does something in the midst of the comparison, when the first answers are there. */
  const midway = (act: () => void, more: Partial<ParityOptions> = {}): ReturnType<typeof runParity> => {
    let answers = 0;
    return runParity({
      ...{ bundle: bundle.directory, runtimes: [name], fresh: 2, trees: 0, seed: 1 },
      onProgress(_done, _total, what) {
        if (what !== `${name}, fp32`) return;
        answers += 1;
        if (answers === 20) act();
      },
      ...more,
    });
  };

  it.skipIf(!isPresent)('is no runtime that differs where it is killed', async () => {
    const killed = midway(() => {
      for (const pid of started()) process.kill(pid, 'SIGKILL');
    });
    await expect(killed).rejects.toMatchObject({
      code: 'runtime',
      message: expect.stringMatching(
        new RegExp(`^${name}, fp32: (?:the browser|workerd) ended; nothing more was compared$`),
      ),
    });
    await expect.poll(started).toEqual([]);
  });

  it.skipIf(!isPresent)('ends where the comparison is stopped, at once', async () => {
    const controller = new AbortController();
    let running: readonly number[] = [];
    const stopped = midway(
      () => {
        running = started();
        controller.abort();
      },
      { signal: controller.signal },
    );
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    expect(running).toHaveLength(1);
    await expect.poll(started).toEqual([]);
  });

  it.skipIf(!isPresent)('ends with what it was asked where the signal comes meanwhile', async () => {
    const controller = new AbortController();
    const answerer = await parityRuntimes[name].open(
      { directory: bundle.directory, profile: 'fp32' },
      controller.signal,
    );
    try {
      const waiting = expect(answerer.degrees([])).rejects.toMatchObject({ code: 'runtime' });
      controller.abort();
      await waiting;
      expect(answerer.ended?.()).toMatch(/ ended$/);
    } finally {
      await answerer.close();
    }
  });
});

it.skipIf(!present[1]![1])('Chromium leaves signals to whoever runs it', async () => {
  const heard = (): number[] =>
    (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => process.listenerCount(signal));
  const before = heard();
  const answerer = await parityRuntimes.chromium.open({ directory: bundle.directory, profile: 'fp32' });
  expect(heard()).toEqual(before);
  await answerer.close();
});
