// One server with many small bundles: memory, and the first answer of a bundle that is closed.
//
//   npm run build && node bench/many-models.mjs [--bundle runs/demo/bundle] [--bundles 200] [--workers 1] [--model-bytes BYTES]
//     [--asked 100] [--warm 2]
//
// Makes copies of a bundle under other names in a temporary folder: files are links, and each copy has a manifest of its own. Starts
// `fuzzqe serve` over them, asks `--asked` closed bundles for one answer each, one after the other, and one open bundle as often.
// Prints JSON: seconds until the server is ready, milliseconds of first answers (median, p99) and processor time of each, and memory in MiB (Pss, and what is
// anonymous) at the start and at the end. On Linux alone.
import { spawn } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readManifest, sealManifest } from '@fuzzqe/bundle';
import { folderSource } from '@fuzzqe/serve';

const { values } = parseArgs({
  options: {
    bundle: { type: 'string', default: 'runs/demo/bundle' },
    bundles: { type: 'string', default: '200' },
    workers: { type: 'string', default: '1' },
    'model-bytes': { type: 'string' },
    asked: { type: 'string', default: '100' },
    warm: { type: 'string', default: '2' },
  },
});
const count = Number(values.bundles);
// Next to the bundle, so that files can be links; elsewhere, with --bundle there.
const folder = mkdtempSync(
  join(values.bundle.startsWith('/tmp') ? tmpdir() : dirname(values.bundle), '.many-'),
);
let server;
try {
  const { sha256: _, ...manifest } = await readManifest(folderSource(values.bundle));
  const files = readdirSync(values.bundle, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'manifest.json')
    .map((entry) => join(entry.parentPath, entry.name).slice(values.bundle.length + 1));
  const names = Array.from({ length: count }, (_, i) => `m${i}`);
  for (const name of names) {
    for (const file of files) {
      const to = join(folder, name, file);
      mkdirSync(dirname(to), { recursive: true });
      linkSync(join(values.bundle, file), to);
    }
    writeFileSync(join(folder, name, 'manifest.json'), await sealManifest({ ...manifest, name }));
  }
  const limit = values['model-bytes'] === undefined ? [] : ['--model-bytes', values['model-bytes']];
  const begun = performance.now();
  server = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('../packages/cli/bin/fuzzqe.js', import.meta.url)),
      ...['serve', ...names.map((name) => join(folder, name)), '--port', '0', '--workers', values.workers],
      ...['--log-level', 'warn', '--close-notice', '0', ...limit],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (data) => {
      said += data;
    });
  const address = () => /http:\/\/[\d.]+:\d+/.exec(said)?.[0];
  while (address() === undefined) {
    if (server.exitCode !== null) throw new Error(`the server ended: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const url = address();
  while (!(await fetch(`${url}/readyz`)).ok) await new Promise((resolve) => setTimeout(resolve, 20));
  const readySeconds = (performance.now() - begun) / 1000;
  const query = await queryOf(url);
  const atStart = memory();
  const cold = [];
  const cpuBefore = cpu();
  const { models } = await (await fetch(`${url}/v1/models`)).json();
  const closed = models.filter(({ status }) => status === 'closed').map(({ name }) => name);
  for (const [i, name] of closed.slice(0, Number(values.asked)).entries()) {
    const time = await ask(url, name, query);
    // The first openings compile.
    if (i >= Number(values.warm)) cold.push(time);
  }
  const cpuOfCold = cpu() - cpuBefore;
  const last = closed[Math.min(closed.length, Number(values.asked)) - 1] ?? names[0];
  const warm = [];
  for (let i = 0; i < cold.length + 1; i++) warm.push(await ask(url, last, query));
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const metric = (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
  const result = {
    bundles: count,
    workers: Number(values.workers),
    readySeconds: round(readySeconds),
    coldMs: quantiles(cold),
    coldCpuMs: round((1000 * cpuOfCold) / Math.min(closed.length, Number(values.asked))),
    warmMs: quantiles(warm),
    open: metric('fuzzqe_models_open'),
    countedMiB: round(metric('fuzzqe_models_bytes') / 2 ** 20),
    evictions: metric('fuzzqe_model_evictions_total'),
    memoryMiB: { atStart, atEnd: memory() },
  };
  console.log(JSON.stringify(result));
} finally {
  if (server !== undefined && server.exitCode === null) {
    server.kill('SIGTERM');
    await new Promise((resolve) => server.on('exit', resolve));
  }
  rmSync(folder, { recursive: true, force: true });
}

/** A question of one hop, of the graph that all copies have. */
async function queryOf(url) {
  const { structures } = await (await fetch(`${url}/v1/structures`)).json();
  return JSON.stringify({ query: structures.find(({ name }) => name === '1p').example, k: 5 });
}

async function ask(url, name, body) {
  const begun = performance.now();
  const response = await fetch(`${url}/v1/models/${name}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${name}: ${response.status} ${text}`);
  return performance.now() - begun;
}

function memory() {
  const text = readFileSync(`/proc/${server.pid}/smaps_rollup`, 'utf8');
  const of = (name) => round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024);
  return { pss: of('Pss'), anonymous: of('Anonymous') };
}

/** Seconds of a processor that the server has taken. */
function cpu() {
  const text = readFileSync(`/proc/${server.pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function quantiles(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]);
  return { n: sorted.length, median: at(0.5), p99: at(0.99) };
}

function round(value) {
  return value === undefined ? null : Math.round(value * 10) / 10;
}
