// The engine's figures at the size of FB15k-237, each beside its goal and the ranking alone.
//
//   npm run build && node bench/engine.mjs [--only int8,fp32,small,sets,ready,memory] [--form bases|blocks|centroid] [--folder DIR] [--sets BUNDLE] [--rounds 60]
//
// Bundles with random weights (d = 800 and 128) are made in --folder, which takes minutes, and kept there; --sets takes a trained
// one of d = 128, without which that figure is of random weights. Queries: 1400 of the 14 structures, drawn from the facts, k = 10.
// What is amortised is asked 64 at a time, two calls under way. `processor` is the time of the processor a query, on a busy machine
// the one to read: for two cores half of it counts. `alone` is the ranking graph on one thread, 64 rows a run.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { openEngine } from '@fuzzqe/engine';
import { folderSource, nodeSessions, openServingEngine } from '@fuzzqe/serve';
import { median, rankAlone, timeEngine } from './serve/engine.mjs';
import { madeBundle, suffixOf } from './serve/made-bundle.mjs';
import { drawQueries } from './serve/queries.mjs';
import { memoryOf, processorTime, startServe } from './serve/server-process.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'int8,fp32,small,sets,ready,memory' },
    form: { type: 'string', default: 'bases' },
    folder: { type: 'string', default: join(tmpdir(), 'fuzzqe-bench-engine') },
    sets: { type: 'string' },
    rounds: { type: 'string', default: '60' },
  },
});
const chosen = new Set(values.only.split(','));
const rounds = Number(values.rounds);
const made = (dimension) =>
  madeBundle(join(values.folder, `d${dimension}${suffixOf(values.form)}`), {
    dimension,
    profiles: ['fp32', 'int8'],
    form: values.form,
  });
const draw = (engine) => drawQueries(engine.facts, 1400, createRandom('bench serve', 'queries'));

console.log('figure | goal | seen | reached | beside it');
const say = (figure, goal, seen, unit, beside) =>
  console.log(
    `${figure} | ${goal} ${unit} | ${seen.toFixed(3)} ${unit} | ${seen <= goal ? 'yes' : 'no'} | ${beside}`,
  );
const besideOf = ({ processor }, alone) =>
  `processor ${processor.toFixed(3)}; alone ${alone.time.toFixed(3)}, processor ${alone.processor.toFixed(3)}`;

/** Two workers, 64 queries a call. */
async function onTwoCores(figure, bundle, profile, mode, goal) {
  const engine = await openServingEngine({ directory: bundle, profile, workers: 2, verify: false });
  const alone = await rankAlone(bundle, engine.manifest, profile);
  const [seen] = await timeEngine(engine, draw(engine), [{ mode, batch: 64 }], { rounds, inFlight: 2 });
  say(`${figure}, a query on 2 cores`, goal, seen.time, 'ms', besideOf(seen, alone));
  await engine.close();
}

/** In this thread, `batch` queries a call. */
async function inOneThread(figure, bundle, profile, { mode, batch, goal, threads, of }) {
  const sessions = nodeSessions(bundle, threads === undefined ? {} : { threads });
  const source = folderSource(bundle);
  const engine = await openEngine({ source, sessions, profile, plan: 'operators', verify: false });
  await engine.warmUp(mode);
  const alone = await rankAlone(bundle, engine.manifest, profile, { rows: batch });
  const [seen] = await timeEngine(engine, draw(engine), [{ mode, batch }], { rounds });
  say(figure, goal, seen[of], 'ms', besideOf(seen, alone));
  await engine.close();
}

if (chosen.has('int8')) {
  const bundle = await made(800);
  await onTwoCores('int8, d 800', bundle, 'int8', 'embedding', 0.15);
  const one = { mode: 'embedding', batch: 1, goal: 0.35, of: 'call' };
  await inOneThread('int8, d 800, median of single queries', bundle, 'int8', one);
}
if (chosen.has('fp32')) await onTwoCores('fp32, d 800', await made(800), 'fp32', 'embedding', 0.5);
if (chosen.has('small'))
  for (const profile of ['fp32', 'int8'])
    await inOneThread(`${profile}, d 128, a query on one thread`, await made(128), profile, {
      mode: 'embedding',
      batch: 64,
      goal: 0.06,
      threads: 1,
      of: 'time',
    });
if (chosen.has('sets')) {
  const what = values.sets === undefined ? 'random weights' : 'trained';
  await onTwoCores(`sets, d 128, ${what}`, values.sets ?? (await made(128)), 'fp32', 'sets', 1.5);
}

/** Starts the server some times. */
async function starts(bundle, profile, workers) {
  const found = [];
  for (let i = 0; i < 5; i += 1) {
    const server = await startServe(bundle, { profile, more: ['--workers', `${workers}`] });
    const processor = processorTime(server.pid);
    found.push({ ready: server.ready / 1000, processor: processor / 1000, ...memoryOf(server.pid) });
    await server.stop();
  }
  return (of) => median(found.map((each) => each[of]));
}
for (const dimension of [128, 800]) {
  if (!chosen.has('ready') && !chosen.has('memory')) break;
  const of = await starts(await made(dimension), 'int8', 2);
  const figure = `int8, d ${dimension}, 2 workers`;
  if (chosen.has('ready'))
    say(`ready, ${figure}`, 1, of('ready'), 's', `processor ${of('processor').toFixed(2)} s`);
  if (chosen.has('memory'))
    say(`anonymous memory, ${figure}`, 150 + 2 * 80, of('anonymous'), 'MB', `Pss ${of('pss').toFixed(0)} MB`);
}
