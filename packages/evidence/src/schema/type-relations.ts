import { asRelationId, type Vocabulary } from '@fuzzqe/core';

/** Keys of relations that say of which class an entity is. */
const typeKeys: ReadonlySet<string> = new Set([
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#type',
  'rdf:type',
  'a',
  'http://www.wikidata.org/prop/direct/P31',
  'wdt:P31',
  'P31',
  '/type/object/type',
]);

/** Names of such relations, in small letters, words apart. */
const typeNames: ReadonlySet<string> = new Set([
  'type',
  'types',
  'has type',
  'rdf type',
  'is of type',
  'entity type',
  'instance of',
  'is instance of',
  'is an instance of',
  'is a',
  'is an',
  'isa',
  'class',
  'has class',
  'kind',
  'is a kind of',
]);

/**
 * The relations of a vocabulary that say what an entity is, by their keys (`rdf:type`, `wdt:P31`) or names (`instance of`, `isA`).
 *
 * Names are compared without regard to case, `_`, `-` and joined words: `instanceOf`, `instance_of` and `Instance of` are alike.
 * Ids of forward relations, ascending.
 *
 * @example
 * const typeRelations = findTypeRelations(vocabulary);
 */
export function findTypeRelations(vocabulary: Vocabulary): number[] {
  const found: number[] = [];
  for (let relation = 0; relation < vocabulary.relationCount; relation += 2) {
    const { key, label } = vocabulary.relation(asRelationId(relation));
    if (typeKeys.has(key) || typeNames.has(words(key)) || typeNames.has(words(label))) found.push(relation);
  }
  return found;
}

function words(name: string): string {
  return name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/[\s_-]+/gu, ' ')
    .trim()
    .toLowerCase();
}
