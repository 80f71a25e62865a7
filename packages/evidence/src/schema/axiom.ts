/**
 * A declared axiom of RDFS or OWL, over ids of a graph: relations are forward (even) ids, classes are entities.
 *
 * `typeRelation` is the graph's rdf:type; undefined where the graph has no such relation, so that the axiom entails no fact.
 */
export type Axiom = ClassAxiom | PropertyPairAxiom | PropertyAxiom | EndAxiom;

/** `subClassOf`: each instance of `sub` is one of `super`; `equivalentClass`: and each instance of `super` is one of `sub`. */
export interface ClassAxiom {
  readonly kind: 'subClassOf' | 'equivalentClass';
  readonly sub: number;
  readonly super: number;
  readonly typeRelation: number | undefined;
}

/**
 * `subPropertyOf`: each fact of `relation` is one of `other`; `equivalentProperty`: and back; `inverseOf`: each is one of `other` the
 * other way round, and back.
 */
export interface PropertyPairAxiom {
  readonly kind: 'subPropertyOf' | 'equivalentProperty' | 'inverseOf';
  readonly relation: number;
  readonly other: number;
}

/** What a property is declared to be. */
export interface PropertyAxiom {
  readonly kind:
    | 'symmetric'
    | 'asymmetric'
    | 'reflexive'
    | 'irreflexive'
    | 'transitive'
    | 'functional'
    | 'inverseFunctional';
  readonly relation: number;
}

/** `domain`: the heads of `relation` are instances of `class`; `range`: the tails are. */
export interface EndAxiom {
  readonly kind: 'domain' | 'range';
  readonly relation: number;
  readonly class: number;
  readonly typeRelation: number | undefined;
}
