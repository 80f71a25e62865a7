import { asEntityId, asRelationId, type KnowledgeGraph, type Vocabulary } from '@fuzzqe/core';
import { declaredAxioms, type LinkConflict, linkConflicts } from '@fuzzqe/evidence';

/** What speaks against recording a link. */
export interface NamedConflict {
  readonly kind: LinkConflict['kind'];
  /** For people: as `Recorded is already: France, capital, Paris; 190 of 191 entities have one.` */
  readonly message: string;
}

/** A fact by its ids, along a relation forwards. */
type Link = readonly [head: number, relation: number, tail: number];

/**
 * What speaks against recording links, by the facts of now and the axioms that these facts declare.
 *
 * @param within the facts that the links would stand beside: those of now with what comes and goes together. Default: those of now.
 * @example
 * const conflictsOf = createConflictFinder(engine);
 * for (const { message } of conflictsOf([head, relation, tail])) console.log(message);
 */
export function createConflictFinder(
  { facts, vocabulary }: { readonly facts: KnowledgeGraph; readonly vocabulary: Vocabulary },
  within: KnowledgeGraph = facts,
): (link: Link) => readonly NamedConflict[] {
  let axioms: ReturnType<typeof declaredAxioms> | undefined;
  return (link) => {
    axioms ??= declaredAxioms(facts, vocabulary);
    return linkConflicts(facts, axioms, link, within).map((conflict) => ({
      kind: conflict.kind,
      message: messageOf({ facts, vocabulary }, link, conflict),
    }));
  };
}

function messageOf(
  { facts, vocabulary }: { readonly facts: KnowledgeGraph; readonly vocabulary: Vocabulary },
  [head, relation, tail]: Link,
  conflict: LinkConflict,
): string {
  const standing = (from: number, to: number): string =>
    facts.has(from, relation, to) ? 'Recorded is already' : 'Accepted together is';
  const label = (id: number): string => vocabulary.entity(asEntityId(id)).label;
  const name = vocabulary.relation(asRelationId(relation)).label;
  switch (conflict.kind) {
    case 'secondTail':
    case 'secondHead': {
      const { kind, other, observed } = conflict;
      const [from, to] = kind === 'secondTail' ? [head, other] : [other, tail];
      const why =
        observed === undefined
          ? `${name} is declared to have one`
          : `${observed.hits} of ${observed.of} entities have one`;
      return `${standing(from, to)}: ${label(from)}, ${name}, ${label(to)}; ${why}.`;
    }
    case 'opposite':
      return `${standing(tail, head)} the opposite: ${label(tail)}, ${name}, ${label(head)}; ${name} is declared asymmetric.`;
    case 'selfLoop':
      return conflict.isDeclared
        ? `${label(head)} is on both sides, and ${name} is declared irreflexive.`
        : `${label(head)} is on both sides, as in no recorded fact of ${name}.`;
  }
}
