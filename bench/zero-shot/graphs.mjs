import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDataset, importPath, loadCountries } from '@fuzzqe/data';
import { createVocabulary } from '@fuzzqe/names';
import { closedDataset } from '../owners/closed-dataset.mjs';
import { owners, ownersText } from '../owners/index.mjs';

/** Graphs that judge zero-shot links: three public sets, and three as owners have them. */
export const judgedGraphs = ['umls', 'codex-s', 'countries', 'family', 'museum', 'films'];

/** A judged graph as a data set in which a fact that declared axioms entail is not held out. */
export async function judgedGraph(name, data, seed = 1) {
  if (name === 'countries') return loadCountries(); // as the demo trains it
  if (owners[name] === undefined) return publicGraph(join(data, name), name);
  const path = join(tmpdir(), `zero-shot-${process.pid}-${owners[name].file}`);
  await writeFile(path, ownersText(name, seed));
  return closedDataset((await importPath(path, { name, seed })).dataset);
}

/** A folder of train.txt, valid.txt and test.txt, each line head, relation and tail by name. */
async function publicGraph(folder, name) {
  const [entities, relations] = [new Map(), new Map()];
  const idOf = (names, key) => {
    if (!names.has(key)) names.set(key, names.size);
    return names.get(key);
  };
  const parts = {};
  for (const split of ['train', 'valid', 'test']) {
    const lines = (await readFile(join(folder, `${split}.txt`), 'utf8')).trim().split(/\r?\n/);
    parts[split] = Int32Array.from(
      lines.flatMap((line) => {
        const [head, relation, tail] = line.split('\t');
        return [idOf(entities, head), 2 * idOf(relations, relation), idOf(entities, tail)];
      }),
    );
  }
  const named = (names) => Array.from(names.keys(), (key) => ({ key, label: key }));
  const vocabulary = createVocabulary({ entities: named(entities), relations: named(relations) });
  return createDataset({ name, vocabulary, ...parts });
}
