// Kills a process that writes facts again and again, and compares the log with what the processes said to be durable:
//
//   node bench/fact-kills.mjs [--kills 1000] [--longest 150] [--seed 1] [--folder FOLDER]
//
// Each process is killed (SIGKILL) less than `--longest` milliseconds after it opened the log. Ends with exit code 1 if a batch is lost or
// stands twice. A folder on a disk takes part in it with its flushes; the default is the folder of the system for temporary files.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    longest: { type: 'string', default: '150' },
    seed: { type: 'string', default: '1' },
    folder: { type: 'string', default: tmpdir() },
  },
});
const root = await mkdtemp(join(values.folder, 'fuzzqe-fact-kills-'));
try {
  const source = (path) => fileURLToPath(new URL(`../packages/${path}`, import.meta.url));
  await build({
    entryPoints: {
      'append-until-killed': source('facts/src/testing/kills/append-until-killed.ts'),
      'kill-writers': source('facts/src/testing/kills/kill-writers.ts'),
      core: source('core/src/index.ts'),
    },
    outdir: root,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@fuzzqe/source'],
  });
  const { killWriters } = await import(pathToFileURL(join(root, 'kill-writers.mjs')).href);
  const { createRandom } = await import(pathToFileURL(join(root, 'core.mjs')).href);
  const began = performance.now();
  const report = await killWriters({
    program: join(root, 'append-until-killed.mjs'),
    folder: join(root, 'facts'),
    kills: Number(values.kills),
    longest: Number(values.longest),
    random: createRandom(Number(values.seed)),
  });
  console.log(
    JSON.stringify({ ...report, seconds: Math.round((performance.now() - began) / 1000) }, null, 2),
  );
  if (report.problems.length > 0) process.exitCode = 1;
} finally {
  await rm(root, { recursive: true, force: true });
}
