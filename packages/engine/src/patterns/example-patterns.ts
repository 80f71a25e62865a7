import { asEntityId, asRelationId, type KnowledgeGraph, keptBy, type Vocabulary } from '@fuzzqe/core';
import { type Condition, formatPattern, type Pattern, type Term } from '@fuzzqe/core/query';

/** A pattern that recorded facts answer. */
export interface PatternExample {
  /** Two variables, a cycle of links, or two variables with a negation. */
  readonly kind: 'pair' | 'cycle' | 'not';
  /** In the text notation. */
  readonly text: string;
}

/** How many facts are looked at for an example, for all relations together. */
const mostLooked = 192;

/** How many relations of an entity are looked at, and how many tails of each. */
const most = 8;

const [x, y, z]: readonly Term[] = [{ variable: 0 }, { variable: 1 }, { variable: 2 }];

/** A pattern of each kind for which the facts have an answer, the first that is found. */
export function examplePatterns({
  vocabulary,
  facts,
}: {
  readonly vocabulary: Vocabulary;
  readonly facts: KnowledgeGraph;
}): readonly PatternExample[] {
  return patternsOf(facts).map(({ kind, pattern }) => ({ kind, text: formatPattern(pattern, vocabulary) }));
}

/** Looked for once in a graph: the search goes through facts of all relations. */
const patternsOf = keptBy((facts: KnowledgeGraph) => {
  const found = new Map<PatternExample['kind'], readonly Condition[]>();
  const tailsOf = (head: number, relation: number): Int32Array =>
    facts.tails(head, relation).subarray(0, most);
  let looked = 0;
  for (const [head, relation, tail] of factsOf(facts)) {
    looked += 1;
    if (found.size === 3 || looked > mostLooked) break;
    if (head === tail) continue;
    const first = link(relation, x!, y!);
    const forwards = facts.relationsOf(head).filter((each) => each % 2 === 0 && each !== relation);
    for (const other of forwards.subarray(0, most)) {
      if (found.has('pair') && found.has('not')) break;
      const values = tailsOf(head, other);
      const shared = values.find((value) => value !== tail && facts.has(tail, other, value));
      // A value that a single entity has, such as a capital, excludes nothing.
      const own = values.find(
        (value) =>
          value !== tail && !facts.has(tail, other, value) && facts.tails(value, other + 1).length > 1,
      );
      if (shared !== undefined && !found.has('pair'))
        found.set('pair', [first, link(other, x!, z!), link(other, y!, z!)]);
      // An entity without any such fact may only be of another kind.
      if (own !== undefined && facts.tails(tail, other).length > 0 && !found.has('not')) {
        const value: Term = { entity: asEntityId(own) };
        found.set('not', [first, link(other, x!, value), { op: 'not', operand: link(other, y!, value) }]);
      }
    }
    const third = tailsOf(tail, relation).find(
      (each) => each !== head && each !== tail && facts.has(each, relation, head),
    );
    if (third !== undefined && !found.has('cycle'))
      found.set('cycle', [first, link(relation, y!, z!), link(relation, z!, x!)]);
  }
  return (['pair', 'cycle', 'not'] as const).flatMap((kind) => {
    const operands = found.get(kind);
    if (operands === undefined) return [];
    const pattern: Pattern = {
      variables: kind === 'not' ? ['x', 'y'] : ['x', 'y', 'z'],
      answers: kind === 'cycle' ? [0, 1, 2] : [0, 1],
      where: { op: 'and', operands },
    };
    return [{ kind, pattern }];
  });
});

function link(relation: number, from: Term, to: Term): Condition {
  return { op: 'link', relation: asRelationId(relation), from, to };
}

/** Facts, of each relation in turn, so that a large relation hides no other. */
function* factsOf(facts: KnowledgeGraph): Generator<readonly [head: number, relation: number, tail: number]> {
  for (let at = 0, isMore = true; isMore; at += 1) {
    isMore = false;
    for (let relation = 0; relation < facts.relationCount; relation += 2) {
      const head = facts.headsOf(relation)[at];
      if (head === undefined) continue;
      isMore = true;
      for (const tail of facts.tails(head, relation).subarray(0, 4)) yield [head, relation, tail];
    }
  }
}
