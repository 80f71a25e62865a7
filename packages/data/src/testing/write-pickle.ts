/** What a test may pickle: arrays are tuples. */
export type Picklable =
  | number
  | string
  | readonly Picklable[]
  | ReadonlySet<Picklable>
  | ReadonlyMap<Picklable, Picklable>;

/** A pickle of protocol 4, in the opcodes that Python would use; for tests. */
export function writePickle(value: Picklable): Buffer {
  return Buffer.concat([Buffer.from([0x80, 4]), encode(value), Buffer.from('.')]);
}

function encode(value: Picklable): Buffer {
  if (typeof value === 'number') {
    const bytes = Buffer.from('J\0\0\0\0');
    bytes.writeInt32LE(value, 1);
    return bytes;
  }
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([Buffer.from([0x8c, text.length]), text]);
  }
  if (value instanceof Set)
    return Buffer.concat([Buffer.from([0x8f, 0x28]), ...[...value].map(encode), Buffer.from([0x90])]);
  if (value instanceof Map) {
    const items = [...value].flatMap(([key, item]) => [encode(key), encode(item)]);
    return Buffer.concat([Buffer.from('}('), ...items, Buffer.from('u')]);
  }
  const items: readonly Picklable[] = Array.isArray(value) ? value : [];
  return Buffer.concat([Buffer.from('('), ...items.map(encode), Buffer.from('t')]);
}
