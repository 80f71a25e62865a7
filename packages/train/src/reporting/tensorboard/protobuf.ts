/** A field of a protobuf message, encoded. */
export type Field = readonly number[] | Uint8Array;

/** How a field's value is encoded in a message. */
const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** A whole number ≥ 0, an enumeration's value or an int64. */
export function varintField(number: number, value: number): Field {
  return [...key(number, wire.varint), ...varint(value)];
}

/** A double. */
export function doubleField(number: number, value: number): Field {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return [...key(number, wire.fixed64), ...bytes];
}

/** A float. */
export function floatField(number: number, value: number): Field {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return [...key(number, wire.fixed32), ...bytes];
}

/** A string, or the bytes of a message within a message. */
export function bytesField(number: number, value: string | Uint8Array): Field {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  return message([[...key(number, wire.bytes), ...varint(bytes.length)], bytes]);
}

/** A message of the given fields. Source: protobuf.dev, "Encoding". */
export function message(fields: readonly Field[]): Uint8Array {
  const bytes = new Uint8Array(fields.reduce((sum, field) => sum + field.length, 0));
  let at = 0;
  for (const field of fields) {
    bytes.set(field, at);
    at += field.length;
  }
  return bytes;
}

function key(number: number, type: number): number[] {
  return varint(number * 8 + type);
}

/** Seven bits a byte, the lowest first; division, because a step may need more than 32 bits. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  return [...bytes, rest];
}
