// What a model takes to be stored and served, by size: the tables of docs/scale.md.
//
//   npm run build && node scripts/sizing.mjs            prints the table
//   node scripts/sizing.mjs BUNDLE [--workers 2]        compares the formula with what `fuzzqe serve BUNDLE` takes when it is ready
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { defaultProjection } from '@fuzzqe/core/sets';
import { estimateCost } from '@fuzzqe/engine';
import { profileSize } from '@fuzzqe/export';
import { plainModel } from '@fuzzqe/model';

/** Milliseconds in which a server has to be ready: one of ten million entities takes minutes. */
const readyWithin = 1_800_000;

/** How far measured memory may be from the formula, as a share of it. */
export const memoryMargin = 0.15;

/**
 * Fitted to `fuzzqe serve`, Linux x64, 1 and 2 workers: 879 entities and 2 502 facts (fp32, d = 64), 14 505 and 272 115 (fp32, d = 128),
 * 100 000 and 799 633, 1 M and 7 997 465 (int8, d = 64). In bytes.
 */
const perProcess = 122e6;
/** A name that is its own label, with the indices by which names are found and searched. */
const perEntity = 340;
/** Of a fact, its two edges. */
const perFact = 40;
const perWorker = 25e6;
/** Copies of the entity table that a worker's runtime lays out for speed, up to so many entities. */
const copiesOfTable = 2;
const mostPrepacked = 2 ** 21;
/**
 * What the answers to golden cases leave to the collector: of each case as many sets as there are parts, for as many cases at once as
 * have half a million numbers, and for one at least.
 */
const leftByAnswers = { perEntity: 2000, most: 60e6, ofOne: 400 };

/**
 * The bytes of the parts of a bundle that grow: graphs and weights of its profiles, facts and names. Card, manifest, golden cases and weights
 * of evidence take less than 2 MB together. Rules are not counted.
 */
export function bundleBytes({ profileBytes, facts, nameBytes }) {
  return profileBytes + 12 * facts + nameBytes;
}

/** The entity table that a profile's runs compare with, in bytes. */
export function tableBytes({ entities, dimension }, profile) {
  return entities * dimension * (profile.startsWith('int8') ? 1 : 4);
}

/** What `fuzzqe serve` holds in memory when it is ready, in bytes; of `weights` bytes those that it maps, `table` by `tableBytes`. */
export function serveBytes({ entities, facts, weights, table, workers }) {
  const shared = perProcess + weights + perEntity * entities + perFact * facts;
  const copies = entities > mostPrepacked ? 0 : copiesOfTable * table;
  const { perEntity: left, most, ofOne } = leftByAnswers;
  return shared + workers * (perWorker + copies + Math.min(left * entities, most) + ofOne * entities);
}

/** Milliseconds of one core for a conjunction of two links, by the estimate that admission goes by. */
export function queryMilliseconds({ entities, dimension, mode }) {
  const { certainMembers, predictedMembers } = defaultProjection;
  const link = (relation) => ({ op: 'project', relation, from: { op: 'entity', entity: 0 } });
  const members = Math.min(certainMembers + predictedMembers, entities);
  const size = { entities, dimension, members, edgesOf: () => 10 };
  return estimateCost({ op: 'and', operands: [link(0), link(2)] }, { mode }, size);
}

/** Cores of a replica, and how busy they are at most: a queue grows without bounds towards 1. */
const coresEach = 2;
const busy = 0.6;
/** Queries a second that replicas are counted for. */
const wanted = 1000;

/** Replicas for so many queries a second. */
export function replicas(milliseconds, perSecond = wanted) {
  return Math.ceil((perSecond * milliseconds) / (1000 * coresEach * busy));
}

/** The model of a row: 200 relations and their inverses, ten facts an entity, names as Wikidata's. */
export function modelOf(entities, dimension) {
  return { ...plainModel, entities, relations: 400, dimension, bases: 32 };
}

/** The table, in Markdown. */
export async function sizingTable() {
  const rows = [
    '| entities | d | profile | bundle | memory of serve, 2 workers | ms a query: embedding, sets | replicas for 1000/s: embedding, sets |',
    '|---:|---:|---|---:|---:|---:|---:|',
  ];
  for (const entities of [1e4, 1e5, 1e6, 1e7])
    for (const dimension of [64, 256])
      for (const profile of ['fp32', 'int8']) {
        const config = modelOf(entities, dimension);
        const facts = 10 * entities;
        const profileBytes = await profileSize(config, profile, false);
        const bytes = bundleBytes({ profileBytes, facts, nameBytes: 25 * entities });
        const table = tableBytes(config, profile);
        const memory = serveBytes({ entities, facts, weights: profileBytes, table, workers: 2 });
        const times = ['embedding', 'sets'].map((mode) => queryMilliseconds({ entities, dimension, mode }));
        rows.push(
          `| ${count(entities)} | ${dimension} | ${profile} | ${size(bytes)} | ${size(memory)} | ` +
            `${times.map(digits).join(', ')} | ${times.map((time) => replicas(time)).join(', ')} |`,
        );
      }
  return rows.join('\n');
}

const count = (n) => (n >= 1e6 ? `${n / 1e6} M` : String(n));
const size = (bytes) => (bytes >= 1e9 ? `${digits(bytes / 1e9)} GB` : `${digits(bytes / 1e6)} MB`);
const digits = (x) => (x >= 100 ? x.toFixed(0) : String(Number(x.toPrecision(2))));

/** What a server of the bundle holds when it is ready, compared with the formula. */
async function compare(folder, workers) {
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
  const bytesOf = (ending) =>
    Object.entries(manifest.files).reduce(
      (sum, [path, { bytes }]) => sum + (path.endsWith(ending) ? bytes : 0),
      0,
    );
  const { entities } = manifest.model;
  const [profile] = Object.keys(manifest.profiles);
  const formula = serveBytes({
    entities,
    facts: bytesOf('facts.bin') / 12,
    weights: bytesOf('weights.bin'),
    table: tableBytes(manifest.model, profile),
    workers,
  });
  const measured = await memoryWhenReady(folder, workers);
  const share = measured / formula - 1;
  console.log(
    JSON.stringify({
      entities,
      workers,
      formula: Math.round(formula / 1e6),
      measured: Math.round(measured / 1e6),
      share,
    }),
  );
  if (Math.abs(share) > memoryMargin)
    throw new Error(`memory differs from the formula by more than ${memoryMargin}`);
}

async function memoryWhenReady(folder, workers) {
  const port = await freePort();
  const command = fileURLToPath(new URL('../packages/cli/bin/fuzzqe.js', import.meta.url));
  const args = [command, 'serve', folder, '--port', String(port), '--workers', String(workers)];
  const server = spawn(process.execPath, args, { stdio: 'ignore' });
  const ended = new Promise((resolve) => server.once('close', resolve));
  const deadline = performance.now() + readyWithin;
  try {
    for (;;) {
      const end = server.exitCode ?? server.signalCode;
      if (end !== null) throw new Error(`the server ended with ${end}`);
      if (performance.now() > deadline) throw new Error(`the server was not ready within ${readyWithin} ms`);
      const ready = await fetch(`http://127.0.0.1:${port}/readyz`, {
        signal: AbortSignal.timeout(5000),
      }).catch(() => undefined);
      if (ready?.ok) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
    return 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)[1]);
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { workers: { type: 'string', default: '2' } },
  });
  if (positionals.length === 0) console.log(await sizingTable());
  else await compare(positionals[0], Number(values.workers));
}
