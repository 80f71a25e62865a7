import { FuzzError } from '../errors.ts';
import { expectOptions } from '../input/expect-options.ts';
import { expectText } from '../input/expect-text.ts';
import { offerNames } from '../input/nearest.ts';
import { type Finish, finish, type Steps } from '../input/steps.ts';
import { type EntityRows, noEntityRows } from './entity-rows.ts';
import { asEntityId, asRelationId, checkId, type EntityId, type RelationId } from './ids.ts';
import { createNameIndex, type NameIndex } from './name-index.ts';
import { keyBehind, type Prefixes, prefixOf } from './prefixes.ts';
import { createNameSearch, type Page } from './search-names.ts';

/** What an entity or a forward relation is called. */
export interface NameEntry {
  /** The name the data gives it, unique among its kind: `Q142`, `/m/0f8l9c`. */
  readonly key: string;
  /** The name people give it; several may share one. */
  readonly label: string;
  readonly description?: string;
}

/** A relation's names; those of an inverse are of the forward relation, the key with `^-1` after it. */
export interface RelationEntry extends NameEntry {
  readonly inverse: boolean;
}

/** An entity that a search found. */
export interface EntityMatch extends NameEntry {
  readonly id: EntityId;
}

/** A forward relation that a search found. */
export interface RelationMatch extends NameEntry {
  readonly id: RelationId;
}

/** What a search found. */
export interface Matches<Match> {
  /** How many there are, whatever the page. */
  readonly total: number;
  /** Those of the page, the best first. */
  readonly results: readonly Match[];
}

/** The names of a graph's entities and relations. */
export interface Vocabulary {
  readonly entityCount: number;
  /** Inverses included: twice the number of forward relations. */
  readonly relationCount: number;
  /** What prefixes in names stand for; empty for most graphs that are not from RDF. */
  readonly prefixes: Prefixes;
  /** Further names and descriptions of entities, which searches look through: `aliasesOf`. */
  readonly aliases: EntityRows;
  /** @throws FuzzError `range`: no such id. */
  entity(id: number): NameEntry;
  /** @throws FuzzError `range`: no such id. */
  relation(id: number): RelationEntry;
  /**
   * The entity of the key between the brackets of `<key>`, else of that key, else of that label, else of that label in another case if
   * only one has it, else of that further name if only one has it, else of the key that `prefix:rest` stands for.
   *
   * @throws FuzzError `vocabulary`: no such name, a label that several share, or a prefix that is not known.
   */
  findEntity(name: string): EntityId;
  /** The forward relation of that name, found like an entity; `^-1` is part of the query notations, not of names. */
  findRelation(name: string): RelationId;
  /** Whether `findRelation` finds it; the answer no is far cheaper than its error, which looks for near names. */
  hasRelation(name: string): boolean;
  /**
   * The entities with a label, key or further name that begins with the text, then has a word that does, then contains it,
   * then has words that are spelled like it; then those with a description in which a word begins with it. `<key>` and `prefix:rest` search for the key that they stand for.
   *
   * @throws FuzzError `vocabulary`: no text. `range` or `usage`: the page.
   */
  searchEntities(text: string, page?: Page): Matches<EntityMatch>;
  searchRelations(text: string, page?: Page): Matches<RelationMatch>;
  /** As `searchEntities`, in pieces: a search goes through all names. */
  searchingEntities(text: string, page?: Page): Steps<Matches<EntityMatch>>;
  searchingRelations(text: string, page?: Page): Steps<Matches<RelationMatch>>;
  /** The names that a mistyped one most likely stands for, the likeliest first; in pieces. */
  nearNames(kind: NameKind, name: string): Steps<readonly string[]>;
  /** Prepares what the first search or name that is no key would wait for, in pieces. */
  prepareSearch(): Steps<void>;
  /** Prepares what the first name that is no key would wait for, in pieces; does nothing where it is. */
  prepareNames(): Steps<void>;
  /**
   * The same names, whose errors offer the near ones that a function gives, or none where it gives undefined.
   *
   * @param index indexes labels for the first name that is no key. Default: at once.
   */
  offering(near: OfferedNames, index?: Finish): Vocabulary;
  /** The same names, whose errors offer no near ones: to look for these goes through all names. */
  readonly withoutNearNames: Vocabulary;
}

/** What names are of. */
export type NameKind = 'entity' | 'relation';

/** What is offered instead of a name that there is not. */
export type OfferedNames = (kind: NameKind, name: string) => readonly string[] | undefined;

/** What a vocabulary is made from; ids follow from the order: entity i, and relation 2k with its inverse 2k+1. */
export interface VocabularyInput {
  readonly entities: readonly NameEntry[];
  /** Forward relations only. */
  readonly relations: readonly NameEntry[];
  /** Default: none. */
  readonly prefixes?: Prefixes;
  /** What `readAliases` reads. Default: none. */
  readonly aliases?: EntityRows;
}

/** So many near names are offered. */
const mostOffered = 3;

/** The ending that names the inverse of a relation. */
export const inverseSuffix = '^-1';

/**
 * Indexes the names of a graph.
 *
 * @throws FuzzError `data`: no array of entries, an entry without key or label, a key that is empty or given twice.
 * @example
 * const names = createVocabulary({
 *   entities: [{ key: 'Q142', label: 'France' }],
 *   relations: [{ key: 'P47', label: 'borders' }],
 * });
 * names.findEntity('France'); // 0
 */
