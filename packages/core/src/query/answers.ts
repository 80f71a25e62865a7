import { EntitySet } from '../kg/entity-set.ts';
import { findGroup, type KnowledgeGraph } from '../kg/knowledge-graph.ts';
import { checkQuery } from './check-query.ts';
import type { Query } from './query.ts';
import type { Template } from './structures.ts';
import { templateOf } from './template.ts';

/** Answers many queries on one graph with the same few scratch sets. */
export interface Answerer {
  /**
   * The exact answers of a template whose slots are filled.
   *
   * The set belongs to the answerer and holds until the next call: `clone()` it to keep it. Ids are not checked;
   * an anchor or relation that the graph does not have leads nowhere.
   */
  answer(template: Template, anchors: ArrayLike<number>, relations: ArrayLike<number>): EntitySet;
}

/** The answers of a query that a smaller graph gives, and those that only the larger graph adds. */
export interface EasyAndHard {
  readonly easy: EntitySet;
  readonly hard: EntitySet;
}

/**
 * The exact answers of any query: what set logic gives when the graph is taken to be complete.
 *
 * Formula: `[e] = {e}`, `[P_r q] = {t | h ∈ [q], (h, r, t) ∈ G}`, and is ∩, or is ∪, `[not q] = V \ [q]`.
 *
 * @throws FuzzError `range` or `query`, as `checkQuery` does.
 */
export function answerQuery(graph: KnowledgeGraph, query: Query): EntitySet {
  checkQuery(query, graph);
  const { template, anchors, relations } = templateOf(query);
  return createAnswerer(graph).answer(template, anchors, relations);
}

/**
 * Splits the answers on the larger graph by whether the smaller graph has them.
 *
 * Formula: easy = answers on smaller; hard = answers on larger \ easy. With a negation, easy answers need not be
 * answers on the larger graph.
 * Source: BetaE (NeurIPS 2020), section 5.1.
 */
export function easyAndHard(smaller: KnowledgeGraph, larger: KnowledgeGraph, query: Query): EasyAndHard {
  const easy = answerQuery(smaller, query);
  return { easy, hard: answerQuery(larger, query).subtract(easy) };
}

/** An answerer of queries on `graph`; it allocates nothing a call once it has seen the deepest template. */
export function createAnswerer(graph: KnowledgeGraph): Answerer {
  const { entityCount } = graph;
  // The set of depth d holds the partial result of the d-th operator that is still open.
  const scratch: EntitySet[] = [];
  let anchors: ArrayLike<number> = [];
  let relations: ArrayLike<number> = [];

  const setAt = (depth: number): EntitySet => {
    scratch[depth] ??= new EntitySet(entityCount);
    return scratch[depth];
  };

  /** Leaves the answers of `template` in the scratch set of `depth`. */
  const solve = (template: Template, depth: number): EntitySet => {
    const out = setAt(depth);
    switch (template.op) {
      case 'entity': {
        out.clear();
        const anchor = anchors[template.anchor]!;
        if (anchor < entityCount) out.words[anchor >>> 5]! |= 1 << (anchor & 31);
        return out;
      }
      case 'project': {
        const relation = relations[template.relation]!;
        if (template.from.op === 'entity') {
          // The commonest case needs no set of heads.
          out.clear();
          addTails(graph, findGroup(graph.index, anchors[template.from.anchor]!, relation), out.words);
          return out;
        }
        const heads = solve(template.from, depth + 1);
        out.clear();
        projectSet(graph, heads, relation, out.words);
        return out;
      }
      case 'not':
        return solve(template.operand, depth).complement();
      case 'or':
        template.operands.forEach((operand, i) => {
          if (i === 0) solve(operand, depth);
          else out.unionWith(solve(operand, depth + 1));
        });
        return out;
      case 'and':
        return intersect(template.operands, depth, out);
    }
  };

  /** Positive operands first, so that a negation costs a subtraction and not a complement. */
  const intersect = (operands: readonly Template[], depth: number, out: EntitySet): EntitySet => {
    let started = false;
    for (const operand of operands) {
      if (operand.op === 'not') continue;
      if (started) out.intersectWith(solve(operand, depth + 1));
      else solve(operand, depth);
      started = true;
    }
    if (!started) out.clear().complement();
    for (const operand of operands) {
      if (operand.op === 'not') out.subtract(solve(operand.operand, depth + 1));
    }
    return out;
  };

  return {
    answer(template, anchorIds, relationIds) {
      anchors = anchorIds;
      relations = relationIds;
      return solve(template, 0);
    },
  };
}

/** Adds all that one relation leads to from a set, by way of the members or of the relation's heads if fewer. */
function projectSet(graph: KnowledgeGraph, heads: EntitySet, relation: number, out: Uint32Array): void {
  const { index } = graph;
  const first = index.relationOffsets[relation];
  const last = index.relationOffsets[relation + 1];
  if (first === undefined || last === undefined) return;
  const members = heads.words;
  // Finding a member's group is a binary search, some ten steps; testing a bit is one.
  if (heads.size * 8 < last - first) {
    for (let i = 0; i < members.length; i++) {
      for (let word = members[i]!; word !== 0; word &= word - 1) {
        const head = i * 32 + 31 - Math.clz32(word & -word);
        addTails(graph, findGroup(index, head, relation), out);
      }
    }
    return;
  }
  for (let place = first; place < last; place++) {
    const head = index.relationHeads[place]!;
    if ((members[head >>> 5]! & (1 << (head & 31))) !== 0) {
      addTails(graph, index.relationGroups[place]!, out);
    }
  }
}

function addTails(graph: KnowledgeGraph, group: number, out: Uint32Array): void {
  if (group < 0) return;
  const { tails, groupOffsets } = graph.index;
  const end = groupOffsets[group + 1]!;
  for (let edge = groupOffsets[group]!; edge < end; edge++) {
    const tail = tails[edge]!;
    out[tail >>> 5]! |= 1 << (tail & 31);
  }
}
