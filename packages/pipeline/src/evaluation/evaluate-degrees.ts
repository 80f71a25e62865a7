import { expectOptions, FuzzError } from '@fuzzqe/core';
import { type QueryScorer, queryRow, type SampledQueries } from '@fuzzqe/data';
import { brierOf, reliabilityOf, type StatedReliability } from '@fuzzqe/evidence';

/** What is judged, on which queries. */
export interface DegreesTask {
  /** Queries that no held-out fact has selected: `sampleUnselected`. */
  readonly queries: readonly SampledQueries<string>[];
  /** Gives degrees in [0, 1]. */
  readonly score: QueryScorer;
  readonly entityCount: number;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** How the degrees of some queries' unrecorded answers compare with what held-out facts confirm. */
export interface DegreesReport extends StatedReliability {
  readonly queries: number;
  /** The mean of (degree − outcome)² over the candidates. */
  readonly brier: number;
  /** The same if each candidate had the share that came true as its degree: a model below it tells candidates apart. */
  readonly brierOfShare: number;
  /** Hard answers of a lower degree than `leastTold`: they are no candidates. */
  readonly untold: number;
}

/** The reports of each structure, and of all candidates together. */
export interface DegreesReports {
  readonly structures: Readonly<Record<string, DegreesReport>>;
  readonly all: DegreesReport;
}

/** From this degree on an entity is told: lower degrees are no suggestion. */
export const leastTold = 0.01;

/** The degrees of candidates, the entities that would be told and are not recorded, and which of them came true. */
export interface JudgedCandidates {
  /** Takes the degrees of one query, [entities], with its easy and hard answers; ascending ids. */
  add(degrees: Float32Array, easy: Int32Array, hard: Int32Array): void;
  report(): DegreesReport;
}

/** Starts a comparison of degrees with outcomes. */
export function judgeCandidates(): JudgedCandidates {
  const [said, found]: [number[], number[]] = [[], []];
  let [queries, untold] = [0, 0];
  return {
    add(degrees, easy, hard) {
      const [recorded, missing] = [new Set(easy), new Set(hard)];
      queries += 1;
      untold += hard.filter((id) => degrees[id]! < leastTold).length;
      degrees.forEach((degree, id) => {
        if (degree < leastTold || recorded.has(id)) return;
        said.push(degree);
        found.push(missing.has(id) ? 1 : 0);
      });
    },
    report() {
      const reliability = reliabilityOf(said, found);
      const share = reliability.found / Math.max(1, reliability.count);
      const brier = { brier: brierOf(said, found), brierOfShare: share * (1 - share) };
      return { ...reliability, queries, ...brier, untold };
    },
  };
}

/**
 * Holds the degrees of unrecorded answers against what held-out facts confirm, on queries that no held-out fact has selected.
 *
 * Candidates are the entities of degree 0.01 or more that are no easy answer. `count` and `found` are theirs.
 *
 * @throws FuzzError `data`: no queries. `interrupted`: the signal was raised.
 * @example
 * import { openRunAsSets } from '@fuzzqe/pipeline';
 * const { score } = await openRunAsSets('runs/mine', { trained: graph, facts: graph, threads: 2 });
 * const { all } = await evaluateDegrees({ queries, score, entityCount: graph.entityCount });
 */
export async function evaluateDegrees(task: DegreesTask): Promise<DegreesReports> {
  expectOptions('evaluateDegrees', task, ['queries', 'score', 'entityCount']);
  const { queries, score, entityCount, onProgress, signal } = task;
  const total = queries.reduce((sum, { count }) => sum + count, 0);
  if (total === 0)
    throw new FuzzError('data', 'evaluation: expected queries, got none', {
      hint: 'Sample unselected queries first: fuzzqe data sample --unselected.',
    });
  const ofAll = judgeCandidates();
  const structures = new Map<string, JudgedCandidates>();
  const atOnce = Math.max(1, Math.floor(2 ** 22 / entityCount));
  let done = 0;
  for (const part of queries) {
    const ofPart = structures.get(part.structure) ?? judgeCandidates();
    structures.set(part.structure, ofPart);
    const { anchors, relations } = part.shape;
    for (let start = 0; start < part.count; start += atOnce) {
      if (signal?.aborted)
        throw new FuzzError('interrupted', `evaluation: stopped at ${done} of ${total} queries`);
      const end = Math.min(part.count, start + atOnce);
      const degrees = await score(
        part.shape,
        part.anchors.subarray(start * anchors, end * anchors),
        part.relations.subarray(start * relations, end * relations),
        end - start,
      );
      for (let row = start; row < end; row += 1) {
        const { easy, hard } = queryRow(part, row);
        const ofRow = degrees.subarray((row - start) * entityCount, (row - start + 1) * entityCount);
        for (const judged of [ofAll, ofPart]) judged.add(ofRow, easy, hard);
      }
      done += end - start;
      onProgress?.(done, total);
    }
  }
  const reports = [...structures].map(([name, judged]) => [name, judged.report()] as const);
  return { structures: Object.fromEntries(reports), all: ofAll.report() };
}
