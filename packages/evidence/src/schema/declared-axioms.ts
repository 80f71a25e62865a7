import { asEntityId, asRelationId, type KnowledgeGraph, keyBehind, type Vocabulary } from '@fuzzqe/core';
import type { Axiom, PropertyAxiom } from './axiom.ts';

const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const rdfs = 'http://www.w3.org/2000/01/rdf-schema#';
const owl = 'http://www.w3.org/2002/07/owl#';

const propertyKinds: ReadonlyMap<string, PropertyAxiom['kind']> = new Map([
  [`${owl}SymmetricProperty`, 'symmetric'],
  [`${owl}AsymmetricProperty`, 'asymmetric'],
  [`${owl}ReflexiveProperty`, 'reflexive'],
  [`${owl}IrreflexiveProperty`, 'irreflexive'],
  [`${owl}TransitiveProperty`, 'transitive'],
  [`${owl}FunctionalProperty`, 'functional'],
  [`${owl}InverseFunctionalProperty`, 'inverseFunctional'],
]);

/** Classes of everything: to be told that an entity is one says nothing. */
const universal: ReadonlySet<string> = new Set([`${owl}Thing`, `${rdfs}Resource`]);

/**
 * The axioms that a graph declares by its own facts, in the terms of RDFS and OWL.
 *
 * Read are facts of rdfs:subClassOf, owl:equivalentClass, rdfs:subPropertyOf, owl:equivalentProperty, owl:inverseOf, rdfs:domain and
 * rdfs:range, and facts of rdf:type to owl:SymmetricProperty, Asymmetric-, Reflexive-, Irreflexive-, Transitive-, Functional- and
 * InverseFunctionalProperty.
 * Keys are IRIs in full, in angle brackets, or with a prefix: of the vocabulary, else rdf, rdfs or owl.
 * A property is an entity whose key is the key of a relation; axioms of properties without a relation are left out.
 * So are classes that are blank nodes, owl:Thing and rdfs:Resource, and a class or property below itself.
 * rdfs:subClassOf and rdfs:subPropertyOf themselves are transitive, where the graph has facts of them.
 *
 * Order: as the kinds are named above, transitivity of the two first; within a kind by head, then tail.
 *
 * @example
 * const axioms = declaredAxioms(graph, vocabulary);
 */
export function declaredAxioms(facts: KnowledgeGraph, vocabulary: Vocabulary): Axiom[] {
  const prefixes = new Map([['rdf', rdf], ['rdfs', rdfs], ['owl', owl], ...vocabulary.prefixes]);
  const full = (key: string): string => keyBehind(key, prefixes) ?? key;
  const relations = new Map<string, number>();
  for (let relation = 0; relation < vocabulary.relationCount; relation += 2)
    relations.set(full(vocabulary.relation(asRelationId(relation)).key), relation);
  const keyOf = (entity: number): string => full(vocabulary.entity(asEntityId(entity)).key);
  const propertyOf = (entity: number): number | undefined => relations.get(keyOf(entity));
  const isClass = (entity: number): boolean => {
    const key = keyOf(entity);
    return !key.startsWith('_:') && !universal.has(key);
  };
  const typeRelation = relations.get(`${rdf}type`);
  function* factsOf(key: string): Generator<readonly [head: number, tail: number]> {
    const relation = relations.get(key);
    if (relation === undefined) return;
    for (const head of facts.headsOf(relation))
      for (const tail of facts.tails(head, relation)) if (tail !== head) yield [head, tail];
  }

  const axioms: Axiom[] = [];
  for (const key of [`${rdfs}subClassOf`, `${rdfs}subPropertyOf`]) {
    const relation = relations.get(key);
    if (relation !== undefined && facts.headsOf(relation).length > 0)
      axioms.push({ kind: 'transitive', relation });
  }
  for (const [key, kind] of [
    [`${rdfs}subClassOf`, 'subClassOf'],
    [`${owl}equivalentClass`, 'equivalentClass'],
  ] as const)
    for (const [sub, above] of factsOf(key))
      if (isClass(sub) && isClass(above)) axioms.push({ kind, sub, super: above, typeRelation });
  for (const [key, kind] of [
    [`${rdfs}subPropertyOf`, 'subPropertyOf'],
    [`${owl}equivalentProperty`, 'equivalentProperty'],
    [`${owl}inverseOf`, 'inverseOf'],
  ] as const)
    for (const [head, tail] of factsOf(key)) {
      const [relation, other] = [propertyOf(head), propertyOf(tail)];
      if (relation !== undefined && other !== undefined) axioms.push({ kind, relation, other });
    }
  for (const kind of ['domain', 'range'] as const)
    for (const [head, tail] of factsOf(rdfs + kind)) {
      const relation = propertyOf(head);
      if (relation !== undefined && isClass(tail)) axioms.push({ kind, relation, class: tail, typeRelation });
    }
  if (typeRelation === undefined) return axioms;
  for (const each of facts.headsOf(typeRelation + 1)) {
    const kind = propertyKinds.get(keyOf(each));
    if (kind === undefined) continue;
    for (const entity of facts.tails(each, typeRelation + 1)) {
      const relation = propertyOf(entity);
      if (relation !== undefined) axioms.push({ kind, relation });
    }
  }
  return axioms;
}
