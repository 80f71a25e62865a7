import type { KnowledgeGraph, Vocabulary } from '@fuzzqe/core';
import { meaningsOf, type Pattern, type SetMeaning } from '@fuzzqe/core/query';
import { type ModelLikeness, similarEntities } from '@fuzzqe/evidence';
import { type Attributes, entitiesWithValues, noAttributes, type ValuesState } from '@fuzzqe/names';
import type { GivenSet } from '../sets/pattern-mode.ts';
import type { LikenessOf } from './model-likeness.ts';

/** What says which entities a condition on values or on likeness means. */
export interface GivenState {
  readonly vocabulary: Vocabulary;
  readonly facts: KnowledgeGraph;
  /** Default: facts alone say how alike entities are. */
  readonly likenessOf?: LikenessOf | undefined;
  /** The literals of all entities. Default: none. */
  readonly attributes?: (() => Promise<Attributes>) | undefined;
}

/** What literals are looked up in. */
export async function valuesOf({
  vocabulary,
  attributes = async () => noAttributes,
}: Pick<GivenState, 'vocabulary' | 'attributes'>): Promise<ValuesState> {
  return { attributes: await attributes(), vocabulary };
}

/** How alike all entities are to each entity that a pattern names, by a model. */
export type Likenesses = Map<number, ModelLikeness | undefined>;

/**
 * The sets that the conditions of a pattern on values and on likeness mean. Puts what a model says of likeness into `likenesses`.
 *
 * @throws FuzzError as `entitiesWithValues`.
 */
export async function givenSets(
  pattern: Pattern,
  state: GivenState,
  likenesses: Likenesses,
): Promise<GivenSet[]> {
  const found: GivenSet[] = [];
  for (const [name, means] of meaningsOf(pattern))
    found.push({ name, ...(await membersOf(means, state, likenesses)) });
  return found;
}

async function membersOf(
  means: SetMeaning,
  state: GivenState,
  likenesses: Likenesses,
): Promise<Omit<GivenSet, 'name'>> {
  const { facts } = state;
  if (means.op === 'like') {
    const likeness = await state.likenessOf?.(means.entity);
    likenesses.set(means.entity, likeness);
    return similarEntities(facts, means.entity, likeness);
  }
  // Entities that came after these facts are not in them.
  const ids = entitiesWithValues(means, await valuesOf(state)).filter((id) => id < facts.entityCount);
  return { ids, degrees: new Float32Array(ids.length).fill(1) };
}
