import type { KnowledgeGraph, Random } from '@fuzzqe/core';
import type { ModelConfig, Parameters } from '@fuzzqe/core/model';
import { queriesAtOnce } from '../evaluation/queries-at-once.ts';
import { openOperators } from '../training/scorer-operators.ts';

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
 * How far the logits of a link's entities lie apart: the mean over links of their standard deviation over entities.
 *
 * `mean over (h, r) of 2d √(Σ_e (φ(h, r, e) − mean φ)² / |E|)`, of a model by blocks; φ of (8), and 2d as in a softmax over entities at τ = 1.
 */
export async function logitDeviation(
  model: ModelConfig,
  parameters: Parameters,
  { links, threads }: { readonly links: SampledLinks; readonly threads: number },
): Promise<number> {
  const operators = await openOperators(model, threads);
  try {
    await operators.load(parameters);
    const count = links.heads.length;
    const atOnce = queriesAtOnce(model.entities);
    let total = 0;
    for (let start = 0; start < count; start += atOnce) {
      const rows = Math.min(atOnce, count - start);
      const part = (of: Int32Array): Int32Array => of.subarray(start, start + rows);
      const heads = operators.entities(part(links.heads));
      const scores = await operators.score(await operators.project(heads, part(links.relations)));
      for (let row = 0; row < rows; row += 1)
        total += deviation(scores.subarray(row * model.entities, (row + 1) * model.entities));
    }
    return (2 * model.dimension * total) / count;
  } finally {
    await operators.close();
  }
}

function deviation(values: Float32Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return Math.sqrt(squares / values.length);
}
