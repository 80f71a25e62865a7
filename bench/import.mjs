// How long a large file of triples takes to import, and how much memory at most.
//
//   npm run build && node bench/import.mjs [facts = 10000000] [entities = 1000000] [relations = 1000]
//
// Writes a file of facts drawn from a skewed distribution to a temporary folder, imports it, writes the data set, and
// prints one line of JSON. Memory is the peak resident set of this process.
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createRandom } from '@fuzzqe/core';
import { importDataset, writeDataset } from '@fuzzqe/data';

const [facts = 10_000_000, entities = 1_000_000, relations = 1000] = process.argv.slice(2).map(Number);
const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-bench-'));
try {
  const path = join(folder, 'facts.tsv');
  await pipeline(blocksOf(lines()), createWriteStream(path));
  const before = peakMiB();
  let start = performance.now();
  const cpu = process.cpuUsage();
  const {
    dataset,
    queries: _queries,
    relationsWithoutFacts,
    ...counts
  } = await importDataset({
    name: 'large',
    train: path,
  });
  const importSeconds = lap();
  const importPeakMiB = peakMiB();
  const { user, system } = process.cpuUsage(cpu);
  await writeDataset(join(folder, 'large'), dataset);
  const writeSeconds = lap();
  console.log(
    JSON.stringify({
      facts,
      fileMiB: Math.round((await stat(path)).size / 2 ** 20),
      entities: dataset.vocabulary.entityCount,
      relations: dataset.vocabulary.relationCount / 2,
      train: dataset.train.length / 3,
      valid: dataset.valid.length / 3,
      test: dataset.test.length / 3,
      ...counts,
      importSeconds,
      importCpuSeconds: Number(((user + system) / 1e6).toFixed(2)),
      writeSeconds,
      factsPerSecond: Math.round(facts / importSeconds),
      peakMiB: { before, import: importPeakMiB, all: peakMiB() },
    }),
  );

  function lap() {
    const seconds = (performance.now() - start) / 1000;
    start = performance.now();
    return Number(seconds.toFixed(2));
  }
} finally {
  await rm(folder, { recursive: true });
}

/** Entities as Wikidata names them; the square of a uniform number makes some far commoner than others. */
function* lines() {
  const random = createRandom('bench', 'import');
  const entity = () => `Q${Math.floor(random.uniform() ** 2 * entities) + 1}`;
  const relation = () => `P${Math.floor(random.uniform() ** 2 * relations) + 1}`;
  for (let i = 0; i < facts; i++) yield `${entity()}\t${relation()}\t${entity()}\n`;
}

function* blocksOf(texts) {
  let block = '';
  for (const text of texts) {
    block += text;
    if (block.length < 1 << 20) continue;
    yield block;
    block = '';
  }
  yield block;
}

function peakMiB() {
  return Math.round(process.resourceUsage().maxRSS / 1024);
}
