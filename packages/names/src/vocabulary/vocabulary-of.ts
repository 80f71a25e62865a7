import {
  asEntityId,
  asRelationId,
  checkId,
  type EntityRows,
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
import type { NameSearch } from '../search/search-names.ts';
import { lookUp, type NameIndex } from './name-index.ts';

/** The entries of one kind, and what finds them. */
export interface Names {
  /** Entries get no fewer. */
  readonly count: number;
  /** The entry at a place in [0, count). */
  at(place: number): NameEntry;
  readonly index: NameIndex;
  readonly search: NameSearch;
}

/** What a vocabulary says what it says by. */
export interface VocabularyParts {
  readonly entities: Names;
  /** Forward relations only. */
  readonly relations: Names;
  readonly prefixes: Prefixes;
  readonly aliases: EntityRows;
}

const kept = new WeakMap<Vocabulary, VocabularyParts>();

/** What a vocabulary was made of by `vocabularyOf`; undefined for any other. */
export function partsOf(vocabulary: Vocabulary): VocabularyParts | undefined {
  return kept.get(vocabulary);
}

/** So many near names are offered. */
const mostOffered = 3;

/** The vocabulary of some names, which may grow. */
export function vocabularyOf(parts: VocabularyParts): Vocabulary {
  const { entities, relations, prefixes, aliases } = parts;
  const ofEntities = { kind: 'entity', names: entities, prefixes } as const;
  const ofRelations = { kind: 'relation', names: relations, prefixes } as const;
  const soughtBy = (text: string): string => {
    expectText('text', text, 'vocabulary');
    return keyBehind(text.trim(), prefixes) ?? text;
  };
  function* nearNames(kind: NameKind, name: string): Steps<readonly string[]> {
    const { search } = kind === 'entity' ? entities : relations;
    // Several names may be near of one entity, whose label is offered once.
    const near = yield* search.nearest(name, 2 * mostOffered);
    return [...new Set(near.map((match) => match.name))].slice(0, mostOffered);
  }
  const named: Omit<
    Vocabulary,
    'entityCount' | 'relationCount' | 'findEntity' | 'findRelation' | 'hasRelation' | 'withoutNearNames'
  > = {
    prefixes,
    aliases,
    entity(id) {
      checkId('entity', id, entities.count, `entity ${id}`);
      return entities.at(id);
    },
    relation(id) {
      checkId('relation', id, relations.count * 2, `relation ${id}`);
      const forward = relations.at(id >>> 1);
      if (id % 2 === 0) return { ...forward, inverse: false };
      return { ...forward, key: forward.key + inverseSuffix, inverse: true };
    },
    searchEntities: (text, page) => finish(named.searchingEntities(text, page)),
    searchRelations: (text, page) => finish(named.searchingRelations(text, page)),
    *searchingEntities(text, page) {
      const { total, places } = yield* entities.search.search(soughtBy(text), page);
      return { total, results: places.map((i) => ({ ...entities.at(i), id: asEntityId(i) })) };
    },
    *searchingRelations(text, page) {
      const { total, places } = yield* relations.search.search(soughtBy(text), page);
      return { total, results: places.map((i) => ({ ...relations.at(i), id: asRelationId(i * 2) })) };
    },
    nearNames,
    offering,
    *prepareNames() {
      yield* entities.index.prepare();
      yield* relations.index.prepare();
    },
    *prepareSearch() {
      yield* named.prepareNames();
      yield* entities.search.prepare();
      yield* relations.search.prepare();
    },
  };
  function offering(near: OfferedNames, index?: Finish): Vocabulary {
    const vocabulary: Vocabulary = {
      ...named,
      // What is spread is no longer what grows.
      get entityCount() {
        return entities.count;
      },
      get relationCount() {
        return relations.count * 2;
      },
      findEntity: (name) => asEntityId(find(ofEntities, name, near, index)),
      findRelation: (name) => asRelationId(find(ofRelations, name, near, index) * 2),
      hasRelation(name) {
        const { length } = lookUp(relations.index, name, index);
        const key = keyBehind(name, prefixes);
        return (
          length === 1 || (length === 0 && key !== undefined && relations.index.ofKey(key) !== undefined)
        );
      },
      get withoutNearNames() {
        return withoutNearNames;
      },
    };
    kept.set(vocabulary, parts);
    return vocabulary;
  }
  const withoutNearNames = offering(() => undefined);
  return offering((kind, name) => finish(nearNames(kind, name)));
}

/** What names of one kind are found by. */
interface NamesOfKind {
  readonly kind: NameKind;
  readonly names: Names;
  readonly prefixes: Prefixes;
}

function find(
  { kind, names, prefixes }: NamesOfKind,
  name: string,
  offered: OfferedNames,
  finishing?: Finish,
): number {
  const found = lookUp(names.index, name, finishing);
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    const keys = found.slice(0, 5).map((i) => JSON.stringify(names.at(i).key));
    const more = found.length > keys.length ? ` and ${found.length - keys.length} more` : '';
    throw new FuzzError(
      'vocabulary',
      `${kind} ${JSON.stringify(name)}: expected a name that only one has, got one that ${found.length} share`,
      { hint: `Use a key: ${keys.join(', ')}${more}.` },
    );
  }
  const key = keyBehind(name, prefixes);
  const behind = key === undefined ? undefined : names.index.ofKey(key);
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
