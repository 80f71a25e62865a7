// How far float32 runtimes are from float64 at the size of FB15k-237, and whether they rank alike.
//
//   npm run build && node bench/precision.mjs [--dimension 800] [--relations 8] [--runtimes node,web] [--logic product]
//     [--profile fp32] [--temperature 8] [--edges 1] [--seed precision]
//
// The model is random: 14 505 entities, and few relations, because WebAssembly holds a copy of the weights for each of 22
// sessions, and a row reads one W_r however many there are. `fuzzqe parity` compares; this prints its figures: the largest
// difference beside the largest number of the same vector, the largest share of its tolerance that any number uses, and how many
// of the answers have the same ten best entities. A high temperature makes much of small differences of degrees.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import { initialiseParameters, plainModel } from '@fuzzqe/core/model';
import { defaultSets, exportBundle, randomGoldenQueries } from '@fuzzqe/export';
import { createVocabulary } from '@fuzzqe/names';

const { values } = parseArgs({
  options: {
    entities: { type: 'string', default: '14505' },
    relations: { type: 'string', default: '8' },
    dimension: { type: 'string', default: '800' },
    bases: { type: 'string', default: '8' },
    logic: { type: 'string', default: 'product' },
    runtimes: { type: 'string', default: 'node,web' },
    fresh: { type: 'string', default: '8' },
    trees: { type: 'string', default: '30' },
    profile: { type: 'string', default: 'fp32' },
    temperature: { type: 'string', default: '20' },
    edges: { type: 'string', default: '1' },
    seed: { type: 'string', default: 'precision' },
  },
});
const config = {
  entities: Number(values.entities),
  relations: Number(values.relations),
  ...plainModel,
  dimension: Number(values.dimension),
  bases: Number(values.bases),
  logic: values.logic,
};
const names = (count) => Array.from({ length: count }, (_, i) => ({ key: `${i}`, label: `${i}` }));
const random = createRandom(`bench ${values.seed}`);
const root = await mkdtemp(join(tmpdir(), 'fuzzqe-bench-'));
const directory = join(root, 'bundle');
try {
  const parameters = initialiseParameters(config, random);
  const graph = createKnowledgeGraph({
    entityCount: config.entities,
    relationCount: config.relations,
    triples: Int32Array.from({ length: 3 * Number(values.edges) }, (_, i) =>
      i % 3 === 1 ? 2 * random.below(config.relations / 2) : random.below(config.entities),
    ),
  });
  const sets = defaultSets(config);
  await exportBundle({
    directory,
    name: 'precision',
    config,
    parameters,
    vocabulary: createVocabulary({
      entities: names(config.entities),
      relations: names(config.relations / 2),
    }),
    graph,
    data: { name: 'random', licence: 'CC0-1.0' },
    training: {},
    metrics: {},
    sets: { ...sets, weights: { ...sets.weights, temperature: Number(values.temperature) } },
    profiles: [values.profile],
    goldenQueries: randomGoldenQueries(config, 4, random.fork('golden')),
    k: 10,
  });
  const command = fileURLToPath(new URL('../packages/cli/bin/fuzzqe.js', import.meta.url));
  const { runtimes, fresh, trees } = values;
  // It exits with 7 where answers differ, which is what this is to show.
  const { stdout } = spawnSync(
    process.execPath,
    [command, 'parity', directory, '--runtimes', runtimes, '--fresh', fresh, '--trees', trees, '--json'],
    { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  for (const { on, compared, modes, ...numbers } of JSON.parse(stdout).cells) {
    const same = modes.embedding.sameRanking + modes.sets.sameRanking;
    console.log(`${on}: ${compared} answers, ${same} with the same ten best outside ties`);
    for (const what of ['embedding', 'score', 'degree']) {
      const { relative, share, where } = numbers[what];
      console.log(
        `  ${what.padEnd(10)} relative difference at most ${relative.toExponential(2)}, ${(100 * share).toFixed(1)} % of the tolerance, ${where}`,
      );
    }
  }
} finally {
  await rm(root, { recursive: true });
}
