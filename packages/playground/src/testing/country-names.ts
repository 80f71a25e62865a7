import { asEntityId, asRelationId, type EntityId, type NameEntry, type Vocabulary } from '@fuzzqe/core';
import { createVocabulary } from '@fuzzqe/names';
import type { GraphNames, NamedEntity } from '../question/names.ts';

const entry = (key: string, label = key): NameEntry => ({ key, label });

/** A few names with the traps that names have. */
export const countryVocabulary: Vocabulary = createVocabulary({
  entities: [
    entry('Q142', 'France'),
    entry('Q183', 'Germany'),
    entry('Q90', 'Paris'),
    entry('Q830149', 'Paris'),
    entry('Q861690', 'West African franc'),
    entry('http://example.org/a?b', "Côte d'Ivoire"),
    entry('and'),
    entry('1984'),
  ],
  relations: [entry('P47', 'borders'), entry('P38', 'uses currency'), entry('odd^-1')],
  prefixes: new Map([['ex', 'http://example.org/']]),
});

/** Names that are asked for, and how often. */
export interface CountedNames extends GraphNames {
  readonly asked: string[];
}

/** The same names, each to be asked for. */
export function countryNames(): CountedNames {
  const vocabulary = countryVocabulary;
  const asked: string[] = [];
  const named = (id: EntityId): NamedEntity => ({ id, ...vocabulary.entity(id) });
  return {
    asked,
    entityCount: vocabulary.entityCount,
    relations: Array.from({ length: vocabulary.relationCount / 2 }, (_, i) => {
      const { key, label } = vocabulary.relation(2 * i);
      return { id: asRelationId(2 * i), key, label };
    }),
    prefixes: vocabulary.prefixes,
    async entity(id) {
      asked.push(`#${id}`);
      return named(asEntityId(id));
    },
    async findEntity(name) {
      asked.push(name);
      return named(vocabulary.findEntity(name));
    },
  };
}
