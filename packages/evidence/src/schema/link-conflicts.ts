import type { KnowledgeGraph } from '@fuzzqe/core';
import type { Axiom, PropertyAxiom } from './axiom.ts';
import { type Finding, findingOf } from './finding.ts';
import { headCounts } from './second-tail-share.ts';
import { mayBeReflexive } from './self-loops.ts';

/** A fact by its ids, along a relation forwards. */
type Link = readonly [head: number, relation: number, tail: number];

/** What speaks against a link as a fact. */
export type LinkConflict =
  | {
      /** The head has another tail, or the tail another head, and the relation has one. */
      readonly kind: 'secondTail' | 'secondHead';
      /** The other tail or head. */
      readonly other: number;
      /** How many entities have one value, where no axiom declares it. */
      readonly observed: Finding | undefined;
    }
  | {
      /** The fact the other way round is recorded, and the relation is declared asymmetric. */
      readonly kind: 'opposite';
    }
  | {
      /** The head is the tail, which the relation is declared not to have, or has in no fact. */
      readonly kind: 'selfLoop';
      readonly isDeclared: boolean;
    };

/**
 * What speaks against recording a link: declared axioms, and what holds of the recorded facts `always` or `mostly` in five cases or more.
 *
 * @param within the facts that the link would stand beside; by default those that say what is usual.
 * @example
 * const conflicts = linkConflicts(graph, declaredAxioms(graph, vocabulary), [head, relation, tail]);
 */
export function linkConflicts(
  facts: KnowledgeGraph,
  axioms: readonly Axiom[],
  [head, relation, tail]: Link,
  within: KnowledgeGraph = facts,
): LinkConflict[] {
  const isDeclared = (kind: PropertyAxiom['kind']): boolean =>
    axioms.some((axiom) => axiom.kind === kind && axiom.relation === relation);
  const conflicts: LinkConflict[] = [];
  const secondValue = (
    kind: 'secondTail' | 'secondHead',
    from: number,
    along: number,
    to: number,
    declared: PropertyAxiom['kind'],
  ): void => {
    const other = within.tails(from, along).find((each) => each !== to);
    if (other === undefined) return;
    if (isDeclared(declared)) conflicts.push({ kind, other, observed: undefined });
    else {
      const observed = oneValue(facts, along);
      if (isUsual(observed)) conflicts.push({ kind, other, observed });
    }
  };
  secondValue('secondTail', head, relation, tail, 'functional');
  secondValue('secondHead', tail, relation + 1, head, 'inverseFunctional');
  if (isDeclared('asymmetric') && within.has(tail, relation, head)) conflicts.push({ kind: 'opposite' });
  if (head === tail && (isDeclared('irreflexive') || !mayBeReflexive(facts, relation)))
    conflicts.push({ kind: 'selfLoop', isDeclared: isDeclared('irreflexive') });
  return conflicts;
}

/** How many heads of a relation have one tail, among its heads; a relation that came later has `unknown`. */
function oneValue({ index }: KnowledgeGraph, relation: number): Finding {
  const { withTail, withSecond } = headCounts(index);
  const [heads, withMore] = [withTail[relation] ?? 0, withSecond[relation] ?? 0];
  return findingOf(heads - withMore, heads);
}

function isUsual({ verdict, few }: Finding): boolean {
  return !few && (verdict === 'always' || verdict === 'mostly');
}
