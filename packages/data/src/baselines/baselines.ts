import type { KnowledgeGraph } from '@fuzzqe/core';
import { createAnswerer, type Template } from '@fuzzqe/core/query';
import type { QueryStructure } from '../queries/query-structure.ts';

/**
 * Scores every entity as an answer to each of a batch of queries of one structure.
 *
 * Shapes: anchors [rows × anchors of the structure], relations [rows × relations], the result [rows × entities]. The
 * result may be the scorer's own: it holds until the next call.
 */
export type QueryScorer = (
  structure: QueryStructure,
  anchors: Int32Array,
  relations: Int32Array,
  rows: number,
) => Promise<Float32Array>;

/** Something that answers queries without having learned. */
export interface Baseline {
  readonly name: string;
  readonly score: QueryScorer;
}

/**
 * What a graph database gives: 1 for the exact answers on the known graph, 0 for all other entities.
 *
 * No hard answer is an exact answer on the known graph, so its figures are those of chance: they show that the
 * evaluation asks only for what is not known.
 *
 * @example
 * const { score } = createTraversalBaseline(dataset.graphs().train);
 */
export function createTraversalBaseline(known: KnowledgeGraph): Baseline {
  const answerer = createAnswerer(known);
  return {
    name: 'traversal',
    score: scorerOf(known, (template, anchors, relations, scores) => {
      answerer.answer(template, anchors, relations).forEach((entity) => {
        scores[entity] = 1;
      });
    }),
  };
}

/**
 * Ranks entities by how often the relations that lead to the answer lead to them at all, whatever the anchors.
 *
 * Formula: `f_r(t) = (|{h : (h, r, t) ∈ G}| + 1 / |E|) / (|{(h, r, t') ∈ G}| + 2)`: the share of the edges, with one
 * more spread over all entities so that nothing is impossible. For a query, `s(P_r q) = f_r`, `s(or) = Σ s(operand)`,
 * and `s(and) = ∏ s(operand)` over the operands that are not negated.
 * A model that is no better than this has learned which entities are frequent, and no more.
 *
 * @example
 * const { score } = createFrequencyBaseline(dataset.graphs().train);
 */
export function createFrequencyBaseline(known: KnowledgeGraph): Baseline {
  const frequency = createFrequencies(known);
  const scoreOf = (template: Template, relations: Int32Array): Float32Array => {
    switch (template.op) {
      case 'entity':
      case 'not':
        // Neither says how often an entity is an answer; as an operand it leaves the others as they are.
        return new Float32Array(known.entityCount).fill(1);
      case 'project':
        return frequency(relations[template.relation]!).slice();
      default: {
        const combine = template.op === 'and' ? multiplyInto : addInto;
        return template.operands.map((operand) => scoreOf(operand, relations)).reduce(combine);
      }
    }
  };
  return {
    name: 'frequency',
    score: scorerOf(known, (template, _anchors, relations, scores) => {
      scores.set(scoreOf(template, relations));
    }),
  };
}

/**
 * What is known first, then what is frequent: the floor that a model has to beat.
 *
 * Formula: `s(e) = [e]`; `s(P_r q)(t) = 1` if a known edge r leads to t from an entity that certainly answers q, else
 * `f_r(t)` of the frequency baseline; `s(and) = ∏`, `s(or) = max`, `s(not q) = 0` where q is certain, else 1.
 * Certain means score 1. So it uses the facts that are known of one operand to rank the answers of another.
 *
 * @example
 * const { score } = createKnownFactsBaseline(dataset.graphs().train);
 */
export function createKnownFactsBaseline(known: KnowledgeGraph): Baseline {
  const frequency = createFrequencies(known);
  const scoreOf = (template: Template, anchors: Int32Array, relations: Int32Array): Float32Array => {
    switch (template.op) {
      case 'entity': {
        const scores = new Float32Array(known.entityCount);
        scores[anchors[template.anchor]!] = 1;
        return scores;
      }
      case 'project': {
        const relation = relations[template.relation]!;
        const scores = frequency(relation).slice();
        scoreOf(template.from, anchors, relations).forEach((score, head) => {
          if (score === 1) for (const tail of known.tails(head, relation)) scores[tail] = 1;
        });
        return scores;
      }
      case 'not':
        return scoreOf(template.operand, anchors, relations).map((score) => (score === 1 ? 0 : 1));
      default: {
        const combine = template.op === 'and' ? multiplyInto : maximumInto;
        return template.operands.map((operand) => scoreOf(operand, anchors, relations)).reduce(combine);
      }
    }
  };
  return {
    name: 'known facts',
    score: scorerOf(known, (template, anchors, relations, scores) => {
      scores.set(scoreOf(template, anchors, relations));
    }),
  };
}

/** f_r for each relation, computed when it is first asked for. */
function createFrequencies(graph: KnowledgeGraph): (relation: number) => Float32Array {
  const all = new Map<number, Float32Array>();
  return (relation) => {
    const computed = all.get(relation);
    if (computed !== undefined) return computed;
    const frequency = new Float32Array(graph.entityCount);
    let edges = 0;
    for (const tail of graph.headsOf(relation ^ 1)) {
      frequency[tail] = graph.tails(tail, relation ^ 1).length;
      edges += frequency[tail]!;
    }
    // Two more than there are: no frequency is 1, which means certain, even where a relation has one edge.
    const shares = frequency.map((uses) => (uses + 1 / graph.entityCount) / (edges + 2));
    all.set(relation, shares);
    return shares;
  };
}

type FillScores = (
  template: Template,
  anchors: Int32Array,
  relations: Int32Array,
  scores: Float32Array,
) => void;

/** A scorer from a function that fills the scores of one query, which are 0 when it is called. */
function scorerOf(graph: KnowledgeGraph, fill: FillScores): QueryScorer {
  return async (structure, anchors, relations, rows) => {
    const { template, anchors: a, relations: r } = structure;
    const scores = new Float32Array(rows * graph.entityCount);
    for (let row = 0; row < rows; row++) {
      fill(
        template,
        anchors.subarray(row * a, (row + 1) * a),
        relations.subarray(row * r, (row + 1) * r),
        scores.subarray(row * graph.entityCount, (row + 1) * graph.entityCount),
      );
    }
    return scores;
  };
}

function multiplyInto(left: Float32Array, right: Float32Array): Float32Array {
  for (let i = 0; i < left.length; i++) left[i]! *= right[i]!;
  return left;
}

function addInto(left: Float32Array, right: Float32Array): Float32Array {
  for (let i = 0; i < left.length; i++) left[i]! += right[i]!;
  return left;
}

function maximumInto(left: Float32Array, right: Float32Array): Float32Array {
  for (let i = 0; i < left.length; i++) left[i] = Math.max(left[i]!, right[i]!);
  return left;
}
