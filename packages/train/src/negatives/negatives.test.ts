import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { maskAnswers, negativesNames, negativesOf, negativesWidth } from './negatives.ts';

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
  const draw = (seed: number) => open(6, graph)(answers.length, createRandom(seed));
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
  const ids = negativesOf({ kind }).open(4000, graph)(1, createRandom('alike'));
  for (const id of ids) times[id]! += entities / ids.length;
  expect(Math.min(...times)).toBeGreaterThan(0.8);
  expect(Math.max(...times)).toBeLessThan(1.2);
});
