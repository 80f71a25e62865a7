// A bundle with random weights and facts whose numbers of links follow a power law, for measurements of serving.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import { defaultSets, exportBundle, randomGoldenQueries } from '@fuzzqe/export';
import { initialiseParameters, plainModel } from '@fuzzqe/model';
import { createVocabulary } from '@fuzzqe/names';

const words =
  'alpha beta gamma delta river stone north lake union forge amber cedar harbour valley crown meadow'.split(
    ' ',
  );

/** Names that share words, as names of people and places do. */
const nameOf = (i, random) =>
  `${words[random.below(words.length)]} ${words[random.below(words.length)]} ${i}`;

/**
 * `edges` facts: entities by rank^-0.75, relations by rank^-1, so that the first few have most.
 */
function powerLawFacts(random, { entities, relations, edges }) {
  const drawn = (count, exponent) => {
    const upTo = new Float64Array(count);
    let sum = 0;
    for (let i = 0; i < count; i += 1) upTo[i] = sum += (i + 1) ** -exponent;
    return () => {
      const at = random.uniform() * sum;
      let [low, high] = [0, count - 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (upTo[middle] < at) low = middle + 1;
        else high = middle;
      }
      return low;
    };
  };
  const [entity, relation] = [drawn(entities, 0.75), drawn(relations / 2, 1)];
  const triples = new Int32Array(3 * edges);
  for (let i = 0; i < edges; i += 1) triples.set([entity(), 2 * relation(), entity()], 3 * i);
  return triples;
}

/** When a file was last written; 0 where there is none. */
const writtenAt = async (file) => (await stat(file).catch(() => ({ mtimeMs: 0 }))).mtimeMs;

/** When what writes bundles was last built. */
async function builtAt() {
  const folders = ['core', 'export', 'onnx'].map((name) =>
    fileURLToPath(new URL(`../../packages/${name}/dist/`, import.meta.url)),
  );
  const files = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(folder, { recursive: true })).map((file) => join(folder, file)),
    ),
  );
  return Math.max(...(await Promise.all(files.flat().map(writtenAt))));
}

/** What a model is by each `--form`: `centroid` is blocks whose projections start from centroids, as presets have them. */
const forms = {
  bases: {},
  blocks: { relationForm: 'blocks', entityNormalisation: 'l1' },
  centroid: { relationForm: 'blocks', entityNormalisation: 'l1', projectionInput: 'domain' },
};

/** What the folder of a form adds to its name. */
export const suffixOf = (form) => (form === 'bases' ? '' : `-${form}`);

/** Makes it in the folder unless one is there that is younger than what writes it; the size of FB15k-237 unless told otherwise. */
export async function madeBundle(
  directory,
  {
    dimension,
    profiles,
    target = 'node',
    form = 'bases',
    bases = 50,
    entities = 14_505,
    relations = 474,
    edges = 272_115,
  },
) {
  if ((await writtenAt(join(directory, 'manifest.json'))) > (await builtAt())) return directory;
  const random = createRandom('bench serve', dimension);
  const config = { ...plainModel, bases, ...forms[form], dimension, entities, relations };
  const names = random.fork('names');
  const facts = random.fork('facts');
  const graph = createKnowledgeGraph({
    entityCount: entities,
    relationCount: relations,
    triples: powerLawFacts(facts, { entities, relations, edges }),
  });
  const parameters = initialiseParameters(config, random.fork('parameters'));
  const named = (count, key) =>
    Array.from({ length: count }, (_, i) => ({ key: `${key}${i}`, label: nameOf(i, names) }));
  await exportBundle({
    directory,
    name: `random-${dimension}`,
    config,
    parameters,
    vocabulary: createVocabulary({ entities: named(entities, 'e'), relations: named(relations / 2, 'r') }),
    graph,
    data: { name: 'power law', licence: 'CC0-1.0' },
    training: {},
    metrics: {},
    sets: defaultSets(config),
    goldenQueries: randomGoldenQueries(config, 1, random.fork('golden')),
    k: 10,
    profiles,
    target,
    validation: [],
  });
  return directory;
}
