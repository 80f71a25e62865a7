import { createRandom } from '@fuzzqe/core';
import { structureNames } from '@fuzzqe/core/query';
import {
  createLinkCounter,
  knownHalves,
  loadCountries,
  noDerivation,
  type QueryScorer,
  queryRow,
  type SampledQueries,
  sampleQueries,
  structureOf,
} from '@fuzzqe/data';
import { smallEntityCount, smallGraphs } from '@fuzzqe/data/testing';
import { describe, expect, it } from 'vitest';
import { evaluateRanking } from './evaluate-ranking.ts';

/** Two 1p queries over six entities. */
const queries: SampledQueries = {
  structure: '1p',
  shape: structureOf('1p'),
  count: 2,
  anchors: Int32Array.of(0, 5),
  relations: Int32Array.of(0, 2),
  easy: { offsets: Int32Array.of(0, 1, 1), ids: Int32Array.of(1) },
  hard: { offsets: Int32Array.of(0, 2, 3), ids: Int32Array.of(2, 3, 4) },
};
const byAnchor: Record<number, readonly number[]> = {
  // Easy 1 is filtered. Hard 2: only 5 and 3 are as good or better, and 3 is an answer, so it ties with 5: rank 1.5.
  // Hard 3: 0 and 4 tie with it below 5, and 2 is filtered: 1 + 1 + 2 / 2 = 3.
  0: [0.2, 0.9, 0.7, 0.2, 0.2, 0.7],
  // Hard 4 is the best: rank 1.
  5: [0, 0, 0, 0, 1, 0.5],
};
const score: QueryScorer = async (_structure, anchors) =>
  Float32Array.from([...anchors].flatMap((anchor) => byAnchor[anchor]!));

