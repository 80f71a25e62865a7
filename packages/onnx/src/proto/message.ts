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

/** A message of which nothing was read yet, `depth` messages below the model. */
export function emptyMessage(name: MessageName, depth: number): Message {
  // A graph inside an attribute of a node of a graph is one step of five; deeper files are not ours.
  if (depth > 64) throw new Error('messages are nested too deeply');
  const message: Message = {};
  for (const [key, field] of fieldsOf(name)) if (field.repeated) message[key] = [];
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
