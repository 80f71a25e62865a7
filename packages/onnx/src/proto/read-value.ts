import type { Message } from './message.ts';
import type { Field, MessageName } from './schema.ts';
import { type WireReader, wire } from './wire-reader.ts';

/** How a value of a type stands in a file. */
export function wireTypeOf(type: Field['type']): number {
  if (type === 'int64' || type === 'int32') return wire.varint;
  return type === 'float' ? wire.fixed32 : wire.delimited;
}

/** Reads a message that ends at `end`, `depth` messages below the model. */
export type ReadMessage = (reader: WireReader, name: MessageName, end: number, depth: number) => Message;

/** The value of a field that stands where the reader is; a message is read by `readMessage`. */
export function readValue(
  reader: WireReader,
  type: Field['type'],
  end: number,
  depth: number,
  readMessage: ReadMessage,
): unknown {
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
