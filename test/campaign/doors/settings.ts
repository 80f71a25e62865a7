import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readDataset, writeDataset } from '@fuzzqe/data';
import { tinyDataset } from '@fuzzqe/data/testing';
import { attributesOf } from '@fuzzqe/names';
import { loadTrainingConfig, presets } from '@fuzzqe/train';
import fc, { type Arbitrary } from 'fast-check';
import { atOnce, type Door } from '../door.ts';
import { jsonSigns, mutated, utf8 } from '../mutations.ts';

const jsonWords = [...jsonSigns, 'true', '"__proto__":1,', '"constructor":{},', '"model":', '[[[['];
const configs = Object.values(presets).map(({ training }) => JSON.stringify(training));
const config = fc.oneof(
  fc.constantFrom(...configs),
  fc
    .dictionary(
      fc.constantFrom(...Object.keys(presets.countries.training), '__proto__', '$schema'),
      fc.jsonValue(),
    )
    .map((value) => JSON.stringify(value)),
  fc.json(),
);

const dataset = tinyDataset('tiny', 1);
const lines = (count: number, step: number): string =>
  Array.from({ length: count }, (_, i) => `${i * step}\tk${i}\tlabel ${i}\n`).join('');
const folderFiles: readonly (readonly [name: string, content: string])[] = [
  ['dataset.json', '{"format":1,"name":"x","licence":"CC0-1.0","description":""}'],
  ['entities.tsv', lines(6, 1)],
  ['relations.tsv', lines(2, 2)],
  ['prefixes.tsv', 'ex:\thttp://example.org/\n'],
  ['aliases.tsv', '0\talias\tde\tOther\n3\tdescription\t\ta thing\n'],
  ['attributes.tsv', '0\tp\theight\tnumber\t\tm\n'],
  ['attribute-values.tsv', '0\t0\t1.5\n5\t0\tNaN\n'],
  ['train.tsv', '0\t0\t1\n1\t2\t2\n3\t1\t4\n'],
  ['valid.tsv', '0\t0\t2\n'],
];
/** The first byte says which file of the folder is replaced by the others. */
const inFolder: Arbitrary<Uint8Array> = fc
  .integer({ min: 0, max: folderFiles.length - 1 })
  .chain((index) =>
    mutated(utf8(fc.constant(folderFiles[index]![1])), [
      ...jsonWords,
      '\t',
      '\n',
      '\\',
      '\\x',
      '\r',
      '\ufeff',
      '"sha256":',
    ]).map((bytes) => Buffer.concat([Uint8Array.of(index), bytes])),
  );

/** Configurations and folders of data sets. */
export const settingDoors: readonly Door[] = [
  {
    name: 'configurations',
    description: 'training configurations in files',
    ending: '.json',
    volume: 'reader',
    inputs: mutated(utf8(config), jsonWords),
    refusals: ['config'],
    parallel: atOnce,
    open: async (folder) => {
      return {
        async attempt(input, place) {
          const path = join(folder, `${place}.json`);
          writeFileSync(path, input);
          await loadTrainingConfig(path);
        },
      };
    },
  },
  {
    name: 'dataset-folders',
    description: 'folders of data sets with one other file',
    ending: '.bin',
    volume: 'reader',
    inputs: inFolder,
    refusals: ['data', 'usage', 'range', 'vocabulary'],
    parallel: atOnce,
    open: async (root) => {
      // What the product writes, it reads.
      await writeDataset(join(root, 'written'), dataset);
      await readDataset(join(root, 'written'));
      for (let place = 0; place < atOnce; place++) {
        const folder = join(root, `${place}`);
        await mkdir(folder);
        for (const [name, content] of folderFiles) writeFileSync(join(folder, name), content);
        await readDataset(folder);
      }
      return {
        async attempt(input, place) {
          const folder = join(root, `${place}`);
          const [name, content] = folderFiles[(input[0] ?? 0) % folderFiles.length]!;
          writeFileSync(join(folder, name), input.subarray(1));
          try {
            const { vocabulary, attributes } = await readDataset(folder);
            vocabulary.searchEntities('label');
            if (attributes !== undefined)
              for (let id = 0; id < vocabulary.entityCount; id++) attributesOf(attributes, id);
          } finally {
            writeFileSync(join(folder, name), content);
          }
        },
      };
    },
  },
];
