import type { ModelInfo } from '@fuzzqe/api';
import { type EntityId, FuzzError } from '@fuzzqe/core';
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
      // The search comes first: a browser logs the failed request for an unknown name.
      const isKnown = /[<:#]/.test(name) || (await asks.names(name, { limit: 1 })).results.length > 0;
      if (!isKnown) throw unknownEntity(name);
      const found = await named(asks, name);
      remember({ entities: [found] });
      return found;
    },
  };
}

async function describe(source: AnswerSource, id: EntityId): Promise<NamedEntity> {
  try {
    return await source.page(id, nothingElse);
  } catch (cause) {
    if (!(cause instanceof SourceError) || cause.fault !== 'refused') throw cause;
    throw new FuzzError('range', `entity: no entity has the id ${id}`, {
      hint: 'Pick one by its name.',
      cause,
    });
  }
}

/** The entity that a name means to the source, by the rules of the query notation. */
async function named(source: AnswerSource, name: string): Promise<NamedEntity> {
  let hint: string | undefined;
  try {
    const found = await source.page(name, nothingElse);
    const { key, label, names } = found;
    // The source takes digits that are no name for an id. The notation does not.
    if (
      !/^#?\d+$/.test(name) ||
      [key, label, ...(names?.results ?? []).map(({ text }) => text)].includes(name)
    )
      return found;
  } catch (cause) {
    if (!(cause instanceof SourceError) || cause.fault !== 'refused') throw cause;
    hint = cause.hint;
  }
  throw unknownEntity(name, hint);
}

function unknownEntity(name: string, hint = 'Type a part of its name to find it.'): FuzzError {
  return new FuzzError(
    'vocabulary',
    `entity: no entity, or more than one, is called ${JSON.stringify(name)}`,
    { hint },
  );
}

const nothingElse = { limit: 1, recorded: 0, predicted: 0 };
