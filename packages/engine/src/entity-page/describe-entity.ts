import {
  asEntityId,
  asRelationId,
  checkId,
  type EntityId,
  type KnowledgeGraph,
  type RelationId,
  type Steps,
  type Vocabulary,
} from '@fuzzqe/core';
import { entity, project } from '@fuzzqe/core/query';
import { type CostSize, checkLinksCost, estimateCost, estimateNamingCost } from '../cost/estimate-cost.ts';
import { type FactProvenance, type ProvenanceOf, provenanceField } from '../explain/fact-provenance.ts';
import { type NamedId, type NamedRelation, nameEntity, nameRelation } from '../explain/name-explanation.ts';
import {
  aFunction,
  anything,
  atLeast,
  checkForms,
  checkNames,
  flag,
  integerIn,
  type OptionForm,
} from '../options/option-forms.ts';
import { inTurns } from '../queue/in-turns.ts';
import type { CallLimits } from '../ranker/call-limits.ts';
import type { Ranker, SetsResult } from '../ranker/ranker.ts';
import { leastSuggestion } from '../sets/answer-state.ts';
import type { EntityTexts } from './entity-texts.ts';

/** Which part of what there is to say of an entity is wanted. */
export interface EntityOptions extends CallLimits {
  /** How many relations, in [1, 64]: each takes as long as a query of one link. Default 16. */
  readonly limit?: number;
  /** How many relations are passed over. Default 0. */
  readonly offset?: number;
  /** How many recorded entities of each relation, in [0, 1000]. Default 10. */
  readonly recorded?: number;
  /** How many predicted entities of each relation, in [0, 100]; 0 asks the model nothing. Default 3. */
  readonly predicted?: number;
  /** The most milliseconds of one core that its links and names may take together, by the model of costs. Default: any. */
  readonly costLimit?: number;
  /** Hears what these cost, in milliseconds of one core, before they are asked for. */
  readonly onCost?: (cost: number) => void;
}

/** An entity to which a link leads that is not recorded. */
export interface PredictedEntity extends NamedId {
  /** μ of (9): how likely the link is a fact, in [0.01, 1). */
  readonly degree: number;
}

/** An entity to which a recorded link leads. */
export interface RecordedEntity extends NamedId {
  /** Where the link comes from, where that is known. */
  readonly provenance?: FactProvenance;
}

/** What one relation says of an entity. */
export interface EntityRelation {
  readonly relation: NamedRelation;
  /** Where the relation leads by the facts, in the order of ids. */
  readonly recorded: { readonly total: number; readonly results: readonly RecordedEntity[] };
  /** Where it leads by the model alone, best first, from a degree of 0.01 on. */
  readonly predicted: readonly PredictedEntity[];
}

/** What there is to say of an entity. */
export interface EntityDescription extends NamedId, EntityTexts {
  readonly description?: string;
  /** How many facts it is in. */
  readonly facts: number;
  /** Relations in both directions: those with facts of the entity first, most facts first; then the others, the most used first. */
  readonly relations: { readonly total: number; readonly results: readonly EntityRelation[] };
}

/** What descriptions are made of. */
export interface DescriptionContext {
  readonly vocabulary: Vocabulary;
  readonly facts: KnowledgeGraph;
  readonly ranker: Pick<Ranker, 'rank'>;
  readonly costSize: CostSize;
  readonly textsOf: (id: number) => Promise<EntityTexts>;
  readonly provenanceOf?: ProvenanceOf | undefined;
}

/**
 * The facts of an entity, and the best new ones of each relation, all in one call of the ranker.
 *
 * @throws FuzzError `range`: no such entity, or an option out of its range. `cost`: it would take too long. What the ranker throws.
 */
export async function describeEntity(
  { vocabulary, facts, ranker, costSize, textsOf, provenanceOf }: DescriptionContext,
  id: number,
  options: EntityOptions,
): Promise<EntityDescription> {
  checkId('entity', id, facts.entityCount, '$.id');
  checkNames(options, Object.keys(forms));
  checkForms(options, forms, 'range', '$', 'Leave it out for the default; by offset others come.');
  const { limit = 16, offset = 0, recorded = 10, predicted = 3 } = options;
  const head = asEntityId(id);
  const relations = relationsOf(facts, head).slice(offset, offset + limit);
  const k = Math.min(predicted, facts.entityCount);
  const asked =
    k === 0
      ? []
      : relations.map((relation) => ({
          task: 'sets' as const,
          query: project(relation, entity(head)),
          k,
          exclude: 'known' as const,
          minDegree: leastSuggestion,
        }));
  const named = relations.reduce(
    (sum, relation) => sum + Math.min(facts.tails(head, relation).length, recorded),
    0,
  );
  const cost =
    estimateNamingCost(named) +
    asked.reduce((sum, each) => sum + estimateCost(each.query, each, costSize), 0);
  checkLinksCost(relations.length, cost, options.costLimit ?? Number.POSITIVE_INFINITY);
  options.onCost?.(cost);
  const found = asked.length === 0 ? [] : await ranker.rank(asked, options);
  const nameOf = (entityId: number): NamedId => nameEntity(vocabulary, entityId);
  const { description } = vocabulary.entity(id);
  function* naming(): Steps<EntityRelation[]> {
    const results: EntityRelation[] = [];
    for (const [i, relation] of relations.entries()) {
      const tails = facts.tails(id, relation);
      results.push({
        relation: nameRelation(vocabulary, relation),
        recorded: {
          total: tails.length,
          results: Array.from(tails.subarray(0, recorded), (tail) => ({
            ...nameOf(tail),
            ...provenanceField(provenanceOf, id, relation, tail),
          })),
        },
        predicted: predictedOf(found[i], nameOf),
      });
      yield;
    }
    return results;
  }
  return {
    ...nameOf(id),
    ...(description === undefined ? {} : { description }),
    ...(await textsOf(id)),
    facts: facts.degree(id),
    relations: { total: facts.relationCount, results: await inTurns(naming(), options) },
  };
}

function predictedOf(
  result: SetsResult | undefined,
  nameOf: (id: number) => NamedId,
): readonly PredictedEntity[] {
  if (result === undefined) return [];
  const { ids, degrees } = result;
  return Array.from(ids, (id, place) => ({ ...nameOf(id), degree: degrees[place]! }));
}

/** All relations: those of the entity by how many facts they have there, then the others by how many entities they leave. */
function relationsOf(facts: KnowledgeGraph, head: EntityId): RelationId[] {
  const own = new Set(facts.relationsOf(head));
  const byCount = (
    relations: readonly RelationId[],
    count: (relation: RelationId) => number,
  ): RelationId[] => {
    const counts = new Map(relations.map((relation) => [relation, count(relation)]));
    return relations.toSorted((a, b) => counts.get(b)! - counts.get(a)! || a - b);
  };
  const all = Array.from({ length: facts.relationCount }, (_, relation) => asRelationId(relation));
  return [
    ...byCount(
      all.filter((relation) => own.has(relation)),
      (relation) => facts.tails(head, relation).length,
    ),
    ...byCount(
      all.filter((relation) => !own.has(relation)),
      (relation) => facts.headsOf(relation).length,
    ),
  ];
}

const forms: Readonly<Record<keyof EntityOptions, OptionForm>> = {
  limit: integerIn(1, 64),
  offset: integerIn(0, Number.MAX_SAFE_INTEGER),
  recorded: integerIn(0, 1000),
  predicted: integerIn(0, 100),
  costLimit: atLeast(0),
  onCost: aFunction,
  caller: anything,
  asksAgain: flag,
  signal: anything,
  deadline: anything,
};
