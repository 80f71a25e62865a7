import { FuzzError, messageOf } from '@fuzzqe/core';
import type { OnnxModel } from './model.ts';
import { type Field, type MessageName, schema } from './schema.ts';

/** A message without its type: the schema says what its fields hold. */
export type Message = Record<string, unknown>;

const fields = new Map<string, readonly (readonly [string, Field])[]>(
  Object.entries(schema).map(([name, of]) => [name, Object.entries(of)]),
);

/** The fields of a message, by their keys. */
export const fieldsOf = (name: MessageName): readonly (readonly [string, Field])[] => fields.get(name) ?? [];

/** A field of a message with its key. */
interface KeyedField {
  readonly key: string;
  readonly field: Field;
}

const fieldsById = new Map<string, readonly KeyedField[]>(
  [...fields].map(([name, of]) => {
    const byId: KeyedField[] = [];
    for (const [key, field] of of) byId[field.id] = { key, field };
    return [name, byId];
  }),
);

const repeatedOf = new Map<string, readonly string[]>(
  [...fields].map(([name, of]) => [
    name,
    of.filter(([, { repeated }]) => repeated === true).map(([key]) => key),
  ]),
);

/** The field of a message with that number; undefined where it has none. */
export const fieldOf = (name: MessageName, id: number): KeyedField | undefined => fieldsById.get(name)?.[id];

/** A message of which nothing was read yet, `depth` messages below the model. */
export function emptyMessage(name: MessageName, depth: number): Message {
  // A graph inside an attribute of a node of a graph is one step of five; deeper files are not ours.
  if (depth > 64) throw new Error('messages are nested too deeply');
  const message: Message = {};
  for (const key of repeatedOf.get(name) ?? []) message[key] = [];
  return message;
}

/**
 * The model that a reader of ModelProto finds.
 *
 * @throws FuzzError `bundle`: the reader throws, or finds nothing.
 */
export function modelFrom(read: () => Message): OnnxModel {
  try {
    // The reader walks the schema, which `OnnxMessages` is compared with by the compiler.
    const model = read() as unknown as OnnxModel;
    if (model.graph === undefined && model.irVersion === undefined)
      throw new Error('there is no model in it');
    return model;
  } catch (cause) {
    const why = messageOf(cause);
    throw new FuzzError('bundle', `not an ONNX file, or only a part of one: ${why}`, { cause });
  }
}
