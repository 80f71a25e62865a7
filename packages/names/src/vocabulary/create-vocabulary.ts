import {
  type EntityRows,
  expectOptions,
  type NameEntry,
  type NameKind,
  type Prefixes,
  type Vocabulary,
} from '@fuzzqe/core';
import { noEntityRows } from '../rows/entity-rows.ts';
import { createNameSearch } from '../search/search-names.ts';
import { createNameIndex } from './name-index.ts';
import { type Names, vocabularyOf } from './vocabulary-of.ts';

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
  return vocabularyOf({
    entities: namesOf('entity', entities, aliases),
    relations: namesOf('relation', relations),
    prefixes,
    aliases,
  });
}

/** What finds some entries. Throws as `createVocabulary`. */
export function namesOf(kind: NameKind, entries: readonly NameEntry[], aliases?: EntityRows): Names {
  const index = createNameIndex(kind, entries, aliases);
  return {
    count: entries.length,
    at: (place) => entries[place]!,
    index,
    search: createNameSearch(entries, aliases),
  };
}
