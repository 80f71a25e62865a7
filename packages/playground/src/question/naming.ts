import {
  asEntityId,
  asRelationId,
  createVocabulary,
  type EntityId,
  FuzzError,
  type RelationId,
  type Vocabulary,
} from '@fuzzqe/core';
import type { GraphNames, NamedEntity } from './names.ts';

/** Does what needs the names of a graph at hand with those that are asked for one at a time. */
export interface Naming {
  /**
   * Runs something with a vocabulary of the names that it needs: again and again, each time with those that it had to do without
   * before, until it has had all of them.
   *
   * `work` must do the same each time. @throws what `work` throws with all names, and what asking for a name throws but
   * FuzzError `vocabulary` and `range`, which `work` gets instead.
   */
  run<T>(work: (vocabulary: Vocabulary) => T): Promise<T>;
  /** Stands for an entity that is missing: the id behind the last, of which `run` counts one more. */
  readonly holeEntity: EntityId;
  /** Stands for a relation that is missing, likewise; its inverse does, too. */
  readonly holeRelation: RelationId;
}

/** The name of what is missing, which a text can have without quotes; people see `?`. */
export const holeName = '\ua66e';

/** Runs with more names would ask for ever. */
const mostRuns = 10;

/** Names as `GraphNames` give them, kept once they are known. */
export function createNaming(names: GraphNames): Naming {
  const hole = { key: holeName, label: holeName };
  const relations = [...names.relations, hole];
  const { prefixes, entityCount } = names;
  const base = createVocabulary({ entities: [], relations, prefixes });
  const holeEntity = asEntityId(entityCount);
  const byId = new Map<number, NamedEntity | FuzzError>([[holeEntity, { id: holeEntity, ...hole }]]);
  const byName = new Map<string, EntityId | FuzzError>([[holeName, holeEntity]]);

  const remember = (entity: NamedEntity): EntityId => {
    byId.set(entity.id, entity);
    byName.set(entity.key, entity.id);
    return entity.id;
  };

  const run = async <T>(work: (vocabulary: Vocabulary) => T): Promise<T> => {
    for (let runs = 0; ; runs++) {
      const ids = new Set<EntityId>();
      const unknown = new Set<string>();
      const vocabulary: Vocabulary = {
        ...base,
        entityCount: entityCount + 1,
        entity(id) {
          const found = byId.get(id);
          if (found instanceof FuzzError) throw found;
          if (found === undefined) ids.add(asEntityId(id));
          return found ?? { key: `#${id}`, label: `#${id}` };
        },
        findEntity(name) {
          const found = byName.get(name);
          if (found instanceof FuzzError) throw found;
          if (found !== undefined) return found;
          unknown.add(name);
          // Most names find what they are the label of: whoever looks for a name that does need not try another.
          for (const entity of byId.values())
            if (!(entity instanceof FuzzError) && entity.label === name) return entity.id;
          return asEntityId(0);
        },
        get withoutNearNames() {
          return vocabulary;
        },
      };
      const result = attempt(() => work(vocabulary));
      if ((ids.size === 0 && unknown.size === 0) || runs === mostRuns) {
        if ('error' in result) throw result.error;
        return result.value;
      }
      const asked = [
        ...[...ids].map(async (id) => {
          byId.set(id, await orRefusal(names.entity(id)));
        }),
        ...[...unknown].map(async (name) => {
          const found = await orRefusal(names.findEntity(name));
          byName.set(name, found instanceof FuzzError ? found : remember(found));
        }),
      ];
      const failed = (await Promise.allSettled(asked)).find((each) => each.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    }
  };
  return { run, holeEntity, holeRelation: asRelationId(names.relations.length * 2) };
}

type Attempt<T> = { readonly value: T } | { readonly error: unknown };

function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

/** What was asked for, or that there is none: other errors are not about the name. */
async function orRefusal<T>(answer: Promise<T>): Promise<T | FuzzError> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof FuzzError && (error.code === 'vocabulary' || error.code === 'range')) return error;
    throw error;
  }
}
