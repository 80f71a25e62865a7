import {
  asEntityId,
  asRelationId,
  checkId,
  type EntityRows,
  expectOptions,
  expectText,
  type Finish,
  FuzzError,
  finish,
  inverseSuffix,
  keyBehind,
  type NameEntry,
  type NameKind,
  type OfferedNames,
  type Prefixes,
  prefixOf,
  type Steps,
  type Vocabulary,
} from '@fuzzqe/core';
import { offerNames } from '@fuzzqe/core/text';
import { noEntityRows } from '../rows/entity-rows.ts';
import { createNameSearch } from '../search/search-names.ts';
import { createNameIndex, type NameIndex } from './name-index.ts';

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
