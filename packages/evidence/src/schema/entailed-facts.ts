import {
  checkId,
  createKnowledgeGraph,
  describeValue,
  emptyKnowledgeGraph,
  expectOptions,
  FuzzError,
  type KnowledgeGraph,
} from '@fuzzqe/core';
import type { Axiom } from './axiom.ts';
import { closeFacts } from './close-facts.ts';
import { column } from './fact-table.ts';

/** How far facts are entailed. */
export interface EntailmentOptions {
  /** The most facts that are added, an integer in [0, 2²³]; the closure goes breadth first. Default: 2²⁰. */
  readonly most?: number;
}

/** A fact that an entailed fact follows from. */
export interface Premise {
  readonly head: number;
  /** An even id. */
  readonly relation: number;
  readonly tail: number;
  /** Whether the fact is recorded; else the fact is entailed itself, and was found before. */
  readonly recorded: boolean;
}

/** Why a fact is entailed: of possibly several reasons the one that the closure found first. */
export interface EntailmentReason {
  readonly axiom: Axiom;
  /** Two for transitivity, else one. */
  readonly premises: readonly Premise[];
}

/** The facts that axioms entail of recorded facts, without the recorded ones. */
export interface EntailedFacts {
  readonly count: number;
  /** [3 × count]: flat h, r, t with even r, premises before what follows from them. */
  readonly triples: Int32Array;
  /** The entailed facts alone as a graph with the ids of the recorded one. */
  readonly graph: KnowledgeGraph;
  readonly axioms: readonly Axiom[];
  /** [axioms]: how many facts have the axiom as their reason. */
  readonly countByAxiom: Int32Array;
  /** Whether `most` or the bound on steps ended the closure, so that facts may be missing. */
  readonly truncated: boolean;
  /** How many times transitivity led back to its start and the fact was left out. */
  readonly loopsLeftOut: number;
  /** Why the fact is entailed; undefined for a recorded fact and for one that does not follow. The relation may be an inverse. */
  reasonOf(head: number, relation: number, tail: number): EntailmentReason | undefined;
}

const mostByDefault = 2 ** 20;
const mostAllowed = 2 ** 23;

/**
 * The closure of recorded facts under axioms, without the recorded facts.
 *
 * `subPropertyOf`, `equivalentProperty`, `inverseOf`, `symmetric` and `transitive` entail facts of relations; `reflexive` entails
 * self loops of the relation's heads and tails. `subClassOf`, `equivalentClass`, `domain` and `range` entail facts of rdf:type.
 * `functional`, `inverseFunctional`, `irreflexive` and `asymmetric` entail no facts; what the last two forbid is not added.
 * Of two axioms that contradict each other, as symmetric and asymmetric do, neither is followed: `axiomConflicts` names them.
 * Semi-naive and breadth first: each fact is looked at once.
 * Transitivity adds no (e, r, e) where no self loop of r is recorded: an equivalence would make each entity its own tail.
 *
 * Time: at most 16 (most + |facts|) steps. Memory: about 50 bytes a fact that is added.
 * Source: W3C, RDF 1.1 Semantics, rules rdfs2, 3, 5, 7, 9, 11; OWL 2 Profiles, rules prp-eqp1, prp-eqp2, prp-inv1, prp-inv2, prp-symp, prp-trp, cax-eqc1, cax-eqc2.
 *
 * @throws FuzzError `range`: `most`; an axiom of a relation or an entity that the graph does not have, as of another graph.
 * @example
 * const entailed = entailedFacts(graph, declaredAxioms(graph, vocabulary));
 * entailed.graph.tails(1, 0);
 */
export function entailedFacts(
  facts: KnowledgeGraph,
  axioms: readonly Axiom[],
  options: EntailmentOptions = {},
): EntailedFacts {
  expectOptions('entailedFacts', options, []);
  const { most = mostByDefault } = options;
  if (!(Number.isInteger(most) && most >= 0 && most <= mostAllowed))
    throw new FuzzError(
      'range',
      `most: expected an integer in [0, ${mostAllowed}], got ${describeValue(most)}`,
      {
        path: '$.most',
        hint: `Leave it out for ${mostByDefault}.`,
      },
    );
  axioms.forEach((axiom, i) => {
    checkAxiom(facts, axiom, `$.axioms[${i}]`);
  });
  const { table, truncated, loopsLeftOut } = closeFacts(facts, axioms, most);
  const triples = new Int32Array(3 * table.count);
  const countByAxiom = new Int32Array(axioms.length);
  for (let row = 0; row < table.count; row += 1) {
    for (let at = 0; at < 3; at += 1) triples[3 * row + at] = table.get(row, at);
    countByAxiom[table.get(row, column.axiom)]! += 1;
  }
  const { entityCount, relationCount } = facts;
  const premise = (head: number, relation: number, tail: number): Premise => ({
    head,
    relation,
    tail,
    recorded: facts.has(head, relation, tail),
  });
  return {
    count: table.count,
    triples,
    graph:
      table.count === 0
        ? emptyKnowledgeGraph(entityCount, relationCount)
        : createKnowledgeGraph({ entityCount, relationCount, triples }),
    axioms,
    countByAxiom,
    truncated,
    loopsLeftOut,
    reasonOf(head, relation, tail) {
      const isForward = relation % 2 === 0;
      const row = isForward ? table.find(head, relation, tail) : table.find(tail, relation - 1, head);
      if (row < 0) return undefined;
      const axiom = axioms[table.get(row, column.axiom)]!;
      const [from, by, to] = [column.from, column.by, column.to].map((at) => table.get(row, at));
      const first = premise(from!, by!, to!);
      if (axiom.kind !== 'transitive') return { axiom, premises: [first] };
      return { axiom, premises: [first, premise(to!, by!, table.get(row, column.tail))] };
    },
  };
}

/** Refuses an axiom with ids that the graph does not have, or with an inverse relation. */
function checkAxiom({ entityCount, relationCount }: KnowledgeGraph, axiom: Axiom, path: string): void {
  const entities = 'sub' in axiom ? [axiom.sub, axiom.super] : 'class' in axiom ? [axiom.class] : [];
  for (const each of entities) checkId('entity', each, entityCount, path);
  const relations = [
    ...('relation' in axiom ? [axiom.relation] : []),
    ...('other' in axiom ? [axiom.other] : []),
    ...('typeRelation' in axiom && axiom.typeRelation !== undefined ? [axiom.typeRelation] : []),
  ];
  for (const each of relations) {
    checkId('relation', each, relationCount, path);
    if (each % 2 === 1)
      throw new FuzzError(
        'range',
        `relation of an axiom: expected a forward relation, got the inverse ${each}`,
        {
          path,
          hint: 'Axioms are of forward relations, whose ids are even.',
        },
      );
  }
}
