import protobuf from 'protobufjs/minimal.js';
import { emptyMessage, fieldsOf, type Message, modelFrom } from './message.ts';
import type { OnnxModel } from './model.ts';
import { type Field, type MessageName, schema } from './schema.ts';

// protobufjs generates code from strings to encode and decode by reflection, which Workers and strict browsers forbid;
// its Writer and Reader do not.

const byNumber: ReadonlyMap<string, ReadonlyMap<number, readonly [string, Field]>> = new Map(
  Object.entries(schema).map(([name, fields]) => [
    name,
    new Map(Object.entries<Field>(fields).map(([key, field]) => [field.id, [key, field]])),
  ]),
);

const varint = 0;
const delimited = 2;
const fixed32 = 5;

function wireType(type: Field['type']): number {
  if (type === 'int64' || type === 'int32') return varint;
  return type === 'float' ? fixed32 : delimited;
}

/**
 * The bytes of a model; the same model gives the same bytes.
 *
 * @example
 * const file = encodeOnnx(emitModel(program));
 */
export function encodeOnnx(model: OnnxModel): Uint8Array {
  const writer = new protobuf.Writer();
  writeMessage(writer, 'ModelProto', model as unknown as Message);
  return writer.finish();
}

function writeMessage(writer: protobuf.Writer, name: MessageName, message: Message): void {
  for (const [key, field] of fieldsOf(name)) {
    const value = message[key];
    if (value === undefined) continue;
    for (const item of field.repeated ? (value as readonly unknown[]) : [value]) {
      writer.uint32((field.id << 3) | wireType(field.type));
      writeValue(writer, field.type, item);
    }
  }
}

function writeValue(writer: protobuf.Writer, type: Field['type'], value: unknown): void {
  switch (type) {
    case 'int64':
      writer.int64(value as number);
      break;
    case 'int32':
      writer.int32(value as number);
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
      writer.fork();
      writeMessage(writer, type, value as Message);
      writer.ldelim();
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
  return modelFrom(() => readMessage(new protobuf.Reader(bytes), 'ModelProto', bytes.length, 0));
}

function readMessage(reader: protobuf.Reader, name: MessageName, end: number, depth: number): Message {
  const message = emptyMessage(name, depth);
  while (reader.pos < end) {
    const tag = reader.uint32();
    const known = byNumber.get(name)?.get(tag >>> 3);
    if (known === undefined) {
      reader.skipType(tag & 7);
      continue;
    }
    const [key, field] = known;
    if ((tag & 7) === wireType(field.type)) {
      const value = readValue(reader, field.type, end, depth);
      if (field.repeated) (message[key] as unknown[]).push(value);
      else message[key] = value;
    } else if (field.repeated && (tag & 7) === delimited) {
      const stop = endOf(reader, end); // packed numbers, which other producers write
      while (reader.pos < stop) (message[key] as unknown[]).push(readValue(reader, field.type, stop, depth));
    } else throw new Error(`${name}.${key} has the wrong kind of bytes`);
  }
  if (reader.pos !== end) throw new Error(`${name} runs past its end`);
  return message;
}

function readValue(reader: protobuf.Reader, type: Field['type'], end: number, depth: number): unknown {
  switch (type) {
    case 'int64':
      return safeInteger(reader.int64());
    case 'int32':
      return reader.int32();
    case 'float':
      return reader.float();
    case 'string':
      return reader.string();
    case 'bytes':
      return reader.bytes();
    default:
      return readMessage(reader, type, endOf(reader, end), depth + 1);
  }
}

function endOf(reader: protobuf.Reader, limit: number): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > limit) throw new RangeError(`${length} bytes are announced, ${limit - reader.pos} are there`);
  return end;
}

/** A number from what protobufjs reads: a number, or a Long where that library is there. */
function safeInteger(value: unknown): number {
  const number = Number(String(value));
  if (!Number.isSafeInteger(number)) throw new RangeError(`${number} is too large a number`);
  return number;
}
