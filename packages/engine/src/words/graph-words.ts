import {
  asRelationId,
  type EntityId,
  FuzzError,
  inverseOf,
  type KnowledgeGraph,
  keptBy,
  type RelationId,
  type Vocabulary,
} from '@fuzzqe/core';
import type { Query } from '@fuzzqe/core/query';
import { functionWords } from './function-words.ts';
import type { QuestionToken } from './question-tokens.ts';
import { formsOf, type RelationLexicon, singular } from './relation-words.ts';

/** The most words of a name. */
const longestName = 8;

/** How many entities of a relation are looked at to tell their kind. */
const sampled = 16;

/** Nouns that say nothing of an entity. */
const anyKind = new Set([
  'thing',
  'entity',
  'one',
  'person',
  'someone',
  'something',
  'anyone',
  'node',
  'item',
]);

/** What the words of a question may name in a graph. */
export interface GraphWords {
  /** The entity that the longest words from a place name, and where they end. */
  entityAt(at: number): { readonly id: EntityId; readonly end: number } | undefined;
  /** Words that are no names of the graph and of no use in questions. */
  unknown(lexicon: RelationLexicon): readonly string[];
  /** Whether a noun is a kind of entities: the first part of keys such as `country:FRA`. */
  isKind(noun: string): boolean;
  /** Whether all that a query answers is of a kind. */
  isOfKind(query: Query, noun: string): boolean;
  /** Whether all that a query answers are tails of a relation, as far as a sample tells. */
  isTailOf(relation: RelationId, query: Query): boolean;
  /** The one relation that leads to a value, which no relation leaves. */
  valueOf(entity: EntityId): RelationId | undefined;
  /** Whether a fact of a relation leads to an entity. */
  hasFact(relation: RelationId, tail: EntityId): boolean;
}

/** Reads names and kinds of a graph in the tokens of a question. */
export function graphWords(
  text: string,
  tokens: readonly QuestionToken[],
  { vocabulary, facts }: { readonly vocabulary: Vocabulary; readonly facts: KnowledgeGraph },
): GraphWords {
  const names = vocabulary.withoutNearNames;
  const known = new Map<number, { readonly id: EntityId; readonly end: number } | undefined>();

  const nameOf = (from: number, to: number): EntityId | undefined => {
    const name = text.slice(tokens[from]!.start, tokens[to - 1]!.end).replaceAll('"', '');
    try {
      const id = names.findEntity(name);
      // Short words are codes of entities, too: "in" is that of India.
      const isWord = name.length <= 3 && name === name.toLowerCase();
      return isWord && vocabulary.entity(id).label.toLowerCase() !== name ? undefined : id;
    } catch (error) {
      if (!(error instanceof FuzzError)) throw error;
      return undefined;
    }
  };

  const named: GraphWords['entityAt'] = (at) => {
    if (known.has(at)) return known.get(at);
    let found: ReturnType<GraphWords['entityAt']>;
    for (let end = Math.min(tokens.length, at + longestName); found === undefined && end > at; end -= 1) {
      const id = nameOf(at, end);
      if (id !== undefined) found = { id, end };
    }
    known.set(at, found);
    return found;
  };

  const kindOf = (entity: number): string | undefined => kindOfKey(vocabulary.entity(entity).key);

  const areOfKind = (relation: number, noun: string): boolean => {
    const heads = facts.headsOf(relation).slice(0, sampled);
    return heads.length > 0 && [...heads].every((head) => kindOf(head) === noun);
  };

  const isOfKind = (query: Query, noun: string): boolean => {
    switch (query.op) {
      case 'entity':
        return kindOf(query.entity) === noun;
      case 'project':
        return areOfKind(inverseOf(query.relation), noun);
      case 'and':
        return query.operands.some((operand) => isOfKind(operand, noun));
      case 'or':
        return query.operands.every((operand) => isOfKind(operand, noun));
      default:
        return false;
    }
  };

  /** Entities from which all relations of a query lead: of a kind, if the keys tell kinds. */
  const isTailOf = (relation: RelationId, query: Query): boolean => {
    const [tail] = facts.headsOf(inverseOf(relation));
    const kind = tail === undefined ? undefined : kindOf(tail);
    return kind !== undefined && isOfKind(query, kind);
  };

  return {
    entityAt: named,
    unknown(lexicon) {
      const said = new Set(
        Object.values(lexicon)
          .flat()
          .flatMap((each) => (typeof each === 'number' ? [] : each.words.split(' '))),
      );
      const isSaid = (word: string): boolean =>
        functionWords.has(word) ||
        [...said].some(
          (of) => word === of || singular(word) === of || Object.values(formsOf(of)).flat().includes(word),
        );
      let covered = 0;
      return tokens.flatMap(({ word, start, end }, at) => {
        covered = Math.max(covered, named(at)?.end ?? 0);
        return at < covered || isSaid(word) || this.isKind(word)
          ? []
          : [text.slice(start, end).replaceAll('"', '')];
      });
    },
    isKind: (noun) => anyKind.has(singular(noun)) || kinds(vocabulary).has(singular(noun)),
    isOfKind: (query, noun) => anyKind.has(singular(noun)) || isOfKind(query, singular(noun)),
    isTailOf: (relation, query) => isTailOf(relation, query),
    valueOf(entity) {
      const relations = facts.relationsOf(entity);
      const [only] = relations;
      // From a value, inverses alone lead on.
      return relations.length === 1 && only !== undefined && only % 2 === 1
        ? inverseOf(asRelationId(only))
        : undefined;
    },
    hasFact: (relation, tail) => facts.tails(tail, inverseOf(relation)).length > 0,
  };
}

/** The first part of a key such as `country:FRA`. */
function kindOfKey(key: string): string | undefined {
  return /^([a-z][a-z-]*):/.exec(key)?.[1];
}

/** How many entities are looked at for the kinds of a graph. */
const mostLooked = 20_000;

/** The first parts of keys. */
const kinds = keptBy((vocabulary: Vocabulary): ReadonlySet<string> => {
  const found = new Set<string>();
  const step = Math.max(1, Math.floor(vocabulary.entityCount / mostLooked));
  for (let id = 0; id < vocabulary.entityCount; id += step) {
    const kind = kindOfKey(vocabulary.entity(id).key);
    if (kind !== undefined) found.add(kind);
  }
  return found;
});
