import type { KnowledgeGraph, Random } from '@fuzzqe/core';
import type { LinkScores } from '@fuzzqe/evidence';

/** The links by which logits of models are compared. */
export interface SampledLinks {
  readonly heads: Int32Array;
  readonly relations: Int32Array;
}

/** Links of as many facts, drawn with replacement, half of them against their direction. */
export function sampleLinks(graph: KnowledgeGraph, count: number, random: Random): SampledLinks {
  const triples = graph.forwardTriples();
  const facts = triples.length / 3;
  const [heads, relations] = [new Int32Array(count), new Int32Array(count)];
  for (let i = 0; i < count; i += 1) {
    const at = 3 * random.below(facts);
    const backwards = i % 2;
    heads[i] = triples[at + 2 * backwards]!;
    relations[i] = triples[at + 1]! + backwards;
  }
  return { heads, relations };
}

/**
 * How far the logits of a link's entities lie apart: the mean over links of the standard deviation over entities.
 *
 * `mean over (h, r) of √(Σ_e (s(h, r, e) − mean s)² / |E|)`, of a model by blocks, whose scores s are logits at τ = 1.
 */
export async function logitDeviation(
  scores: LinkScores,
  { heads, relations }: SampledLinks,
  entityCount: number,
): Promise<number> {
  let total = 0;
  for (let start = 0; start < heads.length; start += linksAtOnce) {
    const end = Math.min(heads.length, start + linksAtOnce);
    const found = await scores(heads.subarray(start, end), relations.subarray(start, end));
    for (let row = 0; row < end - start; row += 1)
      total += deviation(found.subarray(row * entityCount, (row + 1) * entityCount));
  }
  return total / heads.length;
}

/** How many links have their scores in memory together. */
const linksAtOnce = 32;

function deviation(values: Float32Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return Math.sqrt(squares / values.length);
}
