import { schema } from '@fuzzqe/core';
import { aliasKinds, attributeTypes, type NamedEntity } from '@fuzzqe/names';
import { text, textOrEmpty } from './text-fields.ts';

/** What an entity is called, and its literals, from a batch on; a part that is absent stays as it was, and null takes it back to what the graph has. */
export type EntityNames = Omit<NamedEntity, 'description'>;

/** An alias as a store keeps it. */
export const aliasFields: {
  readonly kind: schema.Schema<(typeof aliasKinds)[number]>;
  readonly language: schema.Schema<string>;
  readonly text: schema.Schema<string>;
} = { kind: schema.oneOf(aliasKinds), language: textOrEmpty, text };

/** A value of an attribute as a store keeps it. */
export const valueFields: {
  readonly type: schema.Schema<(typeof attributeTypes)[number]>;
  readonly language: schema.Schema<string>;
  readonly unit: schema.Schema<string>;
  readonly value: schema.Schema<string>;
} = {
  type: schema.oneOf(attributeTypes),
  language: textOrEmpty,
  unit: textOrEmpty,
  value: textOrEmpty,
};

/** Reads the names of an entity. */
export const namesSchema: schema.Schema<EntityNames> = schema.checked(
  schema.object({
    key: text,
    label: schema.optional(schema.nullable(text)),
    aliases: schema.optional(schema.nullable(schema.array(schema.object(aliasFields)))),
    attributes: schema.optional(
      schema.array(
        schema.object({
          key: text,
          values: schema.nullable(schema.array(schema.object(valueFields))),
        }),
      ),
    ),
  }),
  ({ label, aliases, attributes }, report) => {
    if (label === undefined && aliases === undefined && attributes === undefined)
      report([], 'a label, aliases or attributes', 'none');
  },
);
