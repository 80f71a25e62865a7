import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import { readDataset } from '@fuzzqe/data';
import { writeRules } from '@fuzzqe/evidence';
import { mineRules } from '@fuzzqe/evidence/mining';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe } from '../testing/run-fuzzqe.ts';

describe('fuzzqe rules', () => {
  let folder: string;
  const at = (...parts: readonly string[]): string => join(folder, ...parts);
  const rules = (...args: readonly string[]) =>
    runFuzzqe('rules', ...args, '--workers', '0', '--seconds', '1');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-rules-'));
    const lines: string[] = [];
    for (let family = 0; family < 12; family++) {
      const children = ['a', 'b', 'c'].map((child) => `child ${family}${child}`);
      for (const child of children) {
        lines.push(`${child}\tparent\tparent ${family}`);
        for (const other of children) if (other !== child) lines.push(`${child}\tsibling\t${other}`);
      }
    }
    await writeFile(at('family.tsv'), `${lines.join('\n')}\n`);
    expect((await runFuzzqe('data', 'import', at('family.tsv'), '--out', at('data'))).code).toBe(0);
    const dataset = await readDataset(at('data'));
    const { train } = dataset.graphs();
    const set = await mineRules(train, { random: createRandom('test'), rounds: 2 });
    await mkdir(at('run'));
    await writeFile(at('run', 'state.json'), '{}');
    await writeFile(at('run', 'rules.tsv'), writeRules(set, train));
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('prints the rules of a data set as sentences, with support and three examples', async () => {
    const { code, out, notes } = await rules(at('data'), 'sibling', '--limit', '2');
    expect(code).toBe(0);
    const lines = out.split('\n');
    expect(lines).toHaveLength(10);
    expect(lines.slice(0, 2)).toEqual([
      '1. X sibling Y, if Y sibling X',
      '   72 of 72 predictions are recorded, confidence 0.94',
    ]);
    expect(lines[2]).toMatch(/^ {3}e\.g\. (child \S+) sibling (child \S+): \2 sibling \1$/);
    expect(lines[5]).toBe('2. X sibling Y, if X parent A and Y parent A');
    expect(lines[7]).toMatch(
      /^ {3}e\.g\. (child \S+) sibling (child \S+): \1 parent (parent \d+) and \2 parent \3$/,
    );
    expect(notes).toMatch(/The best 2 of \d+ rules; mined from 108 facts in \d+ rounds?/);
  });

  it('prints them as JSON with keys and counts, of an inverse, too', async () => {
    const { out } = await rules(at('data'), 'parent^-1', '--limit', '1', '--json');
    const { total, rules: listed } = JSON.parse(out);
    expect(total).toBeGreaterThan(1);
    expect(listed).toEqual([
      {
        sentence: expect.stringMatching(/^Y parent X, if /),
        kind: 'path',
        relation: 'parent^-1',
        path: ['parent^-1', expect.stringMatching(/^sibling/)],
        hits: 36,
        predictions: 36,
        confidence: 36 / 41,
        examples: expect.arrayContaining([expect.stringContaining(' parent ')]),
      },
    ]);
  });

  it('prints a rule once, for the relation that is stored', async () => {
    const listed = async (...args: readonly string[]): Promise<string[]> => {
      const { out } = await runFuzzqe('rules', at('run'), '--data', at('data'), '--limit', '1000', ...args);
      return out.split('\n').flatMap((line) => /^\d+\. (.*)/.exec(line)?.[1] ?? []);
    };
    const all = await listed();
    expect(all.filter((rule) => rule.endsWith(', if Y sibling X'))).toEqual(['X sibling Y, if Y sibling X']);
    expect(all).not.toContain('Y sibling X, if X sibling Y');
    expect(await listed('sibling^-1')).toContain('Y sibling X, if X sibling Y');
    // No rule is lost: each of an inverse stands there from its other end.
    const forward = await listed('parent');
    expect(all).toEqual(expect.arrayContaining(forward));
    expect((await listed('parent^-1')).length).toBeGreaterThan(0);
  });

  it('reads the rules of a run with the names of its data set', async () => {
    const { code, out, notes } = await rules(at('run'), '--data', at('data'), '--limit', '1');
    expect(code).toBe(0);
    expect(out).toMatch(/^1\. .* if .*\n {3}\d+ of \d+ predictions/);
    expect(notes).toContain(at('run', 'rules.tsv'));
  });

  it('refuses a run without its data set, rules of another graph, and names that there are not', async () => {
    expect(await rules(at('run'))).toMatchObject({ code: 2, notes: expect.stringContaining('--data') });
    expect(await rules(at('data'), '--data', at('data'))).toMatchObject({ code: 2 });
    const unknown = await rules(at('data'), 'siblings');
    expect(unknown.code).not.toBe(0);
    expect(unknown.notes).toContain('sibling');
    await mkdir(at('other'));
    await writeFile(at('other', 'state.json'), '{}');
    expect((await rules(at('other'), '--data', at('data'))).notes).toContain(
      'expected a file of rules, got none',
    );
    await writeFile(at('other', 'rules.tsv'), 'fuzzqe-rules\t1\t7\t2\t-\n');
    const other = await rules(at('other'), '--data', at('data'));
    expect(other.notes).toContain('rules.tsv:1: the rules are of another graph');
    expect(await rules(at('nothing'))).toMatchObject({ code: 6 });
  });
});
