import { createRandom } from '@fuzzqe/core';
import { structureNames } from '@fuzzqe/core/query';
import { createQueriesBuilder, queryRow, type SampledQueries, sampleQueries } from '@fuzzqe/data';
import { tinyGraph } from '@fuzzqe/data/testing';
import { describe, expect, it } from 'vitest';
import { createBatchLayout } from '../step/batch-layout.ts';
import { tinyBlocksConfig, tinyConfig, tinyModel } from '../testing/tiny-run.ts';
import { createBatchSource, drawDropoutMask, fitBatch } from './batch-source.ts';

const graph = tinyGraph();
const layout = createBatchLayout([{ structure: '1p', count: 200 }]);

/** The 1p queries of a step, each with the answers and the shares it was given. */
function drawn(answers: number) {
  const config = tinyConfig({ answers, projection: 'outer' });
  const source = createBatchSource(
    tinyModel(config),
    config,
    { layout, negatives: 24 },
    { graph, queries: [] },
  );
  const feeds = source.feeds(0);
  const rows = feeds['entityRows']!.data;
  const relations = feeds['relations.0']!.data;
  return Array.from({ length: layout.queries }, (_, query) => {
    const at = layout.anchors + query * answers;
    return {
      truth: [...graph.tails(rows[query]!, relations[query]!)],
      answers: Array.from(rows.subarray(at, at + answers)),
      shares: Array.from(feeds['answerShares']?.data.subarray(query * answers, (query + 1) * answers) ?? [1]),
    };
  });
}

describe('the answers of a batch', () => {
  it.each([1, 2, 3, 8])('are distinct true answers that count alike, at most %d of a query', (atMost) => {
    const queries = drawn(atMost);
    for (const { truth, answers, shares } of queries) {
      const counted = answers.filter((_, i) => shares[i]! > 0);
      expect(counted).toHaveLength(Math.min(atMost, truth.length));
      expect(new Set(counted).size).toBe(counted.length);
      for (const answer of answers) expect(truth).toContain(answer);
      for (const share of shares) expect([0, 1 / counted.length]).toContainEqual(expect.closeTo(share, 6));
    }
    // Both kinds of queries occur: with more answers than are taken, and with fewer.
    expect(queries.some(({ truth }) => truth.length > Math.min(atMost, 3))).toBe(true);
    if (atMost > 1) expect(queries.some(({ truth }) => truth.length < atMost)).toBe(true);
  });

  it('are each drawn about as often as the others', () => {
    const times = new Map<number, number>();
    for (const { truth, answers } of drawn(2))
      if (truth.length === 3)
        for (const answer of answers)
          times.set(truth.indexOf(answer), (times.get(truth.indexOf(answer)) ?? 0) + 1);
    const counts = [...times.values()];
    expect(counts).toHaveLength(3);
    expect(Math.min(...counts)).toBeGreaterThan(0.75 * Math.max(...counts));
  });
});

describe('the facts whose relations are predicted', () => {
  it.each([1, 2, 5])(
    'are those of the links, each as often as the others but for one time: %d of a link',
    (answers) => {
      const config = tinyBlocksConfig({
        ...{ targets: 'facts', links: { pairs: 1 }, batch: { '1p': 200 }, relationPrediction: 1, answers },
      });
      const shape = { layout, negatives: tinyModel(config).entities };
      const feeds = createBatchSource(tinyModel(config), config, shape, { graph, queries: [] }).feeds(3);
      const [rows, relations, links] = ['entityRows', 'relations.0', 'predicted'].map(
        (name) => feeds[name]!.data,
      );
      expect(links).toHaveLength(200 * answers);
      const times = new Map<string, number>();
      links!.forEach((link, i) => {
        const fact = `${link} ${rows![layout.anchors + i]}`;
        times.set(fact, (times.get(fact) ?? 0) + 1);
      });
      const tailsOf = (link: number): Iterable<number> => graph.tails(rows![link]!, relations![link]!);
      const facts = Array.from(links!.keys(), (link) => [...tailsOf(link)].length)
        .slice(0, 200)
        .reduce((sum, count) => sum + count, 0);
      expect(facts).toBeGreaterThan(200);
      for (let link = 0; link < 200; link += 1)
        for (const tail of graph.tails(rows![link]!, relations![link]!)) {
          const drawn = times.get(`${link} ${tail}`) ?? 0;
          expect(Math.abs(drawn - (200 * answers) / facts)).toBeLessThan(1);
          times.delete(`${link} ${tail}`);
        }
      expect(times.size).toBe(0);
    },
  );

  it('are drawn from a random start: of one link, each tail about as often as the others', () => {
    const config = tinyBlocksConfig({
      ...{ targets: 'facts', links: { pairs: 1 }, batch: { '1p': 1 }, relationPrediction: 1, answers: 1 },
    });
    const one = createBatchLayout([{ structure: '1p', count: 1 }]);
    const shape = { layout: one, negatives: tinyModel(config).entities };
    const source = createBatchSource(tinyModel(config), config, shape, { graph, queries: [] });
    const times = [0, 0, 0];
    for (let step = 0; step < 600; step += 1) {
      const feeds = source.feeds(step);
      const [head, fact] = feeds['entityRows']!.data;
      const tails = [...graph.tails(head!, feeds['relations.0']!.data[0]!)];
      if (tails.length === 3) times[tails.indexOf(fact!)]! += 1;
    }
    const links = times.reduce((sum, count) => sum + count);
    expect(links).toBeGreaterThan(60);
    for (const count of times) expect(count).toBeGreaterThan(links / 6);
  });
});

