import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import {
  isWeightedSample,
  logProposals,
  maskAnswers,
  negativesNames,
  negativesOf,
  negativesWidth,
} from './negatives.ts';

const entities = 11;
const graph = createKnowledgeGraph({
  entityCount: entities,
  relationCount: 2,
  triples: Int32Array.from([0, 0, 1]),
});
const answers = [[3, 7], [0], [10, 3, 5]].map((ids) => Int32Array.from(ids));

describe.each(negativesNames)('negatives of the kind %s', (kind) => {
  const { scope, open } = negativesOf({ kind });
  const width = negativesWidth({ kind, count: 6 }, entities);
  const draw = (seed: number) => open({ count: 6, byDegree: 0 }, graph)(answers.length, createRandom(seed));
  /** What each query is compared with, column by column. */
  const compared = (ids: Int32Array, row: number): number[] => {
    if (scope === 'all') return Array.from({ length: entities }, (_, id) => id);
    return Array.from(scope === 'batch' ? ids : ids.subarray(row * width, (row + 1) * width));
  };

  it('are as many as is said, entities of the graph, and the same for the same seed', () => {
    const ids = draw(1);
    expect(ids).toHaveLength({ all: 0, batch: width, query: answers.length * width }[scope]);
    for (const id of ids) expect(id).toBeGreaterThanOrEqual(0);
    for (const id of ids) expect(id).toBeLessThan(entities);
    expect(draw(1)).toEqual(ids);
    if (scope !== 'all') expect(draw(2)).not.toEqual(ids);
  });

  it('are masked where they answer the query', () => {
    let found = 0;
    for (let seed = 0; seed < 20; seed += 1) {
      const ids = draw(seed);
      const masked = maskAnswers(scope, answers, ids, { width, entities });
      answers.forEach((truth, row) => {
        compared(ids, row).forEach((id, column) => {
          expect(masked[row * width + column]).toBe(truth.includes(id) ? 1 : 0);
          found += masked[row * width + column]!;
        });
      });
    }
    expect(found).toBeGreaterThan(20);
  });

  it('are never more than there are entities', () => {
    expect(negativesWidth({ kind, count: entities }, entities)).toBe(entities);
    const tooMany = (): number => negativesWidth({ kind, count: entities + 1 }, entities);
    if (scope === 'all') expect(tooMany()).toBe(entities);
    else expect(tooMany).toThrow(/at most \|E\| = 11 negatives, got 12/);
  });
});

it.each(negativesNames.filter((kind) => kind !== 'all'))('draws every entity alike for %s', (kind) => {
  const times = new Float64Array(entities);
  const ids = negativesOf({ kind }).open({ count: 4000, byDegree: 0 }, graph)(1, createRandom('alike'));
  for (const id of ids) times[id]! += entities / ids.length;
  expect(Math.min(...times)).toBeGreaterThan(0.8);
  expect(Math.max(...times)).toBeLessThan(1.2);
});

/** Entity e has e facts, and the last one none. */
const uneven = createKnowledgeGraph({
  entityCount: 7,
  relationCount: 2,
  triples: Int32Array.from([1, 0, 5, 2, 0, 4, 2, 0, 5, 3, 0, 4, 3, 0, 5, 4, 0, 4, 5, 0, 5]),
});

describe.each(['shared', 'own'] as const)('%s negatives by degree', (kind) => {
  const sample = { kind, count: 40_000, byDegree: 0.6 };
  const ids = negativesOf(sample).open(sample, uneven)(1, createRandom('degree'));

  it('are drawn as often as they have facts, the rest alike', () => {
    const times = new Float64Array(7);
    for (const id of ids) times[id]! += 1 / sample.count;
    times.forEach((share, entity) => {
      expect(share).toBeCloseTo(0.6 * (uneven.degree(entity) / uneven.edgeCount) + 0.4 / 7, 2);
    });
    expect(times[5]).toBeGreaterThan(3 * times[6]!);
  });

  it('stand for all entities, each with its weight', () => {
    const weights = logProposals(sample, uneven)!;
    const value = (id: number): number => 1 + uneven.degree(id) ** 3;
    const all = Array.from({ length: 7 }, (_, id) => value(id)).reduce((a, b) => a + b);
    const estimate = ids.reduce((sum, id) => sum + Math.exp(weights[id]!) * value(id), 0);
    expect(estimate / all).toBeCloseTo(1, 1);
    expect(ids.reduce((sum, id) => sum + (7 / sample.count) * value(id), 0) / all).not.toBeCloseTo(1, 1);
  });

  it('have no weights where all are drawn alike', () => {
    expect(isWeightedSample({ kind, byDegree: 0 })).toBe(false);
    expect(logProposals({ ...sample, byDegree: 0 }, uneven)).toBeUndefined();
    expect(logProposals({ ...sample, kind: 'all' }, uneven)).toBeUndefined();
  });
});
