import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackFolder } from '@fuzzqe/data';
import { writeZip } from '@fuzzqe/data/testing';
import { decodeSafetensors } from '@fuzzqe/train';
import fc, { type Arbitrary } from 'fast-check';
import { atOnce, type Door } from '../door.ts';
import { mutated } from '../mutations.ts';

const place = fc.oneof(
  fc.integer({ min: 0, max: 12 }).map((at) => 4 * at),
  fc.constantFrom(-4, 2 ** 53, 1e300, null, '0'),
);
const tensor = fc.record({
  dtype: fc.constantFrom('F32', 'F32', 'F32', 'F16', 'I64', '', null),
  shape: fc.array(fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom(-1, 2 ** 31, 2 ** 53, 0.5)), {
    maxLength: 3,
  }),
  data_offsets: fc.oneof(fc.tuple(place, place), fc.array(place, { maxLength: 3 })),
});
const anyHeader = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'entities', 'constructor', '__proto__', '__metadata__'),
  fc.oneof(tensor, fc.jsonValue({ maxDepth: 2 })),
  { maxKeys: 4 },
);
/** Tensors one after the other, as they should be. */
const wellFormed = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 4 }).map((sizes) => {
  let at = 0;
  const header: Record<string, unknown> = { __metadata__: { step: '1' } };
  sizes.forEach((size, i) => {
    header[`t${i}`] = { dtype: 'F32', shape: [size], data_offsets: [at, at + 4 * size] };
    at += 4 * size;
  });
  return { header, bytes: at };
});
const safetensors: Arbitrary<Uint8Array> = fc
  .oneof(wellFormed, fc.record({ header: anyHeader, bytes: fc.integer({ min: 0, max: 64 }) }))
  .map(({ header, bytes }) => {
    const text = Buffer.from(JSON.stringify(header));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(text.length));
    return Buffer.concat([length, text, Buffer.alloc(bytes)]);
  });

const entry = fc.tuple(
  fc.constantFrom(
    'KG/train.txt',
    'KG/stats.txt',
    '../KG/x',
    'KG/../../x',
    '/KG/x',
    'KG/',
    'KG',
    'KG/constructor',
    'a\\KG\\x',
  ),
  fc.oneof(fc.string({ maxLength: 40 }), fc.constant('0'.repeat(100_000))),
);
const zip = fc.array(entry, { maxLength: 4 }).map((entries) => Uint8Array.from(writeZip(new Map(entries))));

/** Binary files: tensors and archives. */
export const binaryDoors: readonly Door[] = [
  {
    name: 'safetensors',
    description: 'files of tensors',
    ending: '.safetensors',
    volume: 'reader',
    inputs: mutated(safetensors, [
      '{',
      '}',
      '[',
      '"',
      ',',
      ':',
      'null',
      '\0',
      '"__metadata__":',
      '"F32"',
      Uint8Array.of(255),
    ]),
    refusals: ['checkpoint'],
    open: async () => ({
      async attempt(input) {
        const { tensors } = decodeSafetensors(input, 'input.safetensors');
        const bytes = Object.values(tensors).reduce((sum, { data }) => sum + data.byteLength, 0);
        assert.ok(bytes <= input.length, 'more numbers than the file has');
        for (const { shape, data } of Object.values(tensors))
          assert.equal(
            shape.reduce((product, size) => product * size, 1),
            data.length,
          );
      },
    }),
  },
  {
    name: 'zip',
    description: 'archives of folders',
    ending: '.zip',
    volume: 'reader',
    inputs: fc.oneof(
      zip,
      mutated(zip, ['PK\x01\x02', 'PK\x03\x04', 'PK\x05\x06', '\0\0\0\0', Uint8Array.of(255, 255, 255, 255)]),
    ),
    refusals: ['data', 'storage'],
    parallel: atOnce,
    open: async (folder) => {
      return {
        async attempt(input, place) {
          const archive = join(folder, `${place}.zip`);
          const target = join(folder, `out-${place}`);
          writeFileSync(archive, input);
          try {
            const unpacked = await unpackFolder(archive, 'KG', target);
            for (const name of unpacked) assert.match(name, /^[^/\\]+$/, 'a name that leads elsewhere');
          } finally {
            await rm(target, { recursive: true, force: true });
          }
        },
      };
    },
  },
];