describe('facts that count', () => {
  it('are all tails of the links, by where they are among the scores of all entities', () => {
    const { loss } = tinyBlocksConfig();
    const config = tinyBlocksConfig({
      ...{ targets: 'facts', links: { pairs: 1 }, batch: { '1p': 200 } },
      loss: { ...loss, knownAnswers: 'counted' },
    });
    const { entities } = tinyModel(config);
    const shape = { layout, negatives: entities };
    const feeds = createBatchSource(tinyModel(config), config, shape, { graph, queries: [] }).feeds(3);
    const [rows, relations, facts] = ['entityRows', 'relations.0', 'facts'].map((name) => feeds[name]!.data);
    const expected = Array.from(relations!).flatMap((relation, link) =>
      Array.from(graph.tails(rows![link]!, relation), (tail) => link * entities + tail),
    );
    expect(expected.length).toBeGreaterThan(200);
    expect(Array.from(facts!)).toEqual(expected);
    expect(feeds['factShare']!.data[0]).toBeCloseTo(1 / expected.length, 9);
    expect(feeds['masked']).toBeUndefined();
  });
});

describe('the rejected tails of a link', () => {
  // Of each head of relation 0 two tails that are no facts.
  const rejected = Int32Array.from(
    Array.from({ length: 24 }, (_, head) => [head, 0, (head + 9) % 24, head, 0, (head + 10) % 24]).flat(),
  );
  const feedsOf = (kind: 'shared' | 'own', byDegree: number, given?: Int32Array) => {
    const config = tinyConfig({
      ...{ projection: 'outer', negatives: { kind, count: 6, byDegree, allFrom: 1 } },
    });
    const few = createBatchLayout([{ structure: '1p', count: kind === 'own' ? 200 : 2 }]);
    const material = { graph, queries: [], rejected: given };
    const source = createBatchSource(tinyModel(config), config, { layout: few, negatives: 6 }, material);
    return Array.from({ length: 20 }, (_, step) => ({ feeds: source.feeds(step), queries: few.queries }));
  };

  it.each(['own', 'shared'] as const)(
    'are always among its %s negatives, which are drawn otherwise',
    (kind) => {
      let [judged, found, drawn] = [0, 0, 0];
      const plain = feedsOf(kind, 0.5);
      feedsOf(kind, 0.5, rejected).forEach(({ feeds, queries }, step) => {
        const [rows, relations] = [feeds['entityRows']!.data, feeds['relations.0']!.data];
        const ids = rows.subarray(2 * queries);
        const unforced = plain[step]!.feeds['entityRows']!.data.subarray(2 * queries);
        const weights = feeds['logWeights']!.data;
        for (let query = 0; query < queries; query += 1) {
          const start = kind === 'own' ? 6 * query : 0;
          const sample = (all: ArrayLike<number>): number[] => Array.from(all).slice(start, start + 6);
          if (relations[query] !== 0) {
            if (kind === 'own' && relations[query] !== 1) expect(sample(ids)).toEqual(sample(unforced));
            continue;
          }
          for (const tail of [9, 10].map((step) => (rows[query]! + step) % 24)) {
            judged += 1;
            if (sample(unforced).includes(tail)) drawn += 1;
            const at = sample(ids).indexOf(tail);
            if (at < 0) continue;
            found += 1;
            // It stands for itself.
            expect(sample(weights)[at]).toBe(0);
          }
        }
      });
      expect(judged).toBeGreaterThan(10);
      expect(found).toBe(judged);
      expect(drawn).toBeLessThan(judged / 2);
    },
  );

  it('change nothing where there are none', () => {
    expect(feedsOf('own', 0, new Int32Array())).toEqual(feedsOf('own', 0));
    expect(feedsOf('own', 0, rejected)).not.toEqual(feedsOf('own', 0));
  });
});

