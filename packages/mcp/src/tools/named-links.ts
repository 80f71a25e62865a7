import { schema, type Vocabulary } from '@fuzzqe/core';
import { escapeControlCharacters } from '@fuzzqe/core/text';
import { type AnswerLink, reasonTexts } from '@fuzzqe/engine';
import { entityName, relationName } from '../names/name-text.ts';
import { shortDegree } from './given-query.ts';

/** An entity, and its name as a query writes it. */
export interface NamedEntity {
  readonly id: number;
  readonly label: string;
  readonly name: string;
}

/** The same as a schema. */
export const namedEntity: schema.Schema<NamedEntity> = schema.object({
  id: schema.integer({ min: 0 }),
  label: schema.string,
  name: schema.string,
});

/** Names an entity. */
export function nameOf(
  { id, label }: { readonly id: number; readonly label: string },
  vocabulary: Vocabulary,
): NamedEntity {
  return { id, label, name: entityName(id, vocabulary) };
}

/** A link that supports an answer, with what speaks for it and against it in sentences. */
export interface NamedLink {
  readonly head: NamedEntity;
  readonly relation: string;
  readonly tail: NamedEntity;
  readonly recorded: boolean;
  readonly degree: number;
  readonly for: readonly string[];
  readonly against: readonly string[];
}

/** The same as a schema. */
export const namedLinks: schema.Schema<readonly NamedLink[]> = schema.array(
  schema.object({
    head: namedEntity,
    relation: schema.string,
    tail: namedEntity,
    recorded: schema.boolean,
    degree: schema.number({ min: 0, max: 1 }),
    for: schema.array(schema.string),
    against: schema.array(schema.string),
  }),
);

/** Names a link. */
export function nameLink(link: AnswerLink, vocabulary: Vocabulary): NamedLink {
  return {
    head: nameOf(link.head, vocabulary),
    relation: relationName(link.relation.id, vocabulary),
    tail: nameOf(link.tail, vocabulary),
    recorded: link.recorded,
    degree: link.degree,
    ...reasonTexts(link),
  };
}

/** Links for people: a line each, and lines of reasons below it. */
export function linkLines(links: readonly NamedLink[]): string[] {
  return links.flatMap(({ head, relation, tail, recorded, degree, for: reasons, against }) => [
    `- ${head.name} → ${relation} → ${tail.name}: ${recorded ? 'recorded' : `predicted, degree ${shortDegree(degree)}`}`,
    ...reasons.map((text) => `  for: ${escapeControlCharacters(text)}`),
    ...against.map((text) => `  against: ${escapeControlCharacters(text)}`),
  ]);
}
