import type { NameEntry, Vocabulary } from '@fuzzqe/core';

/** Turns the names in a file of triples into ids; undefined for a name that is not known. */
export interface TripleNames {
  entity(name: string): number | undefined;
  relation(name: string): number | undefined;
  /** What to do about a name that is not known. */
  readonly hint: string;
}

/** Names that are numbered as they appear. */
export interface GrowingNames extends TripleNames {
  /** The keys so far, in the order of their ids. */
  readonly entities: readonly string[];
  readonly relations: readonly string[];
}

/** Takes every name as a key and gives it the next id; relations get the even ones. */
export function growingNames(): GrowingNames {
  const entities: string[] = [];
  const relations: string[] = [];
  const entityIds = new Map<string, number>();
  const relationIds = new Map<string, number>();
  const idOf = (key: string, ids: Map<string, number>, keys: string[]): number => {
    const known = ids.get(key);
    if (known !== undefined) return known;
    ids.set(key, keys.length);
    return keys.push(key) - 1;
  };
  return {
    hint: '',
    entities,
    relations,
    entity: (name) => idOf(name, entityIds, entities),
    relation: (name) => idOf(name, relationIds, relations) * 2,
  };
}

/** Knows the given keys and no others. */
export function knownKeys(entities: readonly string[], relations: readonly string[]): TripleNames {
  const entityIds = new Map(entities.map((key, i) => [key, i]));
  const relationIds = new Map(relations.map((key, i) => [key, i * 2]));
  return {
    hint: 'What no training fact names cannot be learned: leave such lines out, or move them to the training file.',
    entity: (name) => entityIds.get(name),
    relation: (name) => relationIds.get(name),
  };
}

/** Takes names as ids: decimal numbers, those of relations with inverses. */
export function numericIds({
  entityCount,
  relationCount,
}: Pick<Vocabulary, 'entityCount' | 'relationCount'>): TripleNames {
  const idBelow =
    (count: number) =>
    (name: string): number | undefined => {
      const id = /^\d{1,10}$/.test(name) ? Number(name) : Number.NaN;
      return id < count ? id : undefined;
    };
  return {
    hint: `Entities have ids in [0, ${entityCount}) and relations, inverses included, in [0, ${relationCount}).`,
    entity: idBelow(entityCount),
    relation: idBelow(relationCount),
  };
}

/** Entries for keys: with the names given for them, else with the key as label. */
export function entriesFor(keys: readonly string[], names: ReadonlyMap<string, NameEntry>): NameEntry[] {
  return keys.map((key) => names.get(key) ?? { key, label: key });
}
