import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { importBetaE } from '@fuzzqe/data';
import { betaEFiles } from '@fuzzqe/data/testing';
import fc, { type Arbitrary } from 'fast-check';
import { atOnce, type Door } from '../door.ts';
import { mutated } from '../mutations.ts';

const latin1 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));

/** Single opcodes and short programs of the machine that reads pickles, with and without what they take. */
const opcodes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).concat([
  'K\x01',
  'K\x02\x85',
  'K\x01K\x02\x86',
  '2\x86',
  '\x85\x85\x85\x85',
  '](K\x01K\x02e',
  ']\x94h\x00a',
  '}(K\x01K\x02u',
  '\x8f(K\x01\x90',
  '(K\x01\x91',
  'h\x00',
  'h\x01',
  '\x94',
  'q\x00',
  'r\xff\xff\xff\x7f',
  '\x8a\x09xxxxxxxxx',
  '\x8b\xff\xff\xff\x7f',
  'X\xff\xff\xff\x7f',
  '\x8d\xff\xff\xff\xff\xff\xff\xff\xff',
  '\x8c\x01e',
  'cbuiltins\nset\n',
  'cposix\nsystem\n',
  'ccollections\ndefaultdict\n',
  '\x85R',
  ')R',
  'G\x7f\xf0\0\0\0\0\0\0',
  '\x95\xff\xff\xff\xff\xff\xff\xff\xff',
]);
const program = fc
  .tuple(
    fc.constantFrom('\x80\x04', '\x80\x02', '\x80\x05', '\x80\x06', ''),
    fc.array(fc.constantFrom(...opcodes), { maxLength: 40 }),
  )
  .map(([start, codes]) => latin1(`${start}}(${codes.join('')}u.`));

const files = betaEFiles();
const names = [...files.keys()];
/** The first byte says which file of the folder is replaced by the others. */
const inFolder = (index: number, content: Arbitrary<Uint8Array>): Arbitrary<Uint8Array> =>
  content.map((bytes) => Buffer.concat([Uint8Array.of(index), bytes]));
const ofFile = fc.integer({ min: 0, max: names.length - 1 }).chain((index) => {
  const content = files.get(names[index]!)!;
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : Uint8Array.from(content);
  const words = names[index]!.endsWith('.pkl')
    ? opcodes.map(latin1)
    : ['numentity', ':', '\t', '\n', '__proto__: 1\n', '1000000000000'];
  const changed = mutated(fc.constant(bytes), words);
  return inFolder(index, names[index]!.endsWith('.pkl') ? fc.oneof(changed, program) : changed);
});

/** Folders in the BetaE layout, one file of which is hostile. */
export const pickleDoors: readonly Door[] = [
  {
    name: 'pickles',
    description: 'a folder in the BetaE layout with one other file, mostly a pickle',
    ending: '.bin',
    volume: 'reader',
    inputs: ofFile,
    refusals: ['data', 'usage', 'range', 'vocabulary'],
    parallel: atOnce,
    async open(root) {
      for (let place = 0; place < atOnce; place++) {
        await mkdir(join(root, `${place}`));
        for (const [name, content] of files) writeFileSync(join(root, `${place}`, name), content);
      }
      return {
        async attempt(input, place) {
          const folder = join(root, `${place}`);
          const name = names[(input[0] ?? 0) % names.length]!;
          writeFileSync(join(folder, name), input.subarray(1));
          try {
            await importBetaE({ name: 'x', folder });
          } finally {
            writeFileSync(join(folder, name), files.get(name)!);
          }
        },
      };
    },
  },
];
