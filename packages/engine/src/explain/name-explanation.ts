import { asEntityId, type EntityId, type RelationId, type Steps, type Vocabulary } from '@fuzzqe/core';
import type { Derivation } from '@fuzzqe/core/sets';
import type { LinkReasons, Objection, RuleInstance } from '@fuzzqe/evidence';
import { linkKey, type ReasonedExplanation } from '../sets/explainer.ts';
import { type FactProvenance, type ProvenanceOf, provenanceField } from './fact-provenance.ts';

/** An entity with its names. */
export interface NamedId {
  readonly id: EntityId;
  readonly key: string;
  readonly label: string;
}

/** A relation with its names. */
export interface NamedRelation {
  readonly id: RelationId;
  /** With `^-1` after it for an inverse. */
  readonly key: string;
  readonly label: string;
  readonly inverse: boolean;
}

/** What the parts of a query hold. */
export interface PartExplanation {
  /** Where the part stands, as in the JSON form of queries: `$`, `$.and[1].from`. */
  readonly path: string;
  /** Its best entities, best first. */
  readonly best: readonly (NamedId & {
    /** In (0, 1]. */
    readonly degree: number;
    /** Whether the recorded facts give it by themselves. */
    readonly known: boolean;
  })[];
}

/** A link that supports an answer. */
export interface AnswerLink {
  readonly head: NamedId;
  readonly relation: NamedRelation;
  readonly tail: NamedId;
  /** Whether it is a recorded fact; else it is predicted. */
  readonly recorded: boolean;
  /** In (0, 1]. */
  readonly degree: number;
  /** What speaks for a predicted link and against it; a recorded link has no reasons. */
  readonly reasons?: NamedReasons;
  /** Where a recorded link comes from, where that is known. */
  readonly provenance?: FactProvenance;
}

/** What speaks for a predicted link, and what speaks against it. */
export interface NamedReasons {
  /** Whether a declared axiom entails the link. */
  readonly entailed: boolean;
  /** The rules that name the tail, best first: at most 3. */
  readonly rules: readonly NamedRule[];
  /** The heads that are most similar to that of the link and have its tail recorded, most similar first: at most 3. */
  readonly neighbours: readonly NamedId[];
  readonly against: readonly NamedObjection[];
}

/** A rule that names the tail of a link, with the recorded facts that let it. */
export interface NamedRule {
  /** How often the rule is right, in [0, 1): `hits / (predictions + 5)`. */
  readonly confidence: number;
  /** How many of its predictions are recorded. */
  readonly hits: number;
  readonly predictions: number;
  readonly facts: readonly {
    readonly head: NamedId;
    readonly relation: NamedRelation;
    readonly tail: NamedId;
  }[];
}

/** A reason against a link. */
export interface NamedObjection {
  /** `other tail`, `other head`: a fact that mostly is the only one of its kind. `unusual tail`: an entity that hardly ever is such a tail. */
  readonly kind: Objection['kind'];
  /** The tails or heads that are recorded. */
  readonly entities: readonly NamedId[];
  /** How often a second one, or such a tail, is recorded, in [0, 1]. */
  readonly share: number;
}

interface Step<Op extends Derivation['op']> {
  readonly op: Op;
  readonly entity: NamedId;
  /** How far the entity answers this part of the query, in [0, 1]. */
  readonly degree: number;
}

/** Why an entity answers a query, in the query's form: as `Derivation` of `@fuzzqe/core/sets`, with names. */
export type NamedDerivation =
  | Step<'entity'>
  | (Step<'project'> & { readonly link?: Omit<AnswerLink, 'tail'>; readonly from?: NamedDerivation })
  | (Step<'and' | 'or'> & { readonly operands: readonly NamedDerivation[] })
  | (Step<'not'> & { readonly operand: NamedDerivation });

/** Why one entity answers. */
export interface NamedSupport {
  readonly derivation: NamedDerivation;
  /**
   * The links of the derivation, in the order of the query, without those that speak against the entity, and without
   * those of a disjunction's other operands where one is certain.
   */
  readonly links: readonly AnswerLink[];
}

/** An explanation with names. */
export interface NamedExplanation {
  readonly parts: readonly PartExplanation[];
  readonly answers: readonly NamedSupport[];
}

/** An explanation by ids, and what is known of the facts in it. */
export interface TracedExplanation extends ReasonedExplanation {
  readonly provenanceOf?: ProvenanceOf | undefined;
}

