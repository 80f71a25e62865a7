import type { EntitySet } from '../kg/entity-set.ts';
import { findGroup } from '../kg/fact-rows.ts';
import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import { checkQuery } from './check-query.ts';
import type { Query } from './query.ts';
import { ScratchSet } from './scratch-set.ts';
import type { Template } from './structures.ts';
import { templateOf } from './template.ts';

/** Answers many queries on one graph with the same few scratch sets. */
export interface Answerer {
  /**
   * The exact answers of a template whose slots are filled.
   *
   * The set belongs to the answerer and holds until the next call: `clone()` it to keep it or to write to it. Ids are not checked;
   * an anchor or relation that the graph does not have leads nowhere.
   */
  answer(template: Template, anchors: ArrayLike<number>, relations: ArrayLike<number>): EntitySet;
  /** How many edges all calls so far have looked at. */
  readonly edges: number;
  /** The same with what is cheap where there are few of them; it holds as long. */
  find(template: Template, anchors: ArrayLike<number>, relations: ArrayLike<number>): FoundAnswers;
}

/** The exact answers of a query. */
export interface FoundAnswers {
  /** Not to be written to. */
  readonly set: EntitySet;
  readonly size: number;
  /** The answers in no certain order, not to be written to; undefined where they are more than a 32nd of the entities. */
  readonly listed: Int32Array | undefined;
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
 * @example
 * const recorded = answerQuery(graph, parseQueryText('project(borders, France)', vocabulary));
 * recorded.has(7);
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
 *
 * @throws FuzzError: as `answerQuery`.
 * @example
 * const { train, full } = dataset.graphs();
 * const { easy, hard } = easyAndHard(train, full, queryFromBetaE([7, [3, 5]]));
 */
export function easyAndHard(smaller: KnowledgeGraph, larger: KnowledgeGraph, query: Query): EasyAndHard {
  const easy = answerQuery(smaller, query);
  return { easy, hard: answerQuery(larger, query).subtract(easy) };
}

/** An answerer of queries on `graph`; it allocates nothing a call once it has seen the deepest template. */
export function createAnswerer(graph: KnowledgeGraph): Answerer {
  const { entityCount } = graph;
  // The set of depth d holds the partial result of the d-th operator that is still open.
  const scratch: ScratchSet[] = [];
  const anchor = new Int32Array(1);
  let anchors: ArrayLike<number> = [];
  let relations: ArrayLike<number> = [];
  let edges = 0;

  const setAt = (depth: number): ScratchSet => {
    scratch[depth] ??= new ScratchSet(entityCount);
    return scratch[depth];
  };

  /** Leaves the answers of `template` in the scratch set of `depth`. */
  const solve = (template: Template, depth: number): ScratchSet => {
    const out = setAt(depth);
    switch (template.op) {
      case 'entity': {
        out.clear();
        const id = anchors[template.anchor]!;
        if (!(id >= 0 && id < entityCount)) return out;
        anchor[0] = id;
        return out.addAll(anchor, 0, 1);
      }
      case 'project': {
        const relation = relations[template.relation]!;
        if (template.from.op === 'entity') {
          // The commonest case needs no set of heads.
          out.clear();
          edges += addTails(graph, findGroup(graph.rows, anchors[template.from.anchor]!, relation), out);
          return out;
        }
        const heads = solve(template.from, depth + 1);
        out.clear();
        edges += projectSet(graph, heads, relation, out);
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
  const intersect = (operands: readonly Template[], depth: number, out: ScratchSet): ScratchSet => {
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

  const find: Answerer['find'] = (template, anchorIds, relationIds) => {
    anchors = anchorIds;
    relations = relationIds;
    return solve(template, 0);
  };
  return {
    find,
    answer: (template, anchorIds, relationIds) => find(template, anchorIds, relationIds).set,
    get edges() {
      return edges;
    },
  };
}

/** Adds all that one relation leads to from a set, by way of the members or of the relation's heads if fewer; gives how many edges that took. */
function projectSet(graph: KnowledgeGraph, heads: ScratchSet, relation: number, out: ScratchSet): number {
  const { rows } = graph;
  const first = rows.relationStarts[relation];
  const last = rows.relationEnds[relation];
  if (first === undefined || last === undefined) return 0;
  let edges = 0;
  const { listed, set } = heads;
  // Finding a member's group is a binary search, some ten steps; testing a bit is one. What is not listed is many.
  if (listed !== undefined && listed.length * 8 < last - first) {
    for (const head of listed) edges += addTails(graph, findGroup(rows, head, relation), out);
    return edges;
  }
  const { words } = set;
  for (let place = first; place < last; place++) {
    const head = rows.relationHeads[place]!;
    if ((words[head >>> 5]! & (1 << (head & 31))) !== 0)
      edges += addTails(graph, findGroup(rows, head, relation), out);
  }
  return edges + last - first;
}

function addTails({ rows }: KnowledgeGraph, group: number, out: ScratchSet): number {
  if (group < 0) return 0;
  const [from, to] = [rows.groupStarts[group]!, rows.groupEnds[group]!];
  out.addAll(rows.tails, from, to);
  return to - from;
}
