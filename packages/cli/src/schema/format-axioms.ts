import type { Axiom, AxiomConflict } from '@fuzzqe/evidence';
import type { NamedIds } from './named-ids.ts';

/** An axiom as a sentence without its full stop. */
export function axiomSentence(axiom: Axiom, { relationLabel, entityLabel }: NamedIds): string {
  if ('sub' in axiom) {
    const [sub, above] = [entityLabel(axiom.sub), entityLabel(axiom.super)];
    return axiom.kind === 'subClassOf'
      ? `Every ${sub} is a ${above}`
      : `${sub} is the same class as ${above}`;
  }
  const relation = relationLabel(axiom.relation);
  if (axiom.kind === 'subPropertyOf') return `${relation} is part of ${relationLabel(axiom.other)}`;
  if (axiom.kind === 'equivalentProperty') return `${relation} is the same as ${relationLabel(axiom.other)}`;
  if (axiom.kind === 'inverseOf') return `${relation} is the inverse of ${relationLabel(axiom.other)}`;
  if (axiom.kind === 'domain') return `Every head of ${relation} is a ${entityLabel(axiom.class)}`;
  if (axiom.kind === 'range') return `Every tail of ${relation} is a ${entityLabel(axiom.class)}`;
  return `${relation} is ${axiom.kind === 'inverseFunctional' ? 'inverse functional' : axiom.kind}`;
}

/** A contradiction, or a cycle, as a sentence with its kind. */
export function conflictSentence(conflict: AxiomConflict, names: NamedIds): string {
  const { relationLabel, entityLabel } = names;
  if ('members' in conflict) {
    const isClass = conflict.kind === 'classCycle';
    const members = conflict.members.slice(0, 5).map(isClass ? entityLabel : relationLabel);
    const more = conflict.members.length - members.length;
    const all = `${members.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    return `Cycle: ${all} are declared below each other, so these ${isClass ? 'classes have the same members' : 'properties have the same facts'}.`;
  }
  if ('axioms' in conflict) {
    const [first, second] = conflict.axioms;
    return `Contradiction: ${axiomSentence(first, names)} and ${second.kind}: neither is followed.`;
  }
  const { axiom } = conflict;
  const declared = `Contradiction: ${axiomSentence(axiom, names)}`;
  if (conflict.kind === 'transitiveFunctional')
    return `${declared} and transitive: two facts in a row contradict it.`;
  if (conflict.kind === 'forbiddenFacts') {
    const { count, example } = conflict;
    const fact = `${entityLabel(example.head)} and ${entityLabel(example.tail)}`;
    return axiom.kind === 'irreflexive'
      ? `${declared}, but self loops are recorded: ${count}, the first of ${entityLabel(example.head)}.`
      : `${declared}, but facts are recorded both ways: ${count}, the first between ${fact}.`;
  }
  const { count, recorded, example } = conflict;
  const [first, second] = example.values.map(entityLabel);
  const [end, value] = axiom.kind === 'functional' ? ['head', 'tail'] : ['tail', 'head'];
  const entities = `${count} ${end}${count === 1 ? ' has' : 's have'} more than one ${value} (${recorded} by recorded facts)`;
  return `${declared}, but ${entities}: ${entityLabel(example.entity)} has ${first} and ${second}.`;
}

/** The relations that an axiom is about. */
export function relationsOfAxiom(axiom: Axiom): readonly number[] {
  if ('sub' in axiom) return [];
  return 'other' in axiom ? [axiom.relation, axiom.other] : [axiom.relation];
}

/** An axiom for JSON, its ids with their names. */
export function namedAxiom(axiom: Axiom, { entity, relation }: NamedIds): Readonly<Record<string, unknown>> {
  if ('sub' in axiom) return { kind: axiom.kind, sub: entity(axiom.sub), super: entity(axiom.super) };
  const own = { kind: axiom.kind, relation: relation(axiom.relation) };
  if ('other' in axiom) return { ...own, other: relation(axiom.other) };
  return 'class' in axiom ? { ...own, class: entity(axiom.class) } : own;
}

/** A contradiction for JSON, its ids with their names. */
export function namedConflict(conflict: AxiomConflict, names: NamedIds): Readonly<Record<string, unknown>> {
  const { kind } = conflict;
  if ('members' in conflict)
    return { kind, members: conflict.members.map(kind === 'classCycle' ? names.entity : names.relation) };
  if ('axioms' in conflict) return { kind, axioms: conflict.axioms.map((each) => namedAxiom(each, names)) };
  const axiom = namedAxiom(conflict.axiom, names);
  if (conflict.kind === 'transitiveFunctional') return { kind, axiom };
  if (conflict.kind === 'forbiddenFacts') {
    const { count, example } = conflict;
    const { head, tail } = example;
    return { kind, axiom, count, example: { head: names.entity(head), tail: names.entity(tail) } };
  }
  const { count, recorded, example } = conflict;
  const { entity, values } = example;
  return {
    kind,
    axiom,
    count,
    recorded,
    example: { entity: names.entity(entity), values: values.map(names.entity) },
  };
}
