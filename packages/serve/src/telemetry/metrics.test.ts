import type { RankerCounters } from '@fuzzqe/engine';
import { expect, it } from 'vitest';
import { createMetrics, refusalReasons } from './metrics.ts';

function openMetrics() {
  const metrics = createMetrics({ connections: () => 0, inFlight: () => 0, models: () => [] });
  /** The samples of these names, by their names and labels. */
  const samples = async (pattern: RegExp): Promise<Record<string, number>> => {
    const lines = (await metrics.text())
      .split('\n')
      .filter((line) => !line.startsWith('#') && pattern.test(line));
    return Object.fromEntries(
      lines.map((line) => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at))];
      }),
    );
  };
  return { metrics, samples };
}

it('refusals have a sample for each reason from the beginning on', async () => {
  const { metrics, samples } = openMetrics();
  const requests = Object.fromEntries(
    refusalReasons.map((reason) => [`fuzzqe_refused_total{reason="${reason}"}`, 0]),
  );
  expect(await samples(/^fuzzqe_refused_total/)).toEqual(requests);
  const queries = Object.fromEntries(
    ['overloaded', 'deadline', 'interrupted', 'failed'].map((reason) => [
      `fuzzqe_queries_refused_total{reason="${reason}"}`,
      0,
    ]),
  );
  expect(await samples(/^fuzzqe_queries_refused_total/)).toEqual(queries);
  metrics.refused('key');
  expect(await samples(/="key"/)).toEqual({ 'fuzzqe_refused_total{reason="key"}': 1 });
});

it('totals never go down, and lose nothing of a version that gives way, whenever they are asked for', async () => {
  const ranker = (misses: number, restarts: number) => {
    const counts = { workers: 1, waiting: 2, restarts, cache: { hits: 2 * misses, misses } };
    // What else is counted is asked for by none of these.
    return { counts, counters: counts as unknown as RankerCounters };
  };
  const [one, two, three, short] = [ranker(4, 1), ranker(60, 0), ranker(1, 2), ranker(100, 0)];
  const { metrics, samples } = openMetrics();
  const totals = async (): Promise<number[]> =>
    Object.values(await samples(/_(?:misses|hits|restarts)_total /)).sort((a, b) => a - b);
  metrics.held(one);
  metrics.held(two);
  expect(await totals()).toEqual([1, 64, 128]);
  // What a version counts after the last scrape is not lost.
  one.counts.restarts = 2;
  metrics.left(one);
  metrics.held(three);
  expect(await totals()).toEqual([4, 61 + 4, 2 * 65]);
  // Nor is what one counts that came after that scrape and left before this one.
  metrics.held(short);
  metrics.left(short);
  expect(await totals()).toEqual([4, 165, 330]);
  // A closed one may count no more what its threads had.
  two.counts.cache.misses = 0;
  metrics.left(two);
  metrics.left(three);
  expect(await totals()).toEqual([4, 165, 330]);
  expect(await samples(/^fuzzqe_(?:workers|queue_depth)/)).toEqual({
    fuzzqe_workers: 0,
    fuzzqe_queue_depth: 0,
  });
});
