import type { KnowledgeGraph, Template } from '@fuzzqe/core';

/**
 * For each relation the one that stands for it: a relation that mirrors itself, as `borders` does, is its own inverse.
 *
 * Shapes: the result is [relations]; it maps r to r, or r and its inverse both to the even one.
 */
export function canonicalRelations(graph: KnowledgeGraph): Int32Array {
  const canonical = Int32Array.from({ length: graph.relationCount }, (_, relation) => relation);
  for (let relation = 0; relation < graph.relationCount; relation += 2) {
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

/** The template without its negated operands; undefined when it has none. What it adds, the negations take away. */
export function withoutNegations(template: Template): Template | undefined {
  switch (template.op) {
    case 'entity':
    case 'not':
      return undefined;
    case 'project': {
      const from = withoutNegations(template.from);
      return from === undefined ? undefined : { ...template, from };
    }
    default: {
      const kept = template.operands.filter(({ op }) => op !== 'not');
      const inner = kept.map((operand) => withoutNegations(operand) ?? operand);
      if (kept.length === template.operands.length && inner.every((operand, i) => operand === kept[i]))
        return undefined;
      return inner.length === 1 ? inner[0]! : { op: template.op, operands: inner };
    }
  }
}
