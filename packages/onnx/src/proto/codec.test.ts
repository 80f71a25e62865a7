import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { decodeOnnx, encodeOnnx } from '../index.ts';
import { everyField } from '../testing/every-field.ts';

describe('the ONNX file format', () => {
  it('gives back what was written', () => {
    const decoded = decodeOnnx(encodeOnnx(everyField));
    expect(decoded).toEqual(everyField);
    expect(encodeOnnx(decoded)).toEqual(encodeOnnx(everyField));
  });

  it('skips what it does not know and reads packed numbers, as other producers write them', () => {
    const bytes = encodeOnnx({ irVersion: 10, opsetImport: [], metadataProps: [] });
    expect(decodeOnnx(Uint8Array.of(...bytes, 0xa2, 0x01, 0x02, 0x08, 0x01))).toMatchObject({
      irVersion: 10,
    });
    // GraphProto.initializer with dims [2, 3] packed into one field.
    const packed = Uint8Array.of(0x3a, 0x06, 0x2a, 0x04, 0x0a, 0x02, 0x02, 0x03);
    expect(decodeOnnx(packed).graph!.initializer[0]!.dims).toEqual([2, 3]);
  });

  it('refuses messages that are nested without end', () => {
    // graph → node → attribute → graph → …, each announced in one byte more than the one inside it.
    let bytes: number[] = [];
    const varint = (n: number): number[] => (n < 128 ? [n] : [(n & 127) | 128, ...varint(n >>> 7)]);
    for (let depth = 0; depth < 300; depth += 1)
      for (const tag of [0x32, 0x2a, 0x0a]) bytes = [tag, ...varint(bytes.length), ...bytes];
    expect(() => decodeOnnx(Uint8Array.of(0x3a, ...varint(bytes.length), ...bytes))).toThrow(
      'nested too deeply',
    );
  });

  it('works where code from strings is forbidden, as in Workers', () => {
    const script = `
      import protobuf from 'protobufjs/minimal.js';
      const writer = new protobuf.Writer();
      writer.uint32(8).int64(-5).uint32(18).string('ok').uint32(29).float(0.5).uint32(34).fork().bytes(new Uint8Array(3)).ldelim();
      const bytes = writer.finish();
      const reader = new protobuf.Reader(bytes);
      reader.uint32();
      const number = Number(String(reader.int64()));
      reader.uint32();
      process.stdout.write(number + reader.string() + bytes.length);`;
    const flags = ['--disallow-code-generation-from-strings', '--input-type=module', '--eval', script];
    expect(execFileSync(process.execPath, flags, { cwd: import.meta.dirname, encoding: 'utf8' })).toBe(
      '-5ok26',
    );
  });
});
