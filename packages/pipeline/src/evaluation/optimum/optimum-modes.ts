import type { KnowledgeGraph } from '@fuzzqe/core';
import type { Query } from '@fuzzqe/core/query';
import type { LinkScores } from '@fuzzqe/evidence';
import { degreesOfAssignments, type NormName, type OptimumWay } from './degrees-of-assignments.ts';
import { calibratedRating, createLinkRows, sigmoidRating } from './link-rows.ts';

/**
 * The ways to answer by the best assignment of entities to variables, which evaluation alone has: CQD-beam with the product or the
 * minimum, and QTO.
 */
export const optimumModes = ['beam-product', 'beam-min', 'qto'] as const;
export type OptimumMode = (typeof optimumModes)[number];

/** How many entities CQD-beam keeps of a variable if nothing else is said. */
export const usualBeam = 64;

/** α of QTO: a link that may be true takes more from a negation than its degree. */
const negationScale = 3;

/** What an optimum is computed from. */
export interface OptimumTask {
  readonly mode: OptimumMode;
  /** The scores of links. */
  readonly scores: LinkScores;
  /** By what scores are multiplied to be logits: the family's `linkTemperature`. */
  readonly temperature: number;
  /** The recorded facts. CQD-beam does not use them. */
  readonly facts: KnowledgeGraph;
  /** Of CQD-beam. Default `usualBeam`. */
  readonly beam?: number | undefined;
}

/**
 * Answers queries by the best assignments: degrees of all entities.
 *
 * - `beam-product`, `beam-min`: links have `σ(τ s)`, variables keep `beam` entities, and ¬ is 1 − x of its operand.
 * - `qto`: links have calibrated shares, recorded facts 1, variables keep all entities, and ¬ of a link is `1 − min(1, α x)`.
 *
 * Shapes: n queries → [|E|] each.
 */
export function optimumDegrees({
  mode,
  scores,
  temperature,
  facts,
  beam = usualBeam,
}: OptimumTask): (queries: readonly Query[]) => Promise<readonly Float32Array[]> {
  const isExact = mode === 'qto';
  const norm: NormName = mode === 'beam-min' ? 'min' : 'product';
  const way: OptimumWay = isExact
    ? { norm, negatesLinks: true, negated: (degree) => 1 - Math.min(1, negationScale * degree) }
    : { norm, beam, negatesLinks: false, negated: (degree) => 1 - degree };
  const rating = isExact ? calibratedRating(temperature, facts) : sigmoidRating(temperature);
  const links = createLinkRows(facts.entityCount, scores, rating);
  return async (queries) => {
    const found: Float32Array[] = [];
    for (const query of queries) found.push(await degreesOfAssignments(links, way, query));
    return found;
  };
}
