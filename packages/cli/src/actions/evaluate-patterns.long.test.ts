import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe as fuzzqe } from '../testing/run-fuzzqe.ts';

describe('fuzzqe evaluate on patterns', () => {
  let folder = '';
  const at = (...parts: readonly string[]): string => join(folder, ...parts);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-evaluate-patterns-'));
    await writeFile(at('small.json'), JSON.stringify({ model: { dimension: 16, bases: 4 } }));
    const training = ['--config', at('small.json'), '--steps', '2', '--threads', '1'];
    const steps: readonly (readonly string[])[] = [
      ['data', 'countries', '--out', at('data')],
      ['data', 'sample', at('data'), '--train', '5', '--valid', '1', '--test', '1'],
      ['data', 'sample', at('data'), '--patterns', '1'],
      ['train', at('data'), '--out', at('run'), ...training],
      ['export', at('run'), '--data', at('data'), '--out', at('bundle'), '--facts', 'train'],
    ];
    for (const args of steps) expect(await fuzzqe(...args), args.join(' ')).toMatchObject({ code: 0 });
    const lines = (await readFile(at('data', 'queries', 'valid.patterns.jsonl'), 'utf8')).split('\n');
    await writeFile(at('some.jsonl'), lines.filter((line) => /"type":"(2il|3c)"/.test(line)).join('\n'));
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const evaluate = (model: string, ...more: readonly string[]): ReturnType<typeof fuzzqe> =>
    fuzzqe(
      ...['evaluate', at(model), '--data', at('data'), '--queries', at('some.jsonl'), '--split', 'valid'],
      ...more,
    );

  it('measures a run and its bundle by fuzzy sets', async () => {
    const { code, out } = await evaluate('run', '--json');
    expect(code).toBe(0);
    const { columns } = JSON.parse(out) as {
      columns: { name: string; types: Record<string, { queries: number }> }[];
    };
    expect(columns).toMatchObject([
      { name: 'FuzzQE, sets', types: { '2il': { queries: 1 }, '3c': { queries: 1 } } },
    ]);
    expect((await evaluate('bundle')).out).toMatch(/^3c( +[0-9.]+){5}$/m);
  });

  it('refuses embeddings, which answer trees alone', async () => {
    const embedding = await evaluate('run', '--mode', 'embedding');
    expect(embedding).toMatchObject({ code: 2, notes: expect.stringContaining('--mode sets') });
  });

  it('refuses published figures, and takes none', async () => {
    expect(await evaluate('run', '--published', 'fb15k-237')).toMatchObject({
      code: 2,
      notes: expect.stringContaining('no --published fb15k-237'),
    });
    expect(await evaluate('run', '--published', 'none')).toMatchObject({ code: 0 });
  });
});
