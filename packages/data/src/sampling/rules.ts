import type { KnowledgeGraph } from '@fuzzqe/core';
import type { Template } from '@fuzzqe/core/query';

/** Rules that BetaE's sampler does not have; both are off unless they are asked for. */
export interface AddedRules {
  /**
   * A relation that mirrors itself, as `borders` does, counts as its own inverse: the walk does not go back over it, and
   * its two directions make no two queries. Default false.
   */
  readonly skipMirrored?: boolean;
  /** Leaves out a query that has the same answers without one of its negations. Default false. */
  readonly skipIdleNegation?: boolean;
}

/**
 * For each relation the one that stands for it: a relation that mirrors itself, as `borders` does, is its own inverse.
 *
 * Shapes: the result is [relations]; it maps r to r, or, with `skipMirrored`, r and its inverse both to the even one.
 */
export function canonicalRelations(graph: KnowledgeGraph, { skipMirrored = false }: AddedRules): Int32Array {
  const canonical = Int32Array.from({ length: graph.relationCount }, (_, relation) => relation);
  for (let relation = 0; skipMirrored && relation < graph.relationCount; relation += 2) {
    if (mirrorsItself(graph, relation)) canonical[relation + 1] = relation;
  }
  return canonical;
}

function mirrorsItself(graph: KnowledgeGraph, relation: number): boolean {
  const heads = graph.headsOf(relation);
  if (heads.length === 0) return false;
  return heads.every((head) => {
    const tails = graph.tails(head, relation);
    const mirrored = graph.tails(head, relation + 1);
    return tails.length === mirrored.length && tails.every((tail, i) => tail === mirrored[i]);
  });
}

/**
 * Names a query such that two queries have one name exactly if they differ in nothing but the order of operands or in
 * the direction of relations that mirror themselves.
 *
 * Gives undefined for a query with two operands that ask the same (`a and a`, `a or a`) or contradict each other
 * (`a and not a`).
 */
export function canonicalName(
  template: Template,
  anchors: ArrayLike<number>,
  relations: ArrayLike<number>,
  canonical: Int32Array,
): string | undefined {
  const name = (node: Template): string | undefined => {
    switch (node.op) {
      case 'entity':
        return String(anchors[node.anchor]);
      case 'project': {
        const from = name(node.from);
        return from === undefined ? undefined : `${from},${canonical[relations[node.relation]!]}`;
      }
      case 'not': {
        const operand = name(node.operand);
        return operand === undefined ? undefined : `${operand}!`;
      }
      default: {
        const operands: string[] = [];
        const seen = new Set<string>();
        for (const operand of node.operands) {
          const positive = name(operand.op === 'not' ? operand.operand : operand);
          if (positive === undefined || seen.has(positive)) return undefined;
          seen.add(positive);
          operands.push(operand.op === 'not' ? `${positive}!` : positive);
        }
        return `(${operands.sort().join(node.op === 'and' ? '&' : '|')})`;
      }
    }
  };
  return name(template);
}

/**
 * The template without one of its negated operands, for each of them; what is left of a conjunction of one is its
 * operand. A negation that matters changes the answers when it is left out.
 */
export function withoutEachNegation(template: Template): Template[] {
  switch (template.op) {
    case 'entity':
      return [];
    case 'project':
      return withoutEachNegation(template.from).map((from) => ({ ...template, from }));
    case 'not':
      return withoutEachNegation(template.operand).map((operand) => ({ ...template, operand }));
    default:
      return template.operands.flatMap((operand, i) => {
        const changed = withoutEachNegation(operand).map((inner) => ({
          ...template,
          operands: template.operands.with(i, inner),
        }));
        if (operand.op !== 'not') return changed;
        const others = template.operands.toSpliced(i, 1);
        return [others.length === 1 ? others[0]! : { ...template, operands: others }, ...changed];
      });
  }
}
