import { emptyMessage, fieldOf, fieldsOf, type Message, modelFrom } from './message.ts';
import type { OnnxModel } from './model.ts';
import { type ReadMessage, readValue, wireTypeOf } from './read-value.ts';
import type { Field, MessageName } from './schema.ts';
import { createWireReader, skipValue, wire } from './wire-reader.ts';
import { createWireWriter, type WireWriter } from './wire-writer.ts';

/**
 * The bytes of a model; the same model gives the same bytes.
 *
 * @example
 * const file = encodeOnnx(emitModel(program));
 */
export function encodeOnnx(model: OnnxModel): Uint8Array {
  const writer = createWireWriter();
  writeMessage(writer, 'ModelProto', model as unknown as Message);
  return writer.finish();
}

function writeMessage(writer: WireWriter, name: MessageName, message: Message): void {
  for (const [key, field] of fieldsOf(name)) {
    const value = message[key];
    if (value === undefined) continue;
    for (const item of field.repeated ? (value as readonly unknown[]) : [value]) {
      writer.varint(8 * field.id + wireTypeOf(field.type));
      writeValue(writer, field.type, item);
    }
  }
}

function writeValue(writer: WireWriter, type: Field['type'], value: unknown): void {
  switch (type) {
    case 'int64':
    case 'int32':
      writer.varint(value as number);
      break;
    case 'float':
      writer.float(value as number);
      break;
    case 'string':
      writer.string(value as string);
      break;
    case 'bytes':
      writer.bytes(value as Uint8Array);
      break;
    default:
      writer.message(() => writeMessage(writer, type, value as Message));
  }
}

/**
 * The model in a file's bytes; tensors are views of these bytes.
 *
 * @throws FuzzError `bundle`: the bytes are not a whole ONNX file.
 * @example
 * const model = decodeOnnx(bytes);
 */
export function decodeOnnx(bytes: Uint8Array): OnnxModel {
  return modelFrom(() => readMessages(bytes)(createWireReader(bytes), 'ModelProto', bytes.length, 0));
}

function readMessages(file: Uint8Array): ReadMessage {
  const readMessage: ReadMessage = (reader, name, end, depth) => {
    const message = emptyMessage(name, depth);
    while (reader.position < end) {
      const tag = reader.int64(end);
      const kind = tag & 7;
      const known = fieldOf(name, Math.floor(tag / 8));
      if (known === undefined) {
        skipValue(reader, file, kind, end);
        continue;
      }
      const { key, field } = known;
      if (kind === wireTypeOf(field.type)) {
        const value = readValue(reader, field.type, end, depth, readMessage);
        if (field.repeated) (message[key] as unknown[]).push(value);
        else message[key] = value;
      } else if (field.repeated && kind === wire.delimited) {
        const stop = reader.end(end); // packed numbers, which other producers write
        while (reader.position < stop)
          (message[key] as unknown[]).push(readValue(reader, field.type, stop, depth, readMessage));
      } else throw new Error(`${name}.${key} has the wrong kind of bytes`);
    }
    if (reader.position !== end) throw new Error(`${name} runs past its end`);
    return message;
  };
  return readMessage;
}