export function createVocabulary(input: VocabularyInput): Vocabulary {
  expectOptions('createVocabulary', input, [], 'data');
  const { entities, relations, prefixes = new Map(), aliases = noEntityRows } = input;
  const entityIndex = createNameIndex('entity', entities, aliases);
  const relationIndex = createNameIndex('relation', relations);
  const entitySearch = createNameSearch(entities, aliases);
  const relationSearch = createNameSearch(relations);
  const ofEntities = { kind: 'entity', entries: entities, index: entityIndex, prefixes } as const;
  const ofRelations = { kind: 'relation', entries: relations, index: relationIndex, prefixes } as const;
  const soughtBy = (text: string): string => {
    expectText('text', text, 'vocabulary');
    return keyBehind(text.trim(), prefixes) ?? text;
  };
  function* nearNames(kind: NameKind, name: string): Steps<readonly string[]> {
    const search = kind === 'entity' ? entitySearch : relationSearch;
    // Several names may be near of one entity, whose label is offered once.
    const near = yield* search.nearest(name, 2 * mostOffered);
    return [...new Set(near.map((match) => match.name))].slice(0, mostOffered);
  }
  const named: Omit<Vocabulary, 'findEntity' | 'findRelation' | 'hasRelation' | 'withoutNearNames'> = {
    entityCount: entities.length,
    relationCount: relations.length * 2,
    prefixes,
    aliases,
    entity(id) {
      checkId('entity', id, entities.length, `entity ${id}`);
      return entities[id]!;
    },
    relation(id) {
      checkId('relation', id, relations.length * 2, `relation ${id}`);
      const forward = relations[id >>> 1]!;
      if (id % 2 === 0) return { ...forward, inverse: false };
      return { ...forward, key: forward.key + inverseSuffix, inverse: true };
    },
    searchEntities: (text, page) => finish(named.searchingEntities(text, page)),
    searchRelations: (text, page) => finish(named.searchingRelations(text, page)),
    *searchingEntities(text, page) {
      const { total, places } = yield* entitySearch.search(soughtBy(text), page);
      return { total, results: places.map((i) => ({ ...entities[i]!, id: asEntityId(i) })) };
    },
    *searchingRelations(text, page) {
      const { total, places } = yield* relationSearch.search(soughtBy(text), page);
      return { total, results: places.map((i) => ({ ...relations[i]!, id: asRelationId(i * 2) })) };
    },
    nearNames,
    offering,
    *prepareNames() {
      yield* entityIndex.prepare();
      yield* relationIndex.prepare();
    },
    *prepareSearch() {
      yield* named.prepareNames();
      yield* entitySearch.prepare();
      yield* relationSearch.prepare();
    },
  };
  function offering(near: OfferedNames, index?: Finish): Vocabulary {
    return {
      ...named,
      findEntity: (name) => asEntityId(find(ofEntities, name, near, index)),
      findRelation: (name) => asRelationId(find(ofRelations, name, near, index) * 2),
      hasRelation(name) {
        const { length } = relationIndex.lookUp(name, index);
        const key = keyBehind(name, prefixes);
        return length === 1 || (length === 0 && key !== undefined && relationIndex.ofKey(key) !== undefined);
      },
      get withoutNearNames() {
        return withoutNearNames;
      },
    };
  }
  const withoutNearNames = offering(() => undefined);
  return offering((kind, name) => finish(nearNames(kind, name)));
}

/** What names of one kind are found by. */
interface Names {
  readonly kind: NameKind;
  readonly entries: readonly NameEntry[];
  readonly index: NameIndex;
  readonly prefixes: Prefixes;
}

function find(
  { kind, entries, index, prefixes }: Names,
  name: string,
  offered: OfferedNames,
  finishing?: Finish,
): number {
  const found = index.lookUp(name, finishing);
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    const keys = found.slice(0, 5).map((i) => JSON.stringify(entries[i]!.key));
    const more = found.length > keys.length ? ` and ${found.length - keys.length} more` : '';
    throw new FuzzError(
      'vocabulary',
      `${kind} ${JSON.stringify(name)}: expected a name that only one has, got one that ${found.length} share`,
      { hint: `Use a key: ${keys.join(', ')}${more}.` },
    );
  }
  const key = keyBehind(name, prefixes);
  const behind = key === undefined ? undefined : index.ofKey(key);
  if (behind !== undefined) return behind;
  const looked = offered(kind, key ?? name);
  const near = looked ?? [];
  const prefix = prefixOf(name);
  if (key === undefined && prefix !== undefined && prefixes.size > 0) {
    const known = [...prefixes.keys()].map((each) => `${each}:`).join(', ');
    throw new FuzzError(
      'vocabulary',
      `${kind} ${JSON.stringify(name)}: expected a prefix that is known, got "${prefix}:"`,
      {
        hint: `Known are ${known}; any key may be written <key>.${near.length > 0 ? ` ${offerNames(near, '')}` : ''}`,
      },
    );
  }
  const otherwise =
    looked === undefined ? 'Search the names of the graph.' : `no ${kind} is called nearly so.`;
  throw new FuzzError(
    'vocabulary',
    `${kind}: expected a key or label of the graph, got ${JSON.stringify(name)}`,
    { hint: offerNames(near, otherwise) },
  );
}
