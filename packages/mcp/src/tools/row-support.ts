import { schema, type Vocabulary } from '@fuzzqe/core';
import { escapeControlCharacters } from '@fuzzqe/core/text';
import { likenessWords, type PatternRow, type SetSupport } from '@fuzzqe/engine';
import { oneLine, relationName } from '../names/name-text.ts';
import {
  linkLines,
  type NamedEntity,
  type NamedLink,
  namedEntity,
  namedLinks,
  nameLink,
  nameOf,
} from './named-links.ts';

/** What supports a condition on values, or on likeness. */
interface NamedSet {
  /** The name of the variable. */
  readonly variable: string;
  readonly where?: string;
  /** The literals that pass: `height 203`. */
  readonly values?: readonly string[];
  readonly like?: NamedEntity;
  /** What both have in common. */
  readonly shared?: readonly { readonly relation: string; readonly entity: NamedEntity }[];
  /** What the model adds to the degree. */
  readonly byModel?: number;
}

/** What supports a row. */
export interface RowSupport {
  /** The entities of the variables that are no columns, as far as the search gave them values. */
  readonly others: Readonly<Record<string, NamedEntity>>;
  /** The links of each variable; the variable of an entity of the pattern is empty. */
  readonly because: readonly { readonly variable: string; readonly links: readonly NamedLink[] }[];
  readonly sets: readonly NamedSet[];
}

/** The same as a schema. */
export const rowSupport: schema.Schema<RowSupport> = schema.object({
  others: schema.record(namedEntity),
  because: schema.array(schema.object({ variable: schema.string, links: namedLinks })),
  sets: schema.array(
    schema.object({
      variable: schema.string,
      where: schema.optional(schema.string),
      values: schema.optional(schema.array(schema.string)),
      like: schema.optional(namedEntity),
      shared: schema.optional(schema.array(schema.object({ relation: schema.string, entity: namedEntity }))),
      byModel: schema.optional(schema.number({ min: 0, max: 1 })),
    }),
  ),
});

/** Names what supports a row. */
export function nameSupport(
  { others, because = [], sets = [] }: PatternRow,
  vocabulary: Vocabulary,
): RowSupport {
  const named = Object.entries(others).map(([name, entity]) => [name, nameOf(entity, vocabulary)] as const);
  return {
    others: Object.fromEntries(named),
    because: because.map(({ variable, links }) => ({
      variable,
      links: links.map((link) => nameLink(link, vocabulary)),
    })),
    sets: sets.map((set) => nameSet(set, vocabulary)),
  };
}

function nameSet(set: SetSupport, vocabulary: Vocabulary): NamedSet {
  const { variable } = set;
  if ('where' in set) {
    const values = set.values.map(({ label, value, unit }) => [label, value, unit].filter(Boolean).join(' '));
    return { variable, where: set.where, values };
  }
  const shared = set.shared.map(({ relation, entity }) => ({
    relation: relationName(relation.id, vocabulary),
    entity: nameOf(entity, vocabulary),
  }));
  const byModel = set.byModel === undefined ? {} : { byModel: set.byModel };
  return { variable, like: nameOf(set.like, vocabulary), shared, ...byModel };
}

/** What supports a row, for people: the values of other variables, links, and what passes conditions on values and likeness. */
export function supportLines({ others, because, sets }: RowSupport): string[] {
  const values = Object.entries(others).map(([name, entity]) => `?${name} = ${entity.name}`);
  return [
    ...(values.length === 0 ? [] : [`with ${values.join(', ')}`]),
    ...linkLines(because.flatMap(({ links }) => links)),
    ...sets.map(setLine),
  ];
}

function setLine({ variable, where, values = [], like, shared = [], byModel }: NamedSet): string {
  if (like === undefined)
    return `- ?${variable}: ${escapeControlCharacters(where ?? '')} (${values.map((value) => oneLine(value)).join(', ')})`;
  const both = shared.map(({ relation, entity }) => `${relation} → ${entity.name}`);
  return `- ?${variable} is like ${like.name}${likenessWords(both, byModel)}`;
}
