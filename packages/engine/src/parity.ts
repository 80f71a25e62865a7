import {
  type Golden,
  type GoldenCase,
  instantiate,
  type StructureName,
  structureNames,
  structures,
  type Tolerance,
} from '@fuzzqe/core';
import { type Comparison, compareNumbers, compareRankings } from './compare.ts';
import type { Engine } from './engine.ts';
import type { PlanChoice } from './plan.ts';
import type { Ranking } from './run-plan.ts';

/** How far apart two runtimes may be. */
export interface ParityTolerances {
  readonly embedding: Tolerance;
  readonly score: Tolerance;
}

/** The worst of all golden cases of one structure, answered in one way. */
export interface ParityRow {
  readonly structure: StructureName;
  /** By the structure's own graph, or by operators. */
  readonly by: 'structure' | 'operators';
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
 * Compares an engine's answers with the golden cases, through structure graphs and through composed operators.
 *
 * Embeddings and scores within tolerance, and the same entities in the same order outside ties. A structure
 * without a golden case is a failed row: what is not compared is not known to be right.
 * @throws FuzzError `runtime`: the engine cannot answer at all.
 */
export async function checkParity(
  engine: Engine,
  golden: Golden,
  tolerances: ParityTolerances = engine.manifest.tolerances,
): Promise<ParityReport> {
  const rows: ParityRow[] = [];
  for (const structure of structureNames) {
    const cases = golden.cases.filter((entry) => entry.structure === structure);
    for (const by of ['structure', 'operators'] as const) {
      const choice: PlanChoice = by === 'structure' ? 'auto' : 'operators';
      rows.push({ structure, by, ...(await checkCases(engine, cases, choice, tolerances)) });
    }
  }
  return {
    runtime: engine.runtime,
    profile: engine.profile,
    passed: rows.every((row) => row.passed),
    rows,
  };
}

async function checkCases(
  engine: Engine,
  cases: readonly GoldenCase[],
  plan: PlanChoice,
  tolerances: ParityTolerances,
): Promise<Omit<ParityRow, 'structure' | 'by'>> {
  const embeddings: Comparison[] = [];
  const scores: Comparison[] = [];
  const failures: string[] = [];
  if (cases.length === 0) failures.push('no golden case');
  for (const [number, entry] of cases.entries()) {
    const [ranking] = await engine.rank(
      [instantiate(structures[entry.structure].template, entry.anchors, entry.relations)],
      { k: entry.ids.length, plan },
    );
    const { embedding, score } = compareCase(ranking!, entry, tolerances);
    embeddings.push(embedding);
    scores.push(score);
    if (!embedding.passed) failures.push(`case ${number}: embedding ${embedding.failure}`);
    else if (!score.passed) failures.push(`case ${number}: ${score.failure}`);
  }
  return {
    cases: cases.length,
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
