import { emptyMessage, fieldOf, type Message, modelFrom } from './message.ts';
import type { OnnxModel } from './model.ts';
import type { Field, MessageName } from './schema.ts';
import { createWireReader, type WireReader, wire } from './wire-reader.ts';

function kindOf(type: Field['type']): number {
  if (type === 'int64' || type === 'int32') return wire.varint;
  return type === 'float' ? wire.fixed32 : wire.delimited;
}

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
    if (kind === kindOf(field.type)) {
      const value = readValue(reader, field.type, end, depth);
      if (field.repeated) (message[key] as unknown[]).push(value);
      else if (message[key] !== undefined) throw new Error(`${name}.${key} stands twice`);
      else message[key] = value;
    } else throw new Error(`${name}.${key} has the wrong kind of bytes`);
  }
  if (reader.position !== end) throw new Error(`${name} runs past its end`);
  return message;
}

function readValue(reader: WireReader, type: Field['type'], end: number, depth: number): unknown {
  switch (type) {
    case 'int64':
      return reader.int64(end);
    case 'int32':
      return reader.int32(end);
    case 'float':
      return reader.float(end);
    case 'string':
      return reader.string(end);
    case 'bytes':
      return reader.bytes(end);
    default:
      return readMessage(reader, type, reader.end(end), depth + 1);
  }
}