describe('known answers that count beside a sample', () => {
  it.each([1, 2])('are as many as the drawn ones stand for, of which there are at most %d', (answers) => {
    const { loss } = tinyConfig();
    const config = tinyConfig({
      answers,
      projection: 'outer',
      loss: { ...loss, knownAnswers: 'counted' },
      negatives: { kind: 'shared', count: 5, byDegree: 0, allFrom: 1 },
    });
    const shape = { layout, negatives: 5 };
    const feeds = createBatchSource(tinyModel(config), config, shape, { graph, queries: [] }).feeds(0);
    const [rows, relations] = [feeds['entityRows']!.data, feeds['relations.0']!.data];
    for (let query = 0; query < layout.queries; query += 1) {
      const logs = feeds['logAnswersFor']!.data.subarray(query * answers, (query + 1) * answers);
      const counts = Array.from(logs, Math.exp);
      const truth = graph.tails(rows[query]!, relations[query]!).length;
      expect(counts.reduce((sum, count) => sum + count)).toBeCloseTo(truth, 4);
      expect(counts.filter((count) => count > 0)).toHaveLength(Math.min(answers, truth));
    }
  });
});

describe('a batch that is fitted to the queries that there are', () => {
  const nothing = Object.fromEntries(structureNames.map((name) => [name, 0]));
  const fitted = (batch: object) => fitBatch({ ...tinyConfig(), batch: { ...nothing, ...batch } }, []);

  it('goes without structures of which there are none', () => {
    const { config, missing } = fitted({ '1p': 4, pi: 8 });
    expect(missing).toEqual(['pi']);
    expect(config.batch).toEqual({ ...nothing, '1p': 4 });
  });

  it.each([
    ['no structure is asked for', {}, /^Give a count to one that has some, such as 1p/],
    ['none that is asked for has queries', { pi: 8, '2p': 1 }, /^There are no training queries of 2p, pi\. /],
  ])('is refused where %s', (_, batch, hint) => {
    expect(() => fitted(batch)).toThrow(
      expect.objectContaining({
        code: 'usage',
        path: '$.batch',
        message: expect.stringContaining('at least one structure with a count above 0'),
        hint: expect.stringMatching(hint),
      }),
    );
  });
});

describe('dropout', () => {
  it.each([0.0005, 1 / 1000, 1 / 256, 0.1, 0.5, 0.95])(
    'drops the share %d, by which the others grow',
    (share) => {
      const size = 1 << 20;
      const kept = drawDropoutMask(size, share, createRandom('dropout', share)).reduce(
        (sum, each) => sum + each,
        0,
      );
      const deviation = Math.sqrt(size * share * (1 - share));
      expect(Math.abs(size * (1 - share) - kept)).toBeLessThan(4 * deviation);
      expect(kept).toBeLessThan(size);
    },
  );

  it('draws the same for the same stream, and not the same for every element', () => {
    const draw = (): number[] => Array.from(drawDropoutMask(1000, 0.3, createRandom('dropout')));
    expect(draw()).toEqual(draw());
    expect(new Set(draw())).toEqual(new Set([0, 1]));
  });
});

describe('training queries without answers', () => {
  const config = tinyConfig({ batch: { '2i': 50 }, projection: 'outer' });
  const withAnswers = async (isAnswered: (row: number) => boolean) => {
    const pool = await sampleQueries({
      ...{ structure: '2i' as const, count: 10, smaller: null, larger: graph },
      ...{ random: createRandom('unanswered'), patience: 500 },
    });
    const builder = createQueriesBuilder(pool.shape);
    for (let row = 0; row < pool.count; row += 1) {
      const query = queryRow(pool, row);
      // Entity 0 is the answer of none, so that it can only come from a hole.
      const easy = query.easy.filter((id) => id !== 0);
      builder.add({ ...query, easy: isAnswered(row) ? easy : [] });
    }
    return builder.build();
  };
  const answersIn = (pool: SampledQueries) => {
    const layout = createBatchLayout([{ structure: '2i', count: 50 }]);
    const source = createBatchSource(
      tinyModel(config),
      config,
      { layout, negatives: 24 },
      { graph, queries: [pool] },
    );
    return Array.from(source.feeds(0)['entityRows']!.data).slice(layout.anchors, layout.anchors + 50);
  };

  it('are never drawn', async () => {
    const pool = await withAnswers((row) => row % 2 === 1);
    expect(answersIn(pool)).not.toContain(0);
  });

  it('are as good as none: their structure is left out, or refused', async () => {
    const pool = await withAnswers(() => false);
    expect(() => answersIn(pool)).toThrow(/asks for 2i queries, but none were sampled/);
    expect(fitBatch({ ...config, batch: { '1p': 4, '2i': 4 } }, [pool])).toMatchObject({
      missing: ['2i'],
      config: { batch: { '1p': 4, '2i': 0 } },
    });
  });
});
