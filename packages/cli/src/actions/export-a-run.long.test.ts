import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe as fuzzqe } from '../testing/run-fuzzqe.ts';

describe('a run for Triton', () => {
  let folder: string;
  const at = (...parts: readonly string[]): string => join(folder, ...parts);
  const exported = (out: string, ...flags: readonly string[]): ReturnType<typeof fuzzqe> =>
    fuzzqe(
      ...['export', at('run'), '--data', at('data'), '--target', 'triton', '--out', out, '--queries', '0'],
      ...flags,
    );

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-exported-'));
    await fuzzqe('data', 'countries', '--out', at('data'));
    await fuzzqe('data', 'sample', at('data'), '--train', '0', '--valid', '2', '--test', '2');
    const small = { extends: 'countries-links', model: { dimension: 8 }, steps: 10 };
    await writeFile(at('small.json'), JSON.stringify({ ...small, validation: { every: 10, patience: 10 } }));
    const flags = ['--config', at('small.json'), '--threads', '1'];
    expect(await fuzzqe('train', at('data'), '--out', at('run'), ...flags)).toMatchObject({ code: 0 });
    await mkdir(at('out'));
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('becomes models alone, with the numbers that the command names', async () => {
    await mkdir(at('out', '.models.scratch-01234567-89ab-cdef-0123-456789abcdef', 'bundle'), {
      recursive: true,
    });
    const { code, notes } = await exported(at('out', 'models'), '--answers', '7', '--bundle-version', '4');
    expect({ code, notes }).toMatchObject({
      code: 0,
      notes: expect.stringMatching(/^ {2}fp32: .*\nWrote /m),
    });
    expect(notes.match(/Wrote/g)).toHaveLength(1);
    expect(await readFile(at('out', 'models', 'countries-2i', 'config.pbtxt'), 'utf8')).toContain(
      'dims: 7\n',
    );
    expect(await readdir(at('out', 'models', 'countries-answer'))).toEqual(['4', 'config.pbtxt']);
    expect(await readdir(at('out'))).toEqual(['models']);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'leaves nothing where %s stops it, whenever that is',
    async (signal) => {
      const nobody = process.listenerCount(signal);
      const out = at(`stopped-${signal}`);
      const work = exported(join(out, 'models'));
      const hasFolder = (): boolean => {
        try {
          return readdirSync(out, { withFileTypes: true }).some((entry) => entry.isDirectory());
        } catch {
          return false;
        }
      };
      let ended = false;
      void work.finally(() => {
        ended = true;
      });
      while (!hasFolder() && !ended) await new Promise((resolve) => setImmediate(resolve));
      // One that nobody hears ends the process there.
      expect(process.listenerCount(signal)).toBeGreaterThan(nobody);
      process.emit(signal, signal);
      expect(await work).toMatchObject({ code: 130, notes: expect.stringContaining('Stopping at the next') });
      expect(await readdir(folder)).not.toContain(`stopped-${signal}`);
      expect(process.listenerCount(signal)).toBe(nobody);
    },
  );
});