describe('the evaluation', () => {
  it('gives what is computed by hand', async () => {
    const report = await evaluateRanking({ queries: [queries], score, entityCount: 6 });
    const first = (1 / 1.5 + 1 / 3) / 2;
    expect(report.structures['1p']).toMatchObject({
      queries: 2,
      answers: 3,
      hits1: 0.5,
      hits3: 1,
      hits10: 1,
    });
    expect(report.structures['1p']!.mrr).toBeCloseTo((first + 1) / 2, 12);
    expect(report.withoutNegation!.mrr).toBe(report.structures['1p']!.mrr);
    expect(report.withNegation).toBeUndefined();
  });

  it('shows its progress', async () => {
    const seen: string[] = [];
    const onProgress = (done: number, total: number): number => seen.push(`${done}/${total}`);
    await evaluateRanking({ queries: [queries], score, entityCount: 6, batchSize: 1, onProgress });
    expect(seen).toEqual(['1/2', '2/2']);
  });

  it('refuses what cannot be evaluated', async () => {
    const none = { offsets: Int32Array.of(0, 0, 0), ids: new Int32Array(0) };
    const run = (options: Partial<Parameters<typeof evaluateRanking>[0]>) =>
      evaluateRanking({ queries: [queries], score, entityCount: 6, ...options });
    await expect(run({ queries: [] })).rejects.toMatchObject({ code: 'data' });
    await expect(run({ queries: [{ ...queries, hard: none }] })).rejects.toMatchObject({ code: 'data' });
    await expect(run({ entityCount: 7 })).rejects.toMatchObject({ code: 'shape' });
    await expect(run({ batchSize: 0 })).rejects.toMatchObject({ code: 'range' });
    await expect(run({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'interrupted' });
    await expect(run({ score: async () => new Float32Array(12).fill(Number.NaN) })).rejects.toMatchObject({
      code: 'range',
    });
  });
});

describe('the evaluation of all structures', async () => {
  const { trainValid, full } = loadCountries().graphs();
  const { entityCount } = full;
  const all: SampledQueries[] = [];
  for (const structure of structureNames) {
    const random = createRandom('evaluation', structure);
    all.push(await sampleQueries({ structure, count: 12, smaller: trainValid, larger: full, random }));
  }
  const keyOf = (structure: string, anchors: Iterable<number>, relations: Iterable<number>): string =>
    JSON.stringify([structure, [...anchors], [...relations]]);
  const answers = new Map(
    all.flatMap((part) =>
      Array.from({ length: part.count }, (_, row) => {
        const { anchors, relations, easy, hard } = queryRow(part, row);
        return [keyOf(part.structure, anchors, relations), { easy, hard }] as const;
      }),
    ),
  );
  /** Scores each query by what its true answers are. */
  const scorer =
    (fill: (scores: Float32Array, hard: Int32Array, easy: Int32Array) => void): QueryScorer =>
    async (structure, anchors, relations, rows) => {
      const scores = new Float32Array(rows * entityCount);
      const slots = structure;
      for (let row = 0; row < rows; row++) {
        const of = (ids: Int32Array, width: number) => ids.subarray(row * width, (row + 1) * width);
        const key = keyOf(structure.name, of(anchors, slots.anchors), of(relations, slots.relations));
        const { easy, hard } = answers.get(key)!;
        fill(scores.subarray(row * entityCount, (row + 1) * entityCount), hard, easy);
      }
      return scores;
    };

  it('is the same for every batch size', async () => {
    const noise: QueryScorer = async (structure, anchors, relations, rows) => {
      const slots = structure;
      return Float32Array.from({ length: rows * entityCount }, (_, i) => {
        const row = Math.floor(i / entityCount);
        const anchor = anchors[row * slots.anchors]!;
        return ((anchor + 1) * (relations[row * slots.relations]! + 3) * ((i % entityCount) + 7)) % 97;
      });
    };
    const reports = await Promise.all(
      [1, 5, 64, 1000].map((batchSize) =>
        evaluateRanking({ queries: all, score: noise, entityCount, batchSize }),
      ),
    );
    for (const report of reports) expect(report).toEqual(reports[0]);
    expect(reports[0]!.withNegation!.structures).toHaveLength(5);
  });

  it('gives an oracle 1, however high the known answers score', async () => {
    const oracle = scorer((scores, hard, easy) => {
      for (const entity of hard) scores[entity] = 1;
      for (const entity of easy) scores[entity] = 2;
    });
    const report = await evaluateRanking({ queries: all, score: oracle, entityCount });
    expect([report.withoutNegation!.mrr, report.withNegation!.mrr]).toEqual([1, 1]);
  });

  it('gives next to nothing to who denies the answers, and chance to who cannot tell', async () => {
    const denier = scorer((scores, hard) => {
      for (const entity of hard) scores[entity] = -1;
    });
    const constant = scorer((scores) => scores.fill(0.5));
    const worst = await evaluateRanking({ queries: all, score: denier, entityCount });
    const chance = await evaluateRanking({ queries: all, score: constant, entityCount });
    expect(worst.withoutNegation!.mrr).toBeLessThan(0.002);
    expect(chance.withoutNegation!.mrr).toBeLessThan(0.003);
    expect(chance.withoutNegation!.mrr).toBeGreaterThan(worst.withoutNegation!.mrr);
  });
});

describe('a stratified evaluation', () => {
  it('divides the answers by their missing links', async () => {
    const { smaller, larger } = smallGraphs('strata');
    const random = createRandom('strata');
    const drawn = await sampleQueries({ structure: '3i', count: 40, smaller, larger, random });
    const missing = createLinkCounter(smaller, larger).count(drawn);
    const report = await evaluateRanking({
      queries: [drawn],
      missingLinks: [missing],
      entityCount: smallEntityCount,
      score: async (_structure, _anchors, _relations, rows) =>
        Float32Array.from({ length: rows * smallEntityCount }, (_, i) => i % smallEntityCount),
    });
    const strata = report.strata!['3i']!;
    expect(strata.map(({ missing }) => missing)).toEqual([...new Set(missing)].sort());
    expect(strata.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
    expect(strata.reduce((sum, { answers }) => sum + answers, 0)).toBe(report.structures['3i']!.answers);
    expect(strata.length).toBeGreaterThan(1);
  });

  it('divides them by the half-links of their missing links, and says which lack no place in the graph', async () => {
    const { smaller, larger } = smallGraphs('halves');
    const random = createRandom('halves');
    const drawn = await sampleQueries({ structure: '2p', count: 60, smaller, larger, random });
    const places = createLinkCounter(smaller, larger).halves(drawn);
    places[0] = noDerivation;
    const report = await evaluateRanking({
      queries: [drawn],
      halfLinks: [places],
      entityCount: smallEntityCount,
      score: async (_structure, _anchors, _relations, rows) =>
        Float32Array.from({ length: rows * smallEntityCount }, (_, i) => i % smallEntityCount),
    });
    const halves = report.halves!['2p']!;
    expect(halves.map(({ known, answers }) => [known, answers])).toEqual(
      [...knownHalves, null]
        .map((known, place) => [
          known,
          places.filter((each) => each === (known === null ? noDerivation : place)).length,
        ])
        .filter(([, answers]) => answers !== 0),
    );
    expect(halves.at(-1)).toMatchObject({ known: null, answers: 1 });
    expect(halves.length).toBeGreaterThan(2);
    expect(report.strata).toBeUndefined();
  });
});
