import { toJsonSchema } from '@valibot/to-json-schema';
import type { FieldNotes, Form, OpenApiObject } from '../part/declaration.ts';

/** Where a value stands: in a body that is sent, in an address or a header, which are text until they are read, or in an answer. */
export type Side = 'body' | 'parameter' | 'answer';

/** What a document knows of forms, by their roots. */
export interface KnownForms {
  /** The reference to a form with a name. */
  referenceTo(root: unknown, side: Side): OpenApiObject | undefined;
  /** What the checks of a reader say. */
  saidOf(root: unknown): OpenApiObject | undefined;
}

type Reader = Exclude<Form, OpenApiObject>;
const isReader = (form: object): form is Reader => '~standard' in form;

/** What a reader reads before it checks further, which tells the reader from others. */
export function rootOf(form: unknown): unknown {
  // A reader with checks is a pipe whose first part is another reader.
  const { pipe } = form as { readonly pipe?: readonly unknown[] };
  return pipe === undefined ? form : rootOf(pipe[0]);
}

/** JSON Schema 2020-12, which OpenAPI 3.1 has, of a form. */
export function jsonSchemaOf(
  form: Form,
  known: KnownForms,
  side: Side,
  notes: FieldNotes = {},
): OpenApiObject {
  const start = rootOf(form);
  const referenceTo = (root: unknown): OpenApiObject | undefined =>
    root === start ? undefined : known.referenceTo(root, side);
  const plainOf = (value: Form): OpenApiObject => {
    if (!isReader(value)) return value;
    const { $schema: _, ...converted } = toJsonSchema(value, {
      target: 'draft-2020-12',
      typeMode: side === 'body' ? 'input' : 'output',
      ignoreActions: ['finite', 'raw_check'],
      overrideSchema({ valibotSchema, jsonSchema }) {
        const said = known.saidOf(valibotSchema);
        return referenceTo(valibotSchema) ?? (said === undefined ? said : { ...jsonSchema, ...said });
      },
    });
    return converted;
  };
  const write = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(write);
    if (typeof value !== 'object' || value === null) return value;
    const reference = referenceTo(rootOf(value));
    if (reference !== undefined) return reference;
    const entries = Object.entries(plainOf(value as Form)).filter(
      ([, bound]) => side !== 'answer' || !isExactness(bound),
    );
    return Object.fromEntries(
      entries.map(([key, inner]) => [
        key,
        key === 'properties' ? noted(inner as OpenApiObject) : write(inner), // by JSON Schema
      ]),
    );
  };
  const noted = (properties: OpenApiObject): OpenApiObject =>
    Object.fromEntries(
      Object.entries(properties).map(([name, property]) => {
        // Forbids or allows the field.
        if (typeof property === 'boolean') return [name, property];
        const note = notes[name];
        const more = typeof note === 'string' ? { description: note } : note;
        // What is a form by itself stands for what the reader leaves to others.
        const isWhole = more !== undefined && ('$ref' in more || 'oneOf' in more);
        return [name, isWhole ? more : { ...(write(property) as OpenApiObject), ...more }];
      }),
    );
  return write(form) as OpenApiObject;
}

/** Whether a bound says no more than that a number is exact. */
const isExactness = (bound: unknown): boolean =>
  typeof bound === 'number' && Math.abs(bound) === Number.MAX_SAFE_INTEGER;
