import { FuzzError } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { compareRules, type RuleSet } from './rule-set.ts';
import { readRules, writeRules } from './rules-text.ts';

function fuzzErrorOf(run: () => unknown): FuzzError {
  try {
    run();
  } catch (error) {
    if (error instanceof FuzzError) return error;
    throw error;
  }
  throw new Error('expected an error');
}

const graph = { entityCount: 9, relationCount: 4 };
const set: RuleSet = {
  relationCount: 4,
  rules: [
    { kind: 'path', relation: 3, hits: 4, predictions: 9, path: [2] },
    { kind: 'constant', relation: 0, hits: 9, predictions: 9, tail: 8, body: { relation: 1, tail: 0 } },
    { kind: 'path', relation: 0, hits: 2, predictions: 90, path: [2, 3, 1] },
    { kind: 'path', relation: 0, hits: 9, predictions: 9, path: [2, 3] },
  ],
};
const text = [
  'fuzzqe-rules\t1\t9\t4\t-',
  '0\t9\t9\tpath 2 3',
  '0\t9\t9\tconstant 8 1 0',
  '0\t2\t90\tpath 2 3 1',
  '3\t4\t9\tpath 2',
  '',
].join('\n');

describe('the text of rules', () => {
  it('has one line a rule, in one order, whatever their order in the set', () => {
    expect(writeRules(set, graph)).toBe(text);
    expect(writeRules({ ...set, rules: [...set.rules].reverse() }, graph)).toBe(text);
    expect(writeRules(set, { ...graph, digest: 'abc' }).split('\n')[0]).toBe('fuzzqe-rules\t1\t9\t4\tabc');
  });

  it('is read as it was written', () => {
    expect(readRules(text, graph)).toEqual({ relationCount: 4, rules: [...set.rules].sort(compareRules) });
    const none = writeRules({ relationCount: 4, rules: [] }, graph);
    expect(readRules(none, graph)).toEqual({ relationCount: 4, rules: [] });
  });

  it('refuses rules of another graph', () => {
    const other = fuzzErrorOf(() => readRules(text, { ...graph, entityCount: 10, path: 'run/rules.tsv' }));
    expect(other).toMatchObject({ code: 'data', path: 'run/rules.tsv:1' });
    expect(other.message).toContain('another graph: expected 10 entities and 4 relations, got "9" and "4"');
    const written = writeRules(set, { ...graph, digest: 'abc' });
    expect(readRules(written, { ...graph, digest: 'abc' }).rules).toHaveLength(4);
    expect(readRules(written, graph).rules).toHaveLength(4);
    expect(fuzzErrorOf(() => readRules(written, { ...graph, digest: 'def' })).message).toContain(
      'other facts',
    );
    expect(fuzzErrorOf(() => writeRules(set, { entityCount: 9, relationCount: 6 })).code).toBe('range');
  });

  const many = 1_000_000;
  const hostile: readonly (readonly [string, number, string])[] = [
    ['', 1, 'first line'],
    ['fuzzqe-rules\t1\t9\t4\t-', 1, 'line feed'],
    ['fuzzqe-rules\t2\t9\t4\t-\n', 1, 'version 1, got "2"'],
    ['fuzzqe-rules\n', 1, 'version'],
    ['fuzzqe-rules\t1\t9\t4\n', 1, 'first line'],
    ['{"rules": []}\n', 1, 'first line'],
    ['x'.repeat(many), 1, 'first line'],
    [text.replace('path 2 3\n', 'path 2 3\r\n'), 2, 'path r'],
    [text.replace('path 2 3\n', 'path 2 3 \n'), 2, 'path r'],
    [text.replace('path 2 3\n', 'path  2 3\n'), 2, 'path r'],
    [text.replace('path 2 3\n', 'path\n'), 2, 'path r'],
    [text.replace('path 2 3\n', 'paths 2 3\n'), 2, 'path r'],
    [text.replace('path 2 3\n', 'path 2 3 1 0\n'), 2, 'path r'],
    [text.replace('path 2 3\n', 'path 2 03\n'), 2, 'path r'],
    [text.replace('path 2 3\n', `path ${'1'.repeat(many)}\n`), 2, 'path r'],
    [text.replace('path 2 3\n', 'path 2 4\n'), 2, '[0, 4)'],
    [text.replace('path 2 3\n', 'path 2 -3\n'), 2, 'path r'],
    [text.replace('path 2 3\n', 'path 2 3\n\n'), 3, 'path r'],
    [text.replace('constant 8', 'constant 9'), 3, '[0, 9)'],
    [text.replace('constant 8 1 0', 'constant 8 4 0'), 3, '[0, 4)'],
    [text.replace('constant 8 1 0', 'constant 8 1'), 3, 'constant c q d'],
    [text.replace('0\t9\t9\tpath', '4\t9\t9\tpath'), 2, 'relation'],
    [text.replace('0\t9\t9\tpath', '0\t0\t9\tpath'), 2, 'hits'],
    [text.replace('0\t9\t9\tpath', '0\t9\t8\tpath'), 2, 'hits'],
    [text.replace('0\t9\t9\tpath', '0\t9\t9999999999\tpath'), 2, 'hits'],
    [text.replace('0\t9\t9\tpath', '0\t1e1\t99\tpath'), 2, 'path r'],
    [text.replace('\tpath 2 3 1', '\tpath 2 3'), 4, 'each rule once'],
    [text.slice(0, -1), 5, 'line feed'],
  ];
  it('refuses a text of any other form, with its line', () => {
    for (const [bad, line, message] of hostile) {
      const error = fuzzErrorOf(() => readRules(bad, graph));
      expect({ bad: bad.slice(0, 200), path: error.path, said: error.message }).toEqual({
        bad: bad.slice(0, 200),
        path: `rules.tsv:${line}`,
        said: expect.stringContaining(message),
      });
      expect([error.code, error.hint !== undefined]).toEqual(['data', true]);
    }
  });
});
