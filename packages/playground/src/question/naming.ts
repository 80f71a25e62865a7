import {
  asEntityId,
  asRelationId,
  type EntityId,
  FuzzError,
  type RelationId,
  receivedError,
  type SentError,
  sentError,
  type Vocabulary,
} from '@fuzzqe/core';
import { createVocabulary } from '@fuzzqe/names';
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
  /** The same elsewhere: `work` gets the names that are known, and says which it had to do without. */
  runElsewhere<T>(work: (known: KnownNames) => Promise<Outcome<T>>): Promise<T>;
  /** Stands for an entity that is missing: the id behind the last, of which `run` counts one more. */
  readonly holeEntity: EntityId;
  /** Stands for a relation that is missing, likewise; its inverse does, too. */
  readonly holeRelation: RelationId;
}

/** What is known of the names of a graph, as a message carries it. */
export interface KnownNames extends Pick<GraphNames, 'entityCount' | 'relations' | 'prefixes'> {
  /** The entities that were asked for by a name, or why there is none. */
  readonly found: ReadonlyMap<string, NamedEntity | SentError>;
}

/** How work ended that was done elsewhere. */
export type Outcome<T> =
  | { readonly value: T }
  | { readonly missing: readonly string[] }
  | { readonly error: SentError };

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

  const askFor = async (ids: Iterable<EntityId>, unknown: Iterable<string>): Promise<void> => {
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
      await askFor(ids, unknown);
    }
  };

  const runElsewhere = async <T>(work: (known: KnownNames) => Promise<Outcome<T>>): Promise<T> => {
    const found = new Map<string, NamedEntity | SentError>();
    for (let runs = 0; ; runs++) {
      const outcome = await work({ entityCount, relations: names.relations, prefixes, found });
      if ('value' in outcome) return outcome.value;
      if ('error' in outcome) throw receivedError(outcome.error);
      if (runs === mostRuns) throw new FuzzError('query', 'names: expected few runs to have all, got more');
      await askFor(
        [],
        outcome.missing.filter((name) => !byName.has(name)),
      );
      for (const name of outcome.missing) {
        const id = byName.get(name)!;
        const entity = id instanceof FuzzError ? id : byId.get(id)!;
        found.set(name, entity instanceof FuzzError ? sentError(entity) : entity);
      }
    }
  };
  return { run, runElsewhere, holeEntity, holeRelation: asRelationId(names.relations.length * 2) };
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

/** Does what `runElsewhere` asks for, with the names that are known there. */
export async function withKnownNames<T>(
  { found, ...graph }: KnownNames,
  work: (naming: Naming) => Promise<T>,
): Promise<Outcome<T>> {
  const missing: string[] = [];
  const naming = createNaming({
    ...graph,
    entity: async (id) => {
      throw new FuzzError('range', `entity: expected a name, got the id ${id}`);
    },
    async findEntity(name) {
      const entity = found.get(name);
      if (entity !== undefined && 'id' in entity) return entity;
      if (entity === undefined) missing.push(name);
      throw entity === undefined ? new Error('a name that is to come') : receivedError(entity);
    },
  });
  try {
    return { value: await work(naming) };
  } catch (error) {
    return missing.length > 0 ? { missing } : { error: sentError(error) };
  }
}
