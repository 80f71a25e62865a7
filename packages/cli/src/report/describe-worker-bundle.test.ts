import { bundlePaths, type Manifest, readManifest } from '@fuzzqe/bundle';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { describe, expect, it } from 'vitest';
import { describeWorkerBundle } from './describe-worker-bundle.ts';

describe('what a bundle for Workers weighs', async () => {
  const manifest = await readManifest((await memoryBundle()).source);
  const withBytes = (path: string, bytes: number): Manifest => ({
    ...manifest,
    files: { ...manifest.files, [path]: { ...manifest.files[path]!, bytes } },
  });

  it('is a line for the modes and for each limit, with start-up and the first request', () => {
    const lines = describeWorkerBundle(manifest);
    expect(lines.map((line) => line.replace(/\d+(\.\d+)? k?B of/, 'SIZE of'))).toEqual([
      '  modes: sets and embedding, the facts are in the bundle',
      expect.stringMatching(/^ {2}largest file: SIZE of 26\.2 MB$/),
      expect.stringMatching(/^ {2}memory, about: \d+\.\d MB of 128\.0 MB$/),
      '  script: 14.9 MB of 67.1 MB',
      '  start-up, about: 0.1 s of 1.0 s of a processor; nothing of the bundle is opened then',
      expect.stringMatching(
        /^ {2}first request, about: \d+\.\d s of 30\.0 s of a processor; it opens the bundle$/,
      ),
    ]);
    expect(lines.join('\n')).not.toMatch(/TOO LARGE|EMBEDDING ONLY/);
  });

  it('says what is too large, and nothing else', () => {
    const tooLarge = (given: Manifest): string[] =>
      describeWorkerBundle(given).filter((line) => line.includes('TOO LARGE'));
    const weights = 'models/fp32/weights.bin';
    expect(tooLarge(withBytes(bundlePaths.rules, 25 * 2 ** 20))).toEqual([
      expect.stringMatching(/^ {2}memory, about: 2\d\d\.\d MB of 128\.0 MB: TOO LARGE for Workers; /),
    ]);
    // Memory of the model card is not estimated.
    expect(tooLarge(withBytes(bundlePaths.card, 25 * 2 ** 20))).toEqual([]);
    expect(tooLarge(withBytes(bundlePaths.card, 25 * 2 ** 20 + 1))).toEqual([
      '  largest file: 26.2 MB of 26.2 MB: TOO LARGE for Workers; train with a smaller dimension',
    ]);
    const parts = [0, 1].map((i) => ({ path: `${weights}.${i}`, bytes: 50 * 2 ** 19, sha256: '' }));
    const { files } = withBytes(weights, 50 * 2 ** 20);
    expect(tooLarge({ ...manifest, files: { ...files, [weights]: { ...files[weights]!, parts } } })).toEqual([
      expect.stringMatching(/^ {2}memory, about: 2\d\d\.\d MB of 128\.0 MB: TOO LARGE for Workers; /),
    ]);
    expect(tooLarge(withBytes(bundlePaths.entities, 200e6))).toHaveLength(3);
    expect(tooLarge(withBytes(bundlePaths.entities, 200e6)).at(-1)).toMatch(
      /^ {2}first request, about: 5\d\.\d s of 30\.0 s of a processor; it opens the bundle: TOO LARGE/,
    );
  });

  it('says where a bundle has no facts, and by which limit', () => {
    expect(describeWorkerBundle({ ...manifest, modes: ['embedding'] })[0]).toBe(
      '  modes: EMBEDDING ONLY, without facts: with them it would take more than the 128.0 MB of memory of a Worker',
    );
  });
});
