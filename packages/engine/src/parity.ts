import type { Golden, GoldenCase } from '@fuzzqe/core/bundle';
import { instantiate, type StructureName, structureNames, structures } from '@fuzzqe/core/query';
import { type Comparison, compareNumbers, compareRankings } from './compare.ts';
import type { Engine } from './engine.ts';
import { type PlanWay, planWays } from './plan.ts';
import type { Ranking } from './run-plan.ts';
import { type ParityTolerances, parityTolerances } from './tolerances.ts';

/** The worst of all golden cases of one structure, answered in one way. */
export interface ParityRow {
  readonly structure: StructureName;
  readonly by: PlanWay;
  readonly cases: number;
  readonly passed: boolean;
  /** The first thing that failed; undefined where nothing did. */
  readonly failure: string | undefined;
  readonly embedding: { readonly maxAbsolute: number; readonly maxRelative: number };
  readonly score: { readonly maxAbsolute: number; readonly maxRelative: number };
}

/** What a comparison with the golden cases found. */
export interface ParityReport {
  readonly runtime: string;
  readonly profile: string;
  readonly passed: boolean;
  readonly rows: readonly ParityRow[];
}

/**
 * Compares an engine's answers with the golden cases, in every way that the bundle has graphs for.
 *
 * The program graph takes the cases of all structures together, as mixed as they come; the other ways take one at a
 * time.
 * Embeddings and scores within tolerance, and the same entities in the same order outside ties. A structure
 * without a golden case is a failed row: what is not compared is not known to be right.
 * @throws FuzzError `runtime`: the engine cannot answer at all. `parity`: the manifest's tolerances are too loose.
 */
export async function checkParity(
  engine: Engine,
  golden: Golden,
  tolerances: ParityTolerances = parityTolerances(engine.manifest, engine.profile),
): Promise<ParityReport> {
  const { program, edge } = engine.manifest.profiles[engine.profile]!;
  const ways = planWays.filter(
    (by) => (by !== 'program' || program !== undefined) && (by !== 'edge' || edge !== undefined),
  );
  const answers = new Map<PlanWay, Ranking[]>();
  for (const by of ways) answers.set(by, await rankCases(engine, golden, by));
  const rows: ParityRow[] = [];
  for (const structure of structureNames)
    for (const by of ways) {
      const pairs = golden.cases.flatMap((entry, i) =>
        entry.structure === structure ? [{ entry, ranking: answers.get(by)![i]! }] : [],
      );
      rows.push({ structure, by, ...compareCases(pairs, tolerances) });
    }
  return {
    runtime: engine.runtime,
    profile: engine.profile,
    passed: rows.every((row) => row.passed),
    rows,
  };
}

async function rankCases(engine: Engine, { cases, k }: Golden, by: PlanWay): Promise<Ranking[]> {
  const queries = cases.map((entry) =>
    instantiate(structures[entry.structure].template, entry.anchors, entry.relations),
  );
  const options = { k, plan: by };
  if (by === 'program') return engine.rank(queries, options);
  const rankings: Ranking[] = [];
  for (const query of queries) rankings.push(...(await engine.rank([query], options)));
  return rankings;
}

function compareCases(
  pairs: readonly { readonly entry: GoldenCase; readonly ranking: Ranking }[],
  tolerances: ParityTolerances,
): Omit<ParityRow, 'structure' | 'by'> {
  const embeddings: Comparison[] = [];
  const scores: Comparison[] = [];
  const failures: string[] = [];
  if (pairs.length === 0) failures.push('no golden case');
  for (const [number, { entry, ranking }] of pairs.entries()) {
    const { embedding, score } = compareCase(ranking, entry, tolerances);
    embeddings.push(embedding);
    scores.push(score);
    if (!embedding.passed) failures.push(`case ${number}: embedding ${embedding.failure}`);
    else if (!score.passed) failures.push(`case ${number}: ${score.failure}`);
  }
  return {
    cases: pairs.length,
    passed: failures.length === 0,
    failure: failures[0],
    embedding: worst(embeddings),
    score: worst(scores),
  };
}

function compareCase(
  ranking: Ranking,
  entry: GoldenCase,
  tolerances: ParityTolerances,
): { readonly embedding: Comparison; readonly score: Comparison } {
  return {
    embedding: compareNumbers(ranking.embedding, entry.embedding, tolerances.embedding),
    score: compareRankings(ranking, entry, tolerances.score),
  };
}

function worst(comparisons: readonly Comparison[]): { maxAbsolute: number; maxRelative: number } {
  return {
    maxAbsolute: Math.max(0, ...comparisons.map((comparison) => comparison.maxAbsolute)),
    maxRelative: Math.max(0, ...comparisons.map((comparison) => comparison.maxRelative)),
  };
}
