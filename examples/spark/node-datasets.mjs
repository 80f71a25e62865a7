/** Writes files of triples and the data sets that Node imports from them: node-datasets.mjs FOLDER */
import { mkdir, writeFile } from 'node:fs/promises';
import { importDataset, loadCountries, writeDataset } from '@fuzzqe/data';

const [folder] = process.argv.slice(2);

/** The lines in the order of their bytes, each once. */
async function save(name, rows, options) {
  const lines = [...new Set(rows.map((row) => `${row.join('\t')}\n`))];
  lines.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  await mkdir(`${folder}/triples`, { recursive: true });
  await writeFile(`${folder}/triples/${name}.tsv`, lines);
  const { dataset } = await importDataset({ name, train: `${folder}/triples/${name}.tsv`, ...options });
  await writeDataset(`${folder}/${name}`, dataset);
}

const { vocabulary, train, valid, test } = loadCountries();
const keysOf = (triples) =>
  Array.from({ length: triples.length / 3 }, (_, i) => [
    vocabulary.entity(triples[3 * i]).key,
    vocabulary.relation(triples[3 * i + 1]).key,
    vocabulary.entity(triples[3 * i + 2]).key,
  ]);
await save('countries', [train, valid, test].flatMap(keysOf), { holdOut: 0.1, seed: 7 });
// Names beyond ASCII and beyond 16 bits, with backslashes and quotes, and so few facts that parts would be empty.
const odd = ['a\\t', 'Ä', '𝕏', '"q"', 'd d', '中', 'z'];
const rows = odd.flatMap((head, i) =>
  [1, 2, 3].map((step) => [head, `r\\${step}`, odd[(i + step) % odd.length]]),
);
await save('odd', rows, { holdOut: 0.04, seed: '5', licence: 'CC0-1.0', description: 'Sieben „Namen“' });
