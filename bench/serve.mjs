// Load, faults and restarts on `fuzzqe serve`, at the size of FB15k-237.
//
//   npm run build && node bench/serve.mjs [BUNDLE] [--dimension 128] [--profile fp32|int8] [--folder DIR] [--modes sets,embedding]
//     [--only probe,engine,closed,open,health,pipelining,heavy,soak,restarts,peer] [--seconds 8] [--clients 1,64,256,1000]
//     [--rates 0.5,1,2,10] [--restarts 100] [--soak 60] [--serve '--threads 1'] [--python .venv/bin/python] [--health /healthz]
//
// BUNDLE may be any; without one, a bundle with random weights of that dimension and power-law facts is made in --folder, and kept
// there. Requests: 1400 queries of the 14 structures in turns, drawn from the facts, modes in turns. Clients run on a thread of
// this process, on the same cores as the server. A busy machine slows all: read what is measured against `probe`, which comes
// before and after, and the server's processor time a request. Rates of the open loop are shares of what 64 clients got.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { openEngine } from '@fuzzqe/engine';
import { folderSource, nodeSessions } from '@fuzzqe/serve';
import { heavyBeside, heavyRequests, pipelining, probesUnderLoad } from './serve/attacks.mjs';
import { measureEngine } from './serve/engine.mjs';
import { describeLoad, runLoad } from './serve/load.mjs';
import { madeBundle } from './serve/made-bundle.mjs';
import { measurePeer } from './serve/peer.mjs';
import { describeProbe, probe } from './serve/probe.mjs';
import { drawQueries, ourRequests } from './serve/queries.mjs';
import { restarts } from './serve/restarts.mjs';
import { memoryOf, processorTime, startServe, watchMemory } from './serve/server-process.mjs';

const parts = [
  'probe',
  'engine',
  'closed',
  'open',
  'health',
  'pipelining',
  'heavy',
  'soak',
  'restarts',
  'peer',
];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dimension: { type: 'string', default: '128' },
    profile: { type: 'string', default: 'fp32' },
    folder: { type: 'string', default: join(tmpdir(), 'fuzzqe-bench-serve') },
    modes: { type: 'string', default: 'sets,embedding' },
    only: { type: 'string', default: parts.filter((each) => each !== 'peer').join(',') },
    seconds: { type: 'string', default: '8' },
    clients: { type: 'string', default: '1,64,256,1000' },
    rates: { type: 'string', default: '0.5,1,2,10' },
    restarts: { type: 'string', default: '100' },
    soak: { type: 'string', default: '60' },
    serve: { type: 'string', default: '' },
    python: { type: 'string', default: 'python3' },
    health: { type: 'string', default: '/healthz' },
  },
});
const chosen = new Set(values.only.split(','));
const unknown = [...chosen].find((each) => !parts.includes(each));
if (unknown !== undefined) throw new Error(`--only: no part ${unknown}: ${parts.join(', ')}`);
const { profile, health } = values;
const numbers = (text) => text.split(',').map(Number);
const seconds = Number(values.seconds);
const more = values.serve.split(' ').filter(Boolean);
const bundle =
  positionals[0] ??
  (await madeBundle(join(values.folder, `d${values.dimension}-${profile}`), {
    dimension: Number(values.dimension),
    // The peer reads its weights from fp32.
    profiles: [...new Set(['fp32', profile])],
  }));

const engine = await openEngine({
  source: folderSource(bundle),
  sessions: nodeSessions(bundle, { threads: 1 }),
  profile,
  verify: false,
});
const { entities, relations, dimension } = engine.manifest.model;
const random = createRandom('bench serve', 'queries');
const drawn = drawQueries(engine.facts, 1400, random);
const requests = ourRequests(drawn, engine.vocabulary, { modes: values.modes.split(',') });
const say = (what, text) => console.log(`${what.padEnd(22)} ${text}`);
say(
  'bundle',
  `${engine.manifest.name}: |E| ${entities}, |R| ${relations}, ${engine.manifest.data.edges ?? ''} edges, d ${dimension}, ${profile}; modes ${values.modes}`,
);
const measureProbe = async (when) => {
  if (chosen.has('probe'))
    for (const line of describeProbe(await probe(bundle, engine, profile))) say(when, line);
};
await measureProbe('probe before');