/** Gives names to an explanation, an answer in a piece. */
export function* nameExplanation(
  vocabulary: Vocabulary,
  { parts, derivations, reasons, provenanceOf }: TracedExplanation,
): Steps<NamedExplanation> {
  const entityOf = (id: number): NamedId => nameEntity(vocabulary, id);
  const reasonsOf = new Map(
    reasons.map((each) => [
      linkKey(each.head, each.relation, each.tail),
      nameReasons(vocabulary, entityOf, each),
    ]),
  );
  const name = (derivation: Derivation): NamedDerivation => {
    const step = { entity: entityOf(derivation.entity), degree: derivation.degree };
    switch (derivation.op) {
      case 'entity':
        return { op: derivation.op, ...step };
      case 'project': {
        const { op, link, from } = derivation;
        if (link === undefined || from === undefined) return { op, ...step };
        const { head, relation, recorded, degree } = link;
        const why = reasonsOf.get(linkKey(head, relation, derivation.entity));
        const named = {
          head: entityOf(head),
          relation: nameRelation(vocabulary, relation),
          recorded,
          degree,
          ...(why === undefined ? {} : { reasons: why }),
          ...(recorded ? provenanceField(provenanceOf, head, relation, derivation.entity) : {}),
        };
        return { op, ...step, link: named, from: name(from) };
      }
      case 'not':
        return { op: derivation.op, ...step, operand: name(derivation.operand) };
      default:
        return { op: derivation.op, ...step, operands: derivation.operands.map(name) };
    }
  };
  const named: PartExplanation[] = [];
  for (const [i, { path, ids, degrees, known }] of parts.entries()) {
    if (i % partsOfStep === 0) yield;
    const best = Array.from(ids, (id, at) => ({
      ...entityOf(id),
      degree: degrees[at]!,
      known: known[at] === 1,
    }));
    named.push({ path, best });
  }
  const answers: NamedSupport[] = [];
  for (const each of derivations) {
    const derivation = name(each);
    answers.push({ derivation, links: linksOf(derivation) });
    yield;
  }
  return { parts: named, answers };
}

function nameReasons(
  vocabulary: Vocabulary,
  entityOf: (id: number) => NamedId,
  { entailed, rules, neighbours, against }: LinkReasons,
): NamedReasons {
  return {
    entailed,
    rules: rules.map(({ rule, confidence, entities }) => ({
      confidence,
      hits: rule.hits,
      predictions: rule.predictions,
      facts: relationsIn(rule).map((relation, i) => ({
        head: entityOf(entities[i]!),
        relation: nameRelation(vocabulary, relation),
        tail: entityOf(entities[i + 1]!),
      })),
    })),
    neighbours: neighbours.map(entityOf),
    against: against.map((each) => ({
      kind: each.kind,
      entities: each.kind === 'unusual tail' ? [] : each.entities.map(entityOf),
      share: each.share,
    })),
  };
}

/** The relations of the facts of a body. */
function relationsIn(rule: RuleInstance['rule']): readonly RelationId[] {
  // Relations of rules are relations of the graph.
  return (rule.kind === 'path' ? rule.path : [rule.body.relation]) as readonly RelationId[];
}

/** How many parts are named in a piece of work. */
const partsOfStep = 128;

/** An entity with its names. */
export function nameEntity(vocabulary: Vocabulary, id: number): NamedId {
  const { key, label } = vocabulary.entity(id);
  return { id: asEntityId(id), key, label };
}

/** A relation with its names. */
export function nameRelation(vocabulary: Vocabulary, id: RelationId): NamedRelation {
  const { key, label, inverse } = vocabulary.relation(id);
  return { id, key, label, inverse };
}

/** The links that speak for an entity: two negations are none, and of a disjunction what is certain needs nothing else. */
function linksOf(derivation: NamedDerivation): AnswerLink[] {
  const links: AnswerLink[] = [];
  const visit = (node: NamedDerivation, counts: boolean): void => {
    switch (node.op) {
      case 'entity':
        return;
      case 'not':
        visit(node.operand, !counts);
        return;
      case 'project':
        if (node.from !== undefined) visit(node.from, counts);
        if (node.link !== undefined && counts) links.push({ ...node.link, tail: node.entity });
        return;
      default: {
        // By De Morgan a negated conjunction is a disjunction, of operands that are certain where their degree is 0.
        const certain =
          node.op === (counts ? 'or' : 'and')
            ? node.operands.filter(({ degree }) => degree === (counts ? 1 : 0))
            : [];
        for (const operand of certain.length > 0 ? certain : node.operands) visit(operand, counts);
      }
    }
  };
  visit(derivation, true);
  return links;
}
