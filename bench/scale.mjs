// How memory and time grow with a graph, from its file to an answered query: each step a process of its own.
//
//   npm run build && node bench/scale.mjs [--sizes 0.1,1,10] [--folder FOLDER] [--only STEP,STEP] [--again] [--steps 1000]
//
// With a folder, what was measured is kept in FOLDER/results.json as soon as it is there, with the commit, the machine, the version of
// Node, the steps of training, the load and the date: the same command goes on where it ended, and does nothing twice but with --again.
// Without one, all of it is removed at the end.
// Sizes are millions of entities, with ten facts each along 200 relations; degrees follow power laws. Prints a table in Markdown: peak
// resident set (VmHWM), CPU seconds of all threads and wall time of each command, and by which power of the size they grow.
// At 10 million it takes an hour, 16 GiB of memory and 20 GB of disk.
import { execFileSync, spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '0.1,1,10' },
    'facts-each': { type: 'string', default: '10' },
    folder: { type: 'string' },
    steps: { type: 'string', default: '1000' },
    only: { type: 'string' },
    again: { type: 'boolean', default: false },
  },
});
const command = fileURLToPath(new URL('../packages/cli/bin/fuzzqe.js', import.meta.url));
const generator = fileURLToPath(new URL('./scale/generate.mjs', import.meta.url));
const meter = new URL('./scale/meter.mjs', import.meta.url).href;
const commit = commitOf(new URL('..', import.meta.url));
const root = values.folder ?? (await mkdtemp(join(tmpdir(), 'fuzzqe-scale-')));
// What no step is to take more than: 16 GiB.
const mostMiB = 16 * 1024;
const kept = join(root, 'results.json');
const results = JSON.parse(await readFile(kept, 'utf8').catch(() => '[]'));
for (const millions of values.sizes.split(',').map(Number)) await measure(millions);
print(results.toSorted((a, b) => a.entities - b.entities));
if (values.folder === undefined) await rm(root, { recursive: true });

/** All commands at one size. */
async function measure(millions) {
  const entities = Math.round(millions * 1e6);
  const facts = entities * Number(values['facts-each']);
  const folder = join(root, `${millions}M`);
  await mkdir(folder, { recursive: true });
  const at = (name) => join(folder, name);
  const [triples, data, run, bundle] = ['triples.tsv', 'data', 'run', 'bundle'].map(at);
  await writeFile(
    at('config.json'),
    JSON.stringify({
      model: { dimension: 64, bases: 16 },
      negatives: { kind: 'shared', count: 1024 },
      optimiser: { rows: 'used' },
      steps: Number(values.steps),
      validation: { every: Number(values.steps), patience: Number(values.steps) },
    }),
  );
  let found = results.find((size) => size.entities === entities && size.facts === facts);
  if (found === undefined) {
    found = { millions, entities, facts, steps: {} };
    results.push(found);
  }
  const { steps } = found;
  const wanted = values.only?.split(',');
  const isDue = (name) =>
    (wanted === undefined || wanted.includes(name)) &&
    (values.again || steps[name] === undefined || steps[name].failed !== undefined);
  const step = async (name, makes, args) => {
    if (!isDue(name)) return;
    if (makes !== undefined) await rm(makes, { recursive: true, force: true });
    const before = loadavg()[0];
    steps[name] = {
      ...(await runMeasured(args)),
      bytes: makes === undefined ? 0 : await bytesOf(makes),
      measured: {
        commit,
        date: new Date().toISOString(),
        steps: Number(values.steps),
        processor: cpus()[0].model,
        cores: cpus().length,
        memoryGiB: Math.round(totalmem() / 2 ** 30),
        node: process.version,
        load: [before, loadavg()[0]].map((load) => Number(load.toFixed(1))),
      },
    };
    await writeFile(kept, `${JSON.stringify(results, null, 2)}\n`);
    process.stderr.write(`${millions}M ${name}: ${JSON.stringify(steps[name])}\n`);
  };
  await step('generate', triples, [generator, triples, String(entities), String(facts)]);
  await step('import and split', data, [command, 'data', 'import', triples, '--out', data]);
  await step('sample', undefined, [
    ...[command, 'data', 'sample', data, '--replace'],
    ...['--train', '2000', '--valid', '10', '--test', '10'],
  ]);
  await step('train', run, [command, 'train', data, '--out', run, '--config', at('config.json')]);
  // A first export: one after it takes the calibration that it left in the run.
  if (isDue('export int8')) await rm(join(run, 'calibration.json'), { force: true });
  const exportArgs = ['--data', data, '--out', bundle, '--profile', 'int8', '--queries', '0'];
  await step('export int8', bundle, [command, 'export', run, ...exportArgs]);
  for (const mode of ['embedding', 'sets']) {
    const name = `query ${mode}`;
    if (isDue(name))
      await step(name, undefined, [
        command,
        'query',
        bundle,
        await queryOf(triples),
        '--mode',
        mode,
        '--json',
      ]);
  }
}

