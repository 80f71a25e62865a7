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
      ['data', 'sample', at('data'), '--unselected', '4'],
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

  describe('and on unselected queries', () => {
    const judge = (...more: readonly string[]): ReturnType<typeof fuzzqe> =>
      fuzzqe('evaluate', at('run'), '--data', at('data'), '--queries', 'unselected', ...more);

    it('holds the degrees of mode sets against held-out facts', async () => {
      const { code, out } = await judge('--json');
      expect(code).toBe(0);
      const { columns, queries } = JSON.parse(out) as {
        columns: { name: string; all: Record<'queries' | 'count' | 'ece' | 'brier', number> }[];
        queries: { set: string };
      };
      expect([queries.set, columns.map(({ name }) => name)]).toEqual(['unselected', ['FuzzQE, sets']]);
      const { all } = columns[0]!;
      expect(all.queries).toBeGreaterThan(40);
      expect(all.count).toBeGreaterThan(all.queries);
      expect(all.brier).toBeLessThan(0.3);
      const text = (await judge('--each', '1', '--split', 'valid')).out;
      expect(text).toMatch(/^all +\d+( +[0-9.]+){6}$/m);
      expect(text).toContain('only test queries judge them fairly');
    });

    it.each([
      ['--mode', 'embedding'],
      ['--mode', 'qto'],
      ['--by', 'half-links'],
      ['--published', 'nell995'],
    ])('refuses %s %s, which says nothing of degrees', async (...option) => {
      expect(await judge(...option)).toMatchObject({
        code: 2,
        notes: expect.stringContaining(`expected no ${option.join(' ')}, got it`),
      });
    });
  });

  it('tells the answers of queries by their half-links, and only if it is asked to', async () => {
    const each = ['evaluate', at('run'), '--data', at('data'), '--mode', 'sets', '--no-baselines'];
    const { out } = await fuzzqe(...each, '--by', 'half-links');
    expect(out).toContain('FuzzQE, sets by the half-links that the known facts have');
    const { columns } = JSON.parse((await fuzzqe(...each, '--by', 'half-links', '--json')).out);
    const [{ halves, metrics }] = columns;
    const answers = halves['2p'].reduce((sum: number, { answers }: { answers: number }) => sum + answers, 0);
    expect(answers).toBe(metrics.structures['2p'].answers);
    expect((await fuzzqe(...each)).out).not.toContain('half-links');
  });
});
