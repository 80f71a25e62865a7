import { expect, it } from 'vitest';
import { createWireWriter, type WireWriter } from './wire-writer.ts';

const written = (write: (writer: WireWriter) => void): readonly number[] => {
  const writer = createWireWriter();
  write(writer);
  return [...writer.finish()];
};

// Source: https://protobuf.dev/programming-guides/encoding/
it.each([
  ['150', 150, [0x96, 0x01]],
  ['-2, as 64 bits', -2, [0xfe, ...new Array<number>(8).fill(0xff), 0x01]],
  ['0', 0, [0]],
  ['127', 127, [0x7f]],
  ['2^32', 2 ** 32, [0x80, 0x80, 0x80, 0x80, 0x10]],
])('writes the number %s as the format says', (_, value, bytes) => {
  expect(written((writer) => writer.varint(value))).toEqual(bytes);
});

it('writes texts, bytes, floats and messages as the format says', () => {
  expect(written((writer) => writer.string('testing'))).toEqual([7, ...Buffer.from('testing')]);
  expect(written((writer) => writer.string('∧'))).toEqual([3, 0xe2, 0x88, 0xa7]);
  expect(written((writer) => writer.bytes(Uint8Array.of(1, 2)))).toEqual([2, 1, 2]);
  expect(written((writer) => writer.float(1))).toEqual([0, 0, 0x80, 0x3f]);
  const inner = (writer: WireWriter) => (): void => writer.message(() => writer.varint(150));
  expect(written((writer) => writer.message(inner(writer)))).toEqual([3, 2, 0x96, 0x01]);
});

it('grows with what is written, also where a message is longer than its length can say in a byte', () => {
  const bytes = new Uint8Array(5000).fill(7);
  const file = written((writer) => {
    writer.varint(1);
    writer.message(() => writer.message(() => writer.bytes(bytes)));
    writer.varint(2);
  });
  // 5000 + 2 of its length, + 2 of that of the message around it, and so on.
  expect(file).toEqual([1, 0x8c, 0x27, 0x8a, 0x27, 0x88, 0x27, ...bytes, 2]);
});