/** A conjunction of a projection of two hops and one of one hop, along the first facts of the file. */
async function queryOf(triples) {
  for await (const line of createInterface({ input: createReadStream(triples) })) {
    const [head, relation] = line.split('\t');
    return `and(project(${relation}, ${head}), project(r1, project(${relation}, ${head})))`;
  }
}

/** Runs a process to its end; its peak and its processor time come from itself, or from outside where it was killed. */
async function runMeasured(args) {
  const report = join(root, 'meter.json');
  await rm(report, { force: true });
  const start = performance.now();
  const child = spawn(process.execPath, ['--import', meter, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, FUZZQE_METER: report },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output = (output + text).slice(-4000);
    });
  let seen = 0;
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    seen = Math.max(seen, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
  }, 200);
  const code = await new Promise((resolve) =>
    child.on('close', (status, signal) => resolve(signal ?? status)),
  );
  clearInterval(timer);
  const wall = (performance.now() - start) / 1000;
  const metered = JSON.parse(await readFile(report, 'utf8').catch(() => '{}'));
  const result = { peakMiB: Math.round((metered.peakKiB ?? seen) / 1024), cpu: metered.cpu, wall };
  return code === 0 ? result : { ...result, failed: code, output };
}

/** Where and of what a figure was measured, but for the hour and the load, which are in results.json. */
function circumstancesOf({ measured }) {
  if (measured === undefined) return 'measured before circumstances were kept';
  const { commit: of, date, steps, processor, cores, memoryGiB, node } = measured;
  return `${of}, ${date.slice(0, 10)}, ${steps} steps; ${processor}, ${cores} cores, ${memoryGiB} GiB; Node ${node}`;
}

/** The commit of a working tree, with a + where files differ from it. */
function commitOf(folder) {
  const git = (...args) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return git('rev-parse', '--short=8', 'HEAD') + (git('status', '--porcelain', '-uno') === '' ? '' : '+');
  } catch {
    return 'no commit';
  }
}

async function bytesOf(path) {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return 0;
  if (found.isFile()) return found.size;
  const { readdir } = await import('node:fs/promises');
  const names = await readdir(path);
  const sizes = await Promise.all(names.map((name) => bytesOf(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function print(all) {
  // Between the smallest and the largest size where the step was measured.
  const power = (of) => {
    const [from, to] = [all.find(of), all.findLast(of)];
    return from === to
      ? ''
      : (Math.log(of(to) / of(from)) / Math.log(to.entities / from.entities)).toFixed(2);
  };
  // Letters for the circumstances, which are listed below the table.
  const circumstances = [...new Set(all.flatMap(({ steps }) => Object.values(steps).map(circumstancesOf)))];
  const letterOf = (it) => `[${String.fromCharCode(97 + circumstances.indexOf(circumstancesOf(it)))}]`;
  const sizes = all.map(({ millions, facts }) => `${millions} M entities, ${facts / 1e6} M facts`);
  console.log(`| | ${sizes.join(' | ')} | memory grows as | CPU grows as |`);
  console.log(`|---|${all.map(() => '---:|').join('')}---:|---:|`);
  for (const name of new Set(all.flatMap(({ steps }) => Object.keys(steps)))) {
    const cells = all.map(({ steps: { [name]: it } }) =>
      it === undefined
        ? ''
        : it.failed !== undefined
          ? `failed (${it.failed}) ${letterOf(it)}`
          : `${it.peakMiB} MiB${it.peakMiB > mostMiB ? ' (TOO MUCH)' : ''}, ${it.cpu.toFixed(1)} s CPU, ${it.wall.toFixed(1)} s ${letterOf(it)}`,
    );
    const ended = ({ steps: { [name]: it } }) => (it?.failed === undefined ? it : undefined);
    const powers = [power((of) => ended(of)?.peakMiB), power((of) => ended(of)?.cpu)];
    console.log(
      `| ${name} | ${cells.join(' | ')} | ${powers.map((n) => (n === '' ? '' : `n^${n}`)).join(' | ')} |`,
    );
  }
  console.log();
  circumstances.forEach((each, i) => {
    console.log(`- [${String.fromCharCode(97 + i)}] ${each}`);
  });
  for (const { millions, steps } of all)
    for (const [name, { failed, output }] of Object.entries(steps))
      if (failed !== undefined) console.log(`\n${millions} M, ${name}: ${failed}\n${output}`);
}
