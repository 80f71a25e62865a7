import type { Axiom, PropertyAxiom } from './axiom.ts';

/** What no property with facts can be at once. */
const opposites: readonly (readonly [PropertyAxiom['kind'], PropertyAxiom['kind']])[] = [
  ['symmetric', 'asymmetric'],
  ['reflexive', 'irreflexive'],
  ['reflexive', 'asymmetric'],
];

/** The pairs of axioms of one property that contradict each other: symmetric and asymmetric, reflexive and irreflexive or asymmetric. */
export function oppositeAxioms(axioms: readonly Axiom[]): (readonly [PropertyAxiom, PropertyAxiom])[] {
  const found: (readonly [PropertyAxiom, PropertyAxiom])[] = [];
  const kindsOf = new Map<number, Map<string, PropertyAxiom>>();
  for (const axiom of axioms) {
    if (!isProperty(axiom)) continue;
    const kinds = kindsOf.get(axiom.relation) ?? new Map<string, PropertyAxiom>();
    kindsOf.set(axiom.relation, kinds.set(axiom.kind, axiom));
  }
  for (const kinds of kindsOf.values())
    for (const [one, other] of opposites) {
      const [first, second] = [kinds.get(one), kinds.get(other)];
      if (first !== undefined && second !== undefined) found.push([first, second]);
    }
  return found;
}

function isProperty(axiom: Axiom): axiom is PropertyAxiom {
  return 'relation' in axiom && !('other' in axiom) && !('class' in axiom);
}