if (chosen.has('engine'))
  for (const line of await measureEngine(engine, drawn, values.modes.split(','))) say('engine', line);

/** A part with a server of its own, and a line with its processor time and memory. */
async function withServer(name, run) {
  if (!chosen.has(name)) return;
  const server = await startServe(bundle, { profile, more });
  const target = { port: server.port, pid: server.pid, requests, health };
  const before = memoryOf(server.pid);
  const watch = watchMemory(server.pid);
  try {
    await run(target, server);
    const most = watch.most();
    say(
      name,
      `ready after ${(server.ready / 1000).toFixed(1)} s; anonymous ${before.anonymous.toFixed(0)} to ${most.anonymous.toFixed(0)} MB, Pss ${before.pss.toFixed(0)} to ${most.pss.toFixed(0)} MB`,
    );
  } finally {
    watch.stop();
    const { code, signal } = await server.stop();
    if (code !== 0) say(name, `the server ended with ${code ?? signal}: ${server.said().slice(-500)}`);
  }
}

/** A load, and what it took of the server's processor time. */
async function measureLoad(target, options) {
  const before = processorTime(target.pid);
  const load = await runLoad({ ...target, ...options });
  const time = processorTime(target.pid) - before;
  const count = Object.values(load.statuses).reduce((sum, each) => sum + each, 0);
  // The warm-up has its share of both.
  const share = load.seconds / (load.seconds + (options.warmUp ?? 1));
  const cost = count === 0 ? '' : `; ${((time * share) / count).toFixed(2)} ms of the processor each`;
  return { load, line: `${describeLoad(load)}${cost}` };
}

let capacity = 500;
await withServer('closed', async (target) => {
  for (const clients of numbers(values.clients)) {
    const { load, line } = await measureLoad(target, { clients, seconds });
    if (clients === 64) capacity = load.milliseconds.length / load.seconds;
    say(`closed, ${clients} clients`, line);
  }
});
await withServer('open', async (target) => {
  for (const share of numbers(values.rates)) {
    const rate = Math.max(1, share * capacity);
    const { line } = await measureLoad(target, { rate, seconds });
    say(`open, ${rate.toFixed(0)}/s`, line);
  }
});
await withServer('health', async (target) => {
  say('health', `at 256 clients: ${await probesUnderLoad(target)}`);
});
await withServer('pipelining', async (target) => {
  for (const line of await pipelining(target)) say('pipelining', line);
});
await withServer('heavy', async (target) => {
  for (const line of await heavyBeside(target, heavyRequests(drawn, engine.vocabulary))) say('heavy', line);
});
await withServer('soak', async (target) => {
  const step = Math.max(5, Number(values.soak) / 12);
  for (let at = 0; at < Number(values.soak); at += step) {
    const load = await runLoad({ ...target, rate: capacity / 2, seconds: step, warmUp: 0, seed: at });
    const { anonymous, pss } = memoryOf(target.pid);
    say(
      `soak, ${(at + step).toFixed(0)} s`,
      `${describeLoad(load)}; anonymous ${anonymous.toFixed(0)} MB, Pss ${pss.toFixed(0)} MB`,
    );
  }
});
if (chosen.has('restarts')) {
  const times = Number(values.restarts);
  say(
    'restarts',
    await restarts(bundle, requests, { times, profile, random: random.fork('restarts'), more }),
  );
}
if (chosen.has('peer')) {
  for (const line of await measurePeer({
    bundle,
    engine,
    drawn,
    python: values.python,
    profile,
    seconds,
    more,
  }))
    say('peer', line);
}
await measureProbe('probe after');
await engine.close();
