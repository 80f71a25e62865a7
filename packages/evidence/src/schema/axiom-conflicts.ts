import type { KnowledgeGraph } from '@fuzzqe/core';
import type { Axiom, PropertyAxiom } from './axiom.ts';
import { findCycles } from './cycles.ts';
import type { EntailedFacts } from './entailed-facts.ts';
import { oppositeAxioms } from './opposite-axioms.ts';

/** Axioms that contradict each other or the facts. */
export type AxiomConflict =
  | {
      /** A functional property with a head of two tails, or an inverse functional one with a tail of two heads. */
      readonly kind: 'secondValue';
      readonly axiom: PropertyAxiom;
      /** How many entities have two values or more, recorded or entailed. */
      readonly count: number;
      /** How many entities have two recorded values or more. */
      readonly recorded: number;
      /** The first entity, and two of its values. */
      readonly example: { readonly entity: number; readonly values: readonly [number, number] };
    }
  | {
      /** Classes, or properties, each of which is below the others, so that they are all the same. */
      readonly kind: 'classCycle' | 'propertyCycle';
      /** Entities, or forward relations, ascending. */
      readonly members: readonly number[];
    }
  | {
      /** A transitive property that is functional or inverse functional: no chain of two facts may lead on. */
      readonly kind: 'transitiveFunctional';
      readonly axiom: PropertyAxiom;
    }
  | {
      /** Two axioms of a property that contradict each other; neither is followed. */
      readonly kind: 'opposites';
      readonly axioms: readonly [PropertyAxiom, PropertyAxiom];
    }
  | {
      /** Recorded self loops of an irreflexive property, or facts of an asymmetric one that are recorded the other way round, too. */
      readonly kind: 'forbiddenFacts';
      readonly axiom: PropertyAxiom;
      readonly count: number;
      /** The first such fact. */
      readonly example: { readonly head: number; readonly tail: number };
    };

/**
 * Where axioms contradict each other or the facts; none of it stops a closure.
 *
 * Order: opposite axioms, cycles of classes, cycles of properties, transitive functional properties, second values, forbidden facts;
 * within a kind as the axioms stand.
 *
 * @param entailed what the axioms entail, as `entailedFacts` gives it: second values are looked for among these facts, too.
 *
 * @example
 * const conflicts = axiomConflicts(graph, declaredAxioms(graph, vocabulary));
 */
export function axiomConflicts(
  facts: KnowledgeGraph,
  axioms: readonly Axiom[],
  entailed?: EntailedFacts,
): AxiomConflict[] {
  const conflicts: AxiomConflict[] = [];
  const classes: (readonly [number, number])[] = [];
  const properties: (readonly [number, number])[] = [];
  const transitive = new Set<number>();
  for (const axiom of axioms) {
    if (axiom.kind === 'subClassOf') classes.push([axiom.sub, axiom.super]);
    if (axiom.kind === 'subPropertyOf') properties.push([axiom.relation, axiom.other]);
    if (axiom.kind === 'transitive') transitive.add(axiom.relation);
  }
  for (const pair of oppositeAxioms(axioms)) conflicts.push({ kind: 'opposites', axioms: pair });
  for (const members of findCycles(classes)) conflicts.push({ kind: 'classCycle', members });
  for (const members of findCycles(properties)) conflicts.push({ kind: 'propertyCycle', members });
  const functional = axioms.filter(isFunctional);
  for (const axiom of functional)
    if (transitive.has(axiom.relation)) conflicts.push({ kind: 'transitiveFunctional', axiom });
  for (const axiom of functional) {
    const found = secondValues(facts, axiom, entailed?.graph);
    if (found !== undefined) conflicts.push(found);
  }
  for (const axiom of axioms) {
    if (axiom.kind !== 'irreflexive' && axiom.kind !== 'asymmetric') continue;
    const found = forbiddenFacts(facts, axiom);
    if (found !== undefined) conflicts.push(found);
  }
  return conflicts;
}

function forbiddenFacts(facts: KnowledgeGraph, axiom: PropertyAxiom): AxiomConflict | undefined {
  const { kind, relation } = axiom;
  let count = 0;
  let example: { head: number; tail: number } | undefined;
  for (const head of facts.headsOf(relation)) {
    const back = kind === 'asymmetric' ? facts.tails(head, relation ^ 1) : Int32Array.of(head);
    for (const tail of sharedOf(facts.tails(head, relation), back)) {
      // Of a fact and its mirror, one counts.
      if (tail < head) continue;
      count += 1;
      example ??= { head, tail };
    }
  }
  return example && { kind: 'forbiddenFacts', axiom, count, example };
}

function sharedOf(one: Int32Array, other: Int32Array): Int32Array {
  const others = new Set(other);
  return one.filter((each) => others.has(each));
}

function isFunctional(axiom: Axiom): axiom is PropertyAxiom {
  return axiom.kind === 'functional' || axiom.kind === 'inverseFunctional';
}

function secondValues(
  facts: KnowledgeGraph,
  axiom: PropertyAxiom,
  entailed: KnowledgeGraph | undefined,
): AxiomConflict | undefined {
  const relation = axiom.kind === 'functional' ? axiom.relation : axiom.relation ^ 1;
  let [count, recorded] = [0, 0];
  let example: { entity: number; values: readonly [number, number] } | undefined;
  const see = (entity: number): void => {
    const stated = facts.tails(entity, relation);
    const added = entailed?.tails(entity, relation) ?? [];
    if (stated.length + added.length < 2) return;
    count += 1;
    if (stated.length > 1) recorded += 1;
    if (example !== undefined && example.entity < entity) return;
    const [first, second] = [...stated.subarray(0, 2), ...added.slice(0, 2)];
    example = { entity, values: [first!, second!] };
  };
  const heads = facts.headsOf(relation);
  for (const head of heads) see(head);
  // Heads without a recorded value.
  for (const head of entailed?.headsOf(relation) ?? [])
    if (facts.tails(head, relation).length === 0) see(head);
  return example && { kind: 'secondValue', axiom, count, recorded, example };
}
