/**
 * Writes Countries and a graph of a dozen entities with the queries that Node samples, and how many edges each takes: node-queries.mjs FOLDER
 *
 * On the small graph the draws of some structures run out of patience. `edges.json` has, for each training query, the edges
 * that Node's answerer looks at.
 */
import { writeFile } from 'node:fs/promises';
import { createRandom } from '@fuzzqe/core';
import { createAnswerer } from '@fuzzqe/core/query';
import {
  createDataset,
  loadCountries,
  queryRow,
  sampleQuerySets,
  writeDataset,
  writeQuerySets,
} from '@fuzzqe/data';
import { createVocabulary } from '@fuzzqe/names';

const [folder] = process.argv.slice(2);

async function save(name, dataset, plan) {
  const sets = await sampleQuerySets(dataset, { ...plan, random: createRandom('queries', plan.seed) });
  await writeDataset(`${folder}/${name}`, dataset);
  await writeQuerySets(`${folder}/${name}`, sets, plan);
  const answerer = createAnswerer(dataset.graphs().train);
  const edges = sets.train.flatMap((queries) =>
    Array.from({ length: queries.count }, (_, row) => {
      const { anchors, relations } = queryRow(queries, row);
      const before = answerer.edges;
      answerer.find(queries.shape.template, anchors, relations);
      return answerer.edges - before;
    }),
  );
  await writeFile(`${folder}/${name}/edges.json`, JSON.stringify(edges));
}

const countries = loadCountries();
await save('countries', countries, {
  seed: 1,
  sizes: { train: 30, trainNegation: 10, valid: 3, test: 6 },
});
await save('ruled', countries, {
  seed: 7,
  sizes: { train: 20, valid: 0, test: 3 },
  every1p: true,
  maxAnswers: 20,
  rules: { skipMirrored: true, skipIdleNegation: true },
});

const [entities, relations] = [12, 2];
const random = createRandom('spark', 'small');
const rows = new Map();
while (rows.size < 20) {
  const [head, relation, tail] = [
    random.below(entities),
    2 * random.below(relations),
    random.below(entities),
  ];
  rows.set(head * 1000 + relation * 100 + tail, [head, relation, tail]);
}
const sorted = [...rows].sort(([a], [b]) => a - b).map(([, row]) => row);
const named = (letter, count) =>
  Array.from({ length: count }, (_, i) => ({ key: `${letter}${i}`, label: `${letter}${i}` }));
await save(
  'small',
  createDataset({
    ...{ name: 'small', licence: 'CC0-1.0', description: '' },
    vocabulary: createVocabulary({ entities: named('e', entities), relations: named('r', relations) }),
    train: Int32Array.from(sorted.filter((_, i) => i % 5 !== 4).flat()),
    valid: new Int32Array(),
    test: Int32Array.from(sorted.filter((_, i) => i % 5 === 4).flat()),
  }),
  { seed: 3, sizes: { train: 40, valid: 0, test: 2 } },
);
