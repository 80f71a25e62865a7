import { emptyMessage, fieldOf, type Message, modelFrom } from './message.ts';
import type { OnnxModel } from './model.ts';
import { readValue, wireTypeOf } from './read-value.ts';
import type { MessageName } from './schema.ts';
import { createWireReader, type WireReader } from './wire-reader.ts';

/**
 * The model in the bytes of a file such as `encodeOnnx` writes; tensors are views of these bytes.
 *
 * Readers of ONNX differ in what they make of fields that they do not know, of single fields that stand twice and of numbers
 * that are too long. What is checked here must be what a runtime reads afterwards, so such a file is refused. It is small enough
 * for the edge, and so stands next to the codec, which reads what others write.
 *
 * @throws FuzzError `bundle`: another file, or only a part of one.
 * @example
 * const model = readStrictly(bytes);
 */
export function readStrictly(bytes: Uint8Array): OnnxModel {
  return modelFrom(() => readMessage(createWireReader(bytes), 'ModelProto', bytes.length, 0));
}

function readMessage(reader: WireReader, name: MessageName, end: number, depth: number): Message {
  const message = emptyMessage(name, depth);
  while (reader.position < end) {
    const tag = reader.int64(end);
    const id = Math.floor(tag / 8);
    const kind = tag & 7;
    const known = fieldOf(name, id);
    if (known === undefined) throw new Error(`${name} has the field ${id}, which FuzzQE does not use`);
    const { key, field } = known;
    if (kind === wireTypeOf(field.type)) {
      const value = readValue(reader, field.type, end, depth, readMessage);
      if (field.repeated) (message[key] as unknown[]).push(value);
      else if (message[key] !== undefined) throw new Error(`${name}.${key} stands twice`);
      else message[key] = value;
    } else throw new Error(`${name}.${key} has the wrong kind of bytes`);
  }
  if (reader.position !== end) throw new Error(`${name} runs past its end`);
  return message;
}
