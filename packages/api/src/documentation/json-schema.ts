import type { schema } from '@fuzzqe/core';
import { toJsonSchema } from '@valibot/to-json-schema';
import type { OpenApiObject } from '../part/api-part.ts';

/** What people should know of the fields of a schema: a description, and bounds that are held elsewhere. */
export type FieldNotes = Readonly<Record<string, string | OpenApiObject>>;

/**
 * A reader's schema as JSON Schema 2020-12, which is what OpenAPI 3.1 has.
 *
 * @param side what a client sends, or what is made of it: parameters are text until they are read.
 */
export function jsonSchemaOf(
  reader: schema.Schema<unknown>,
  notes: FieldNotes = {},
  side: 'input' | 'output' = 'input',
): OpenApiObject {
  const { $schema: _, ...converted } = toJsonSchema(reader, {
    target: 'draft-2020-12',
    typeMode: side,
    ignoreActions: ['finite'],
  });
  const plain = withoutSafeBounds(converted);
  const properties = plain['properties'];
  if (!isObject(properties)) return plain;
  const noted = Object.entries(properties).map(([name, property]) => {
    const note = notes[name];
    const more = typeof note === 'string' ? { description: note } : note;
    return [name, isObject(property) ? { ...property, ...more } : property];
  });
  return { ...plain, properties: Object.fromEntries(noted) };
}

/** Bounds that say no more than that a number is exact are left out. */
function withoutSafeBounds(node: OpenApiObject): OpenApiObject {
  const entries = Object.entries(node).filter(
    ([, value]) => Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER,
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, mapped(value)]));
}

function mapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mapped);
  return isObject(value) ? withoutSafeBounds(value) : value;
}

function isObject(value: unknown): value is OpenApiObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
