import { createKnowledgeGraph, createRandom, type KnowledgeGraph, type Random } from '@fuzzqe/core';
import type { Template } from '@fuzzqe/core/query';

/** A fact: head, relation, tail. */
export type Fact = readonly [head: number, relation: number, tail: number];

/** A graph and the part of it that is known, with their facts as lists. */
export interface SmallGraphs {
  readonly known: readonly Fact[];
  readonly all: readonly Fact[];
  readonly smaller: KnowledgeGraph;
  readonly larger: KnowledgeGraph;
}

/** How many entities a small graph has. */
export const smallEntityCount = 40;
const relationCount = 8;

/** A random graph whose relation 6 mirrors itself, and the four fifths of it that are known. */
export function smallGraphs(seed: string, factCount = 260): SmallGraphs {
  const random = createRandom(seed);
  const facts: Fact[] = [];
  for (let i = 0; i < factCount; i++) {
    const [head, relation, tail] = [
      random.below(smallEntityCount),
      2 * random.below(4),
      random.below(smallEntityCount),
    ];
    facts.push([head, relation, tail]);
    if (relation === 6) facts.push([tail, relation, head]);
  }
  const held = facts.filter(() => random.below(5) === 0).map(String);
  const kept = facts.filter((fact) => !held.includes(String(fact)));
  return { known: kept, all: facts, smaller: graphOf(kept), larger: graphOf(facts) };
}

function graphOf(facts: readonly Fact[]): KnowledgeGraph {
  const triples = Int32Array.from(facts.flat());
  return createKnowledgeGraph({ entityCount: smallEntityCount, relationCount, triples });
}

/** Whether a fact, or the one that it inverts, is in a list. */
export function holds(facts: readonly Fact[], head: number, relation: number, tail: number): boolean {
  const [from, to] = relation % 2 === 0 ? [head, tail] : [tail, head];
  const forward = relation - (relation % 2);
  return facts.some(([h, r, t]) => r === forward && h === from && t === to);
}

/** Exact answers by the definition of each operator, over plain lists: nothing is shared with what is tested. */
export function bruteForceAnswers(
  facts: readonly Fact[],
  node: Template,
  anchors: ArrayLike<number>,
  relations: ArrayLike<number>,
): number[] {
  const everything = Array.from({ length: smallEntityCount }, (_, entity) => entity);
  switch (node.op) {
    case 'entity':
      return [anchors[node.anchor]!];
    case 'project': {
      const from = bruteForceAnswers(facts, node.from, anchors, relations);
      const relation = relations[node.relation]!;
      const reached = new Set<number>();
      for (const [head, r, tail] of facts) {
        if (r === relation && from.includes(head)) reached.add(tail);
        if (r === relation - 1 && from.includes(tail)) reached.add(head);
      }
      return everything.filter((entity) => reached.has(entity));
    }
    case 'not': {
      const out = bruteForceAnswers(facts, node.operand, anchors, relations);
      return everything.filter((entity) => !out.includes(entity));
    }
    default: {
      const operands = node.operands.map((operand) => bruteForceAnswers(facts, operand, anchors, relations));
      return everything.filter((entity) =>
        node.op === 'and'
          ? operands.every((answers) => answers.includes(entity))
          : operands.some((answers) => answers.includes(entity)),
      );
    }
  }
}

/** A random structure's text, with up to `depth` operators above each anchor; negations only where they are bounded. */
export function randomStructureText(random: Random, depth: number): string {
  let slots = 0;
  const query = (left: number): string => {
    if (left === 0) return `?a${++slots}`;
    const kind = random.below(5);
    if (kind < 2) return `project(?r${++slots}, ${query(left - 1)})`;
    const operand = (): string => `project(?r${++slots}, ${query(left - 1)})`;
    if (kind === 2) return `or(${operand()}, ${operand()})`;
    if (kind === 3) return `and(${operand()}, ${operand()})`;
    return `and(${operand()}, not(${operand()}))`;
  };
  return `project(?r0, ${query(depth)})`;
}
