/**
 * Writes Countries and a small graph, and the rules that Node mines from their training facts: node-rules.mjs FOLDER ROUNDS
 *
 * Countries is mined as a calibration mines it, in so many rounds (its default is four). The small graph is mined in one round with another
 * seed: once with all facts, and once without the first fact.
 */
import { writeFile } from 'node:fs/promises';
import { createRandom } from '@fuzzqe/core';
import { createDataset, loadCountries, writeDataset } from '@fuzzqe/data';
import { writeRules } from '@fuzzqe/evidence';
import { mineRules } from '@fuzzqe/evidence/mining';
import { createVocabulary } from '@fuzzqe/names';

const [folder, rounds] = process.argv.slice(2);

/** A graph with hubs and self loops. A first round looks at a part of its facts, paths and constants. */
function hubs(name, without) {
  const random = createRandom('spark', 'hubs');
  const [entities, relations, facts] = [150, 4, 700];
  const rows = new Map();
  while (rows.size < facts) {
    const head = Math.floor(entities * random.uniform() ** 3);
    const relation = 2 * random.below(relations);
    const tail =
      random.below(4) === 0 ? (head * 7 + relation) % 40 : Math.floor(entities * random.uniform() ** 2);
    rows.set((head * 100 + relation) * entities + tail, [head, relation, tail]);
  }
  const train = Int32Array.from(
    [...rows]
      .sort(([a], [b]) => a - b)
      .slice(without)
      .flatMap(([, row]) => row),
  );
  const named = (letter, count) =>
    Array.from({ length: count }, (_, i) => ({ key: `${letter}${i}`, label: `${letter}${i}` }));
  const vocabulary = createVocabulary({ entities: named('e', entities), relations: named('r', relations) });
  const none = new Int32Array();
  return createDataset({
    name,
    licence: 'unknown',
    description: '',
    vocabulary,
    train,
    valid: none,
    test: none,
  });
}

async function save(dataset, options) {
  await writeDataset(`${folder}/${dataset.name}`, dataset);
  const facts = dataset.graphs().train;
  await writeFile(`${folder}/${dataset.name}/rules.tsv`, writeRules(await mineRules(facts, options), facts));
}

await save(loadCountries(), { random: createRandom('rules'), rounds: Number(rounds) });
for (const [name, without] of [
  ['hubs', 0],
  ['fewer', 1],
])
  await save(hubs(name, without), { random: createRandom('other', 7), rounds: 1 });
