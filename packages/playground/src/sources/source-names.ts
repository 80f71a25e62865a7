import { type EntityId, FuzzError } from '@fuzzqe/core';
import type { ModelInfo } from '@fuzzqe/engine/api';
import type { FoundNames, GraphNames, NamedEntity, NamedRelation } from '../question/names.ts';
import { type AnswerSource, SourceError } from './answer-source.ts';

/** Names of a source's graph; what was asked for once is known from then on. */
export interface SourceNames extends GraphNames {
  /**
   * Keeps names that came with something else.
   *
   * @throws SourceError `refused`: an id has another name than before. The source has another graph by now, in which the ids of a
   * question mean something else.
   */
  remember(found: FoundNames): void;
  /** From now on another source of the same graph is asked for names. */
  askInstead(source: AnswerSource): void;
  /** The entity if it is known already. */
  known(id: EntityId): NamedEntity | undefined;
}

/** How many names are looked through for one that is written out. */
const searched = 50;

/** The names of a source's graph, with its relations at hand and its entities as they are asked for. */
export async function openSourceNames(
  source: AnswerSource,
  model: ModelInfo,
  signal?: AbortSignal,
): Promise<SourceNames> {
  // Listings give ids of the graph that was asked.
  const relations = (await source.relations(signal)) as readonly NamedRelation[];
  let asks = source;
  const prefixes = new Map(Object.entries(model.prefixes));
  const entities = new Map<EntityId, NamedEntity>();
  const asked = new Map<EntityId, Promise<NamedEntity>>();
  const remember = ({ entities: named, relations: related = [] }: FoundNames): void => {
    const found = [...named];
    const isOther =
      found.some(({ id, key }) => (entities.get(id)?.key ?? key) !== key) ||
      [...related].some(({ id, label }) => relations[Math.floor(id / 2)]?.label !== label);
    if (isOther)
      throw new SourceError('refused', 'Another version of this graph is served by now.', {
        hint: 'Reload the page: the question is read again by its names.',
      });
    for (const { id, key, label } of found) entities.set(id, { id, key, label });
  };
  return {
    entityCount: model.entities,
    relations,
    prefixes,
    remember,
    askInstead(other) {
      asks = other;
    },
    known: (id) => entities.get(id),
    entity(id) {
      const known = entities.get(id);
      if (known !== undefined) return Promise.resolve(known);
      let answer = asked.get(id);
      if (answer === undefined) {
        answer = describe(asks, id)
          .then((found) => {
            remember({ entities: [found] });
            return found;
          })
          .finally(() => asked.delete(id));
        asked.set(id, answer);
      }
      return answer;
    },
    async findEntity(name) {
      const known = [...entities.values()].find(({ key }) => key === name);
      if (known !== undefined) return known;
      const { results } = await asks.names(name, { limit: searched });
      // Listings give ids of the graph that was asked.
      const found = results as readonly NamedEntity[];
      remember({ entities: found });
      return pick(name, keyOf(name, prefixes), found);
    },
  };
}

async function describe(source: AnswerSource, id: EntityId): Promise<NamedEntity> {
  try {
    return await source.page(id, { limit: 1, recorded: 0, predicted: 0 });
  } catch (cause) {
    if (!(cause instanceof SourceError) || cause.fault !== 'refused') throw cause;
    throw new FuzzError('range', `entity: no entity has the id ${id}`, {
      hint: 'Pick one by its name.',
      cause,
    });
  }
}

/** The key that `<key>` or `prefix:rest` stands for; a name that is neither, as it is. */
function keyOf(name: string, prefixes: GraphNames['prefixes']): string {
  if (name.startsWith('<') && name.endsWith('>')) return name.slice(1, -1);
  const colon = name.indexOf(':');
  const space = prefixes.get(name.slice(0, Math.max(colon, 0)));
  return space === undefined ? name : space + name.slice(colon + 1);
}

/** The entity of that key, else of that label, else of that label in another case if only one has it. */
function pick(name: string, written: string, found: readonly NamedEntity[]): NamedEntity {
  const byKey = found.find(({ key }) => key === name) ?? found.find(({ key }) => key === written);
  if (byKey !== undefined) return byKey;
  const lower = name.toLowerCase();
  const labelled = [
    found.filter(({ label }) => label === name),
    found.filter(({ label }) => label.toLowerCase() === lower),
  ].find((each) => each.length > 0);
  if (labelled?.length === 1) return labelled[0] as NamedEntity;
  if (labelled !== undefined)
    throw new FuzzError(
      'vocabulary',
      `entity: ${labelled.length} entities are called ${JSON.stringify(name)}`,
      {
        hint: `Write a key instead: ${labelled
          .slice(0, 3)
          .map(({ key }) => JSON.stringify(key))
          .join(', ')}.`,
      },
    );
  const near = found.slice(0, 3).map(({ label }) => JSON.stringify(label));
  throw new FuzzError('vocabulary', `entity: no entity is called ${JSON.stringify(name)}`, {
    hint: near.length === 0 ? 'Type a part of its name to find it.' : `Did you mean ${near.join(' or ')}?`,
  });
}
