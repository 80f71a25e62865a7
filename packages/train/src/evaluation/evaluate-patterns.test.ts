import { asEntityId, asRelationId } from '@fuzzqe/core';
import type { AnsweredPattern } from '@fuzzqe/data';
import { describe, expect, it } from 'vitest';
import { evaluatePatterns, type PatternRanker } from './evaluate-patterns.ts';

const entityCount = 10;
const asked = (type: string, easy: readonly number[], hard: readonly number[]): AnsweredPattern => ({
  type,
  pattern: {
    variables: ['x'],
    answers: [0],
    where: { op: 'link', relation: asRelationId(0), from: { entity: asEntityId(0) }, to: { variable: 0 } },
  },
  easy: Int32Array.from(easy),
  hard: Int32Array.from(hard),
});
/** Ranks the entities of a list by falling degrees, without the excluded entities. */
const ranking =
  (order: readonly number[], exact = true): PatternRanker =>
  async (_pattern, { k, excluded }) => {
    const ids = Int32Array.from(order.filter((id) => !excluded.includes(id)).slice(0, k));
    return { ids, degrees: Float32Array.from(ids, (_, place) => 1 / (place + 1)), exact };
  };

describe('the evaluation of patterns', () => {
  it('ranks hard answers without the other answers, and gives the last place to what was not found', async () => {
    const patterns = [asked('2m', [1], [3, 5]), asked('2m', [], [9])];
    const report = await evaluatePatterns({ patterns, rank: ranking([1, 3, 4, 5]), entityCount });
    // 3 is first, since 1 is easy; 5 comes after 4, since 3 is an answer; 9 was not found, so that it is the last of ten.
    const mrr = ((1 + 1 / 2) / 2 + 1 / 10) / 2;
    expect(report['2m']).toMatchObject({ queries: 2, answers: 3, exact: 2 });
    expect(report['2m']!.mrr).toBeCloseTo(mrr, 12);
    expect(report['2m']!.hits1).toBeCloseTo(1 / 4, 12);
    // Another ranking has other figures.
    const other = await evaluatePatterns({ patterns, rank: ranking([9, 5, 3]), entityCount });
    expect(other['2m']!.mrr).not.toBeCloseTo(mrr, 2);
  });

  it('gives the figures of each type, those with the name of a structure too, and counts what was exact', async () => {
    const patterns = [asked('3c', [], [2]), asked('pni', [], [4]), asked('3c', [], [4])];
    const report = await evaluatePatterns({ patterns, rank: ranking([4, 2], false), entityCount });
    expect(Object.keys(report)).toEqual(['3c', 'pni']);
    expect(report).toMatchObject({
      '3c': { queries: 2, exact: 0, mrr: 0.75 },
      pni: { queries: 1, exact: 0, mrr: 1 },
    });
  });

  it('is refused without patterns, and ends when the signal is raised', async () => {
    const rank = ranking([1]);
    await expect(evaluatePatterns({ patterns: [], rank, entityCount })).rejects.toMatchObject({
      code: 'data',
    });
    const stopped = { patterns: [asked('2m', [], [1])], rank, entityCount, signal: AbortSignal.abort() };
    await expect(evaluatePatterns(stopped)).rejects.toMatchObject({ code: 'interrupted' });
  });
});
