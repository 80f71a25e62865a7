import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../run-command.ts';
import { textWidth } from '../terminal/text-width.ts';
import { runFuzzqe as fuzzqe } from '../testing/run-fuzzqe.ts';

describe('fuzzqe query', () => {
  let folder: string;
  const at = (...parts: readonly string[]): string => join(folder, ...parts);
  const ask = (...args: readonly string[]): ReturnType<typeof fuzzqe> =>
    fuzzqe('query', at('bundle'), ...args);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-query-'));
    const facts = [
      'Q1 in Texas',
      'Q2 in France',
      'Paris in Myth',
      'Q1 near Q2',
      'Q2 near Paris',
      'Paris near Q1',
    ];
    await writeFile(at('facts.tsv'), facts.map((fact) => `${fact.replaceAll(' ', '\t')}\n`).join(''));
    const labels = [
      'Q1\tParis',
      'Q2\tParis',
      'Paris\tParis',
      'Texas\tTexas',
      'France\tla France',
      'Myth\tMyth',
    ];
    await writeFile(at('names.tsv'), labels.map((line) => `${line}\n`).join(''));
    const flags = ['--entities', at('names.tsv'), '--hold-out', '0', '--out', at('data')];
    expect((await fuzzqe('data', 'import', at('facts.tsv'), ...flags)).code).toBe(0);
    const run = ['--out', at('run'), '--steps', '2', '--threads', '1'];
    expect((await fuzzqe('train', at('data'), ...run)).code).toBe(0);
    const made = await fuzzqe(
      'export',
      at('run'),
      '--data',
      at('data'),
      '--out',
      at('bundle'),
      '--queries',
      '0',
    );
    expect(made.code).toBe(0);
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('tells answers apart that have one label', async () => {
    const { out } = await ask('or(Q1, or(Q2, Paris))', '-k', '3');
    const names = out.split('\n').flatMap((line) => /^ +\d +(.*?) {2,}1\.0000/.exec(line)?.[1] ?? []);
    expect(names.toSorted()).toEqual(['Paris', 'Paris (Q1)', 'Paris (Q2)']);
    expect((await ask('project(in, Q2)', '-k', '1')).out).toMatch(/ la France {2,}1\.0000 +recorded/);
    const pairs = await ask('?x, ?y : in(?x, ?y), near(?x, Q2)', '--csv');
    expect(pairs.code).toBe(0);
    expect(pairs.out.split('\n').slice(0, 2)).toEqual([
      'x,x key,y,y key,degree,state',
      'Paris,Q1,Texas,Texas,1,recorded',
    ]);
    expect((await ask('project(in, Q1)', '--csv')).out).toContain('Texas,Texas,1,recorded');
    const counted = await ask('?x, ?y : in(?x, ?y)', '--count');
    expect(counted.out).toMatch(/^Recorded answers: 3$/m);
    expect((await ask('in(Q1, Texas)')).code).toBe(0);
    expect((await ask('in(Q1, Q1)', '--no-suggestions')).code).toBe(10);
    expect((await ask('?x : in(?x, Texas)', '--is', 'Q1')).code).toBe(2);
    const explained = await ask('project(in, Q1)', '-k', '1', '--explain');
    expect(explained.out).toMatch(/Texas +Paris \(Q1\) +in +Texas/);
  });

  it('keeps within a narrow terminal, with what is told apart still there', async () => {
    const lines: string[] = [];
    const terminal = { note: () => {}, status: () => {}, live: false, columns: 40 };
    for (const query of ['and(project(in, Q1), project(in, Q2))', 'project(near, Paris)'])
      await runCommand(
        ['query', at('bundle'), query, '-k', '3', '--explain', '--exclude', 'none'],
        { ...terminal, out: (line) => lines.push(...line.split('\n')) },
        '0.0.0-test',
      );
    expect(lines.filter((line) => textWidth(line) > 40)).toEqual([]);
    expect(lines).toContain('follows from');
    expect(lines.join('\n')).toMatch(/^ {3}Paris {2}near {2}Paris \(Q1\)\n {5}recorded$/m);
  });

  it('says that there are no answers', async () => {
    const strict = ['project(in, Q1)', '--exclude', 'known', '--min-degree', '1', '--no-suggestions'];
    const { code, out, notes } = await ask(...strict);
    expect({ code, out: out.trim(), notes }).toMatchObject({
      code: 0,
      out: 'No answers.',
      notes: expect.stringContaining(
        'few-answers: no answers beyond the recorded ones: no other entity has a degree of 1 or more',
      ),
    });
  });

  it('shows suggestions apart from answers', async () => {
    const json = async (...more: readonly string[]) =>
      JSON.parse((await ask('project(near, Q1)', ...more, '--json')).out);
    const { answers, suggestions } = await json('--min-degree', '1');
    expect([answers.length, suggestions.length > 0]).toEqual([1, true]);
    const { out } = await ask('project(near, Q1)', '--min-degree', '1');
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^ +1 .* recorded$/);
    expect(lines.slice(1, 3)).toEqual(['', 'Suggestions, below 1:']);
    expect(lines.slice(3)).toHaveLength(suggestions.length);
    expect(lines.at(-1)).toMatch(/^ +\d .* predicted$/);
    expect((await json('--no-suggestions')).suggestions).toEqual([]);
  });
});
