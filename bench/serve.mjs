// Load, faults and restarts on `fuzzqe serve`, at the size of FB15k-237.
//
//   npm run build && node bench/serve.mjs [BUNDLE] [--dimension 128] [--form bases|blocks|centroid] [--profile fp32|int8] [--folder DIR] [--modes sets,embedding]
//     [--only probe,engine,closed,open,health,pipelining,heavy,delay,flood,soak,restarts,peer,least] [--seconds 8] [--clients 1,64,256,1000]
//     [--rates 0.5,1,2,10] [--restarts 100] [--minutes 11] [--soak 60] [--serve='--workers 1'] [--python .venv/bin/python]
//     [--health /livez] [--cores 0,1] [--json FILE]
//
// At the end a line for each goal, `goal | seen | reached`, and in FILE the same with the probe. Without --only: all but flood (which takes h2load), soak, peer and
// least (peer beside the least that servers of Node do), and as many restarts as there is time for.
//
// BUNDLE may be any; without one, a bundle with random weights of that dimension and power-law facts is made in --folder, and kept
// there. Requests: 1400 queries of the 14 structures in turns, drawn from the facts, modes in turns. Clients run on a thread of
// this process, on the same cores as the server; with --cores the servers, ours and the peer, run on those alone, and this process where
// it was started (`taskset -c 2-5 node bench/serve.mjs --cores 0,1`). A busy machine slows all: read what is measured against `probe`, which comes
// before and after, and the processor time a request of the server and of its main thread. Rates of the open loop are shares of what 64 clients got.
import { writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { openEngine } from '@fuzzqe/engine';
import { folderSource, nodeSessions } from '@fuzzqe/serve';
import { heavyBeside, heavyRequests, pipelining, probesUnderLoad } from './serve/attacks.mjs';
import { measureDelays } from './serve/delay.mjs';
import { describeEngine, measureEngine } from './serve/engine.mjs';
import { flood } from './serve/flood.mjs';
import { createGoals } from './serve/goals.mjs';
import { describeLoad, quantile, runLoad } from './serve/load.mjs';
import { madeBundle, suffixOf } from './serve/made-bundle.mjs';
import { measurePeer } from './serve/peer.mjs';
import { describeProbe, probe } from './serve/probe.mjs';
import { drawQueries, ourRequests } from './serve/queries.mjs';
import { restarts } from './serve/restarts.mjs';
import {
  memoryOf,
  processorTime,
  runServersOn,
  startServe,
  threadTimes,
  watchMemory,
} from './serve/server-process.mjs';

const parts = [
  'probe',
  'engine',
  'closed',
  'open',
  'health',
  'pipelining',
  'heavy',
  'delay',
  'flood',
  'soak',
  'restarts',
  'peer',
  'least',
];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dimension: { type: 'string', default: '128' },
    form: { type: 'string', default: 'bases' },
    profile: { type: 'string', default: 'fp32' },
    folder: { type: 'string', default: join(tmpdir(), 'fuzzqe-bench-serve') },
    modes: { type: 'string', default: 'sets,embedding' },
    only: {
      type: 'string',
      default: parts.filter((each) => !['flood', 'soak', 'peer', 'least'].includes(each)).join(','),
    },
    seconds: { type: 'string', default: '8' },
    clients: { type: 'string', default: '1,64,256,1000' },
    rates: { type: 'string', default: '0.5,1,2,10' },
    restarts: { type: 'string', default: '100' },
    soak: { type: 'string', default: '60' },
    serve: { type: 'string', default: '' },
    python: { type: 'string', default: 'python3' },
    health: { type: 'string', default: '/livez' },
    cores: { type: 'string' },
    minutes: { type: 'string', default: '11' },
    json: { type: 'string' },
  },
});
const chosen = new Set(values.only.split(','));
const unknown = [...chosen].find((each) => !parts.includes(each));
if (unknown !== undefined) throw new Error(`--only: no part ${unknown}: ${parts.join(', ')}`);
const { profile, health } = values;
const until = performance.now() + 60_000 * Number(values.minutes);
const numbers = (text) => text.split(',').map(Number);
const seconds = Number(values.seconds);
runServersOn(values.cores);
const more = values.serve.split(' ').filter(Boolean);
const bundle =
  positionals[0] ??
  (await madeBundle(join(values.folder, `d${values.dimension}-${profile}${suffixOf(values.form)}`), {
    dimension: Number(values.dimension),
    form: values.form,
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
const modes = values.modes.split(',');
const requestsIn = (wanted) => ourRequests(drawn, engine.vocabulary, { modes: wanted });
const requests = requestsIn(modes);
const say = (what, text) => console.log(`${what.padEnd(22)} ${text}`);
say(
  'bundle',
  `${engine.manifest.name}: |E| ${entities}, |R| ${relations}, ${engine.manifest.data.edges ?? ''} edges, d ${dimension}, ${profile}; modes ${values.modes}`,
);
const goals = createGoals((line) => say('goal', line));
const probes = [];
const measureProbe = async (when) => {
  if (!chosen.has('probe')) return;
  const found = await probe(bundle, engine, profile);
  probes.push(found);
  for (const line of describeProbe(found)) say(when, line);
};
await measureProbe('probe before');

// Its goals are those of `bench/engine.mjs`.
if (chosen.has('engine'))
  for (const each of await measureEngine(engine, drawn, modes)) say('engine', describeEngine(each));

const most = { ready: 0, anonymous: 0 };
/** A part with a server of its own, and a line with its processor time and memory. */
async function withServer(name, run, { probed = false, flags = [] } = {}) {
  if (!chosen.has(name)) return;
  const server = await startServe(bundle, { profile, more: [...more, ...flags], probed });
  const target = { port: server.port, pid: server.pid, requests, health };
  const before = memoryOf(server.pid);
  const watch = watchMemory(server.pid);
  try {
    await run(target, server);
    const seen = watch.most();
    say(
      name,
      `ready after ${(server.ready / 1000).toFixed(1)} s; anonymous ${before.anonymous.toFixed(0)} to ${seen.anonymous.toFixed(0)} MB, Pss ${before.pss.toFixed(0)} to ${seen.pss.toFixed(0)} MB`,
    );
    most.ready = Math.max(most.ready, server.ready / 1000);
    most.anonymous = Math.max(most.anonymous, seen.anonymous);
  } finally {
    watch.stop();
    const { code, signal } = await server.stop();
    if (code !== 0) say(name, `the server ended with ${code ?? signal}: ${server.said().slice(-500)}`);
  }
}

const answersOf = ({ statuses }) => Object.values(statuses).reduce((sum, each) => sum + each, 0);

/** A load without a warm-up, and what it took of the server's processor time. */
async function measureLoad(target, options) {
  await runLoad({ ...target, ...options, seconds: 0, warmUp: 1 });
  const [before, threads] = [processorTime(target.pid), threadTimes(target.pid)];
  const load = await runLoad({ ...target, ...options, warmUp: 0 });
  const count = answersOf(load);
  const time = (processorTime(target.pid) - before) / count;
  const main = (threadTimes(target.pid).main - threads.main) / count;
  const cost =
    count === 0 ? '' : `; ${time.toFixed(3)} ms of the processor each, ${main.toFixed(3)} of the main thread`;
  return { load, main, line: `${describeLoad(load)}${cost}` };
}

const ms = (value) => `${value.toFixed(1)} ms`;
let [capacity, unloaded] = [500, Number.NaN];
const noteThroughput = (what, load) => {
  const [rate, p99] = [load.milliseconds.length / load.seconds, quantile(load.milliseconds, 0.99)];
  goals.note(
    `HTTP, ${what}: at least 4000/s at 64 clients, p99 at most 40 ms`,
    `${rate.toFixed(0)}/s, ${ms(p99)}`,
    rate >= 4000 && p99 <= 40,
  );
};
await withServer('closed', async (target) => {
  for (const clients of numbers(values.clients)) {
    const { load, line, main } = await measureLoad(target, { clients, seconds });
    say(`closed, ${clients} clients`, line);
    if (clients !== 64) continue;
    capacity = load.milliseconds.length / load.seconds;
    unloaded = quantile(load.milliseconds, 0.99);
    noteThroughput(modes.join(' and '), load);
    goals.note(
      'main thread: at most 0.15 ms of the processor a request',
      `${main.toFixed(3)} ms`,
      main <= 0.15,
    );
    if (modes.length === 1) continue;
    const single = await measureLoad(
      { ...target, requests: requestsIn(['embedding']) },
      { clients, seconds },
    );
    say('closed, embedding alone', single.line);
    noteThroughput('embedding', single.load);
  }
});
/** What 64 clients get, where the closed loop has not said so. */
async function measureCapacity(target) {
  if (Number.isFinite(unloaded)) return;
  const { load } = await measureLoad(target, { clients: 64, seconds });
  capacity = load.milliseconds.length / load.seconds;
  unloaded = quantile(load.milliseconds, 0.99);
}
await withServer('open', async (target) => {
  await measureCapacity(target);
  for (const share of numbers(values.rates)) {
    const rate = Math.max(1, share * capacity);
    if (share < 10) {
      say(`open, ${rate.toFixed(0)}/s`, (await measureLoad(target, { rate, seconds })).line);
      continue;
    }
    // What floods has its own answers wait for it: another client, with little to do, says how late they come. Its connections are open
    // before the flood's, and both have theirs before anything counts: Node takes a new connection in a turn of its loop.
    const other = runLoad({ ...target, rate: 400, seconds, warmUp: 11, seed: 2 });
    await setTimeout(1000);
    const load = await runLoad({ ...target, rate, seconds, warmUp: 10 });
    say(`open, ${rate.toFixed(0)}/s`, describeLoad(load));
    const beside = await other;
    say('beside it, 400/s', describeLoad(beside));
    const p99 = quantile(beside.sinceSent, 0.99);
    const others = Object.keys(load.statuses).filter((status) => !['200', '429', '503'].includes(status));
    // What this client did not get to send says nothing about the server.
    const sent = (answersOf(load) + load.unanswered + load.lost) / load.seconds / capacity;
    goals.note(
      `overload of ${share} ×: nothing but 200, 429, 503, the p99 of what is accepted within 2 × of that of 64 clients`,
      `${sent.toFixed(1)} × sent, ${JSON.stringify(load.statuses)}, ${load.lost} lost, ${load.unanswered} unanswered; p99 of a client beside it ${ms(p99)}, ${(p99 / unloaded).toFixed(2)} × ${ms(unloaded)}, its own ${ms(quantile(load.sinceSent, 0.99))}`,
      others.length === 0 && load.lost === 0 && load.unanswered === 0 && p99 <= 2 * unloaded,
    );
  }
});
await withServer('flood', async (target) => {
  const measure = async (clients) => {
    const found = await flood(target, { clients, seconds });
    say(`flood, ${clients} clients`, found.line);
    return found;
  };
  const usual = await measure(64);
  for (const clients of [256, 640]) {
    const found = await measure(clients);
    goals.note(
      `${clients} connections that ask again at once: nothing but 200 and 429, the p99 beside them within 2 × of that of 64`,
      `${found.server} × 5xx, ${found.errored} errors; ${ms(found.p99)}, ${(found.p99 / usual.p99).toFixed(2)} × ${ms(usual.p99)}`,
      found.server === 0 && found.errored === 0 && found.p99 <= 2 * usual.p99,
    );
  }
});
await withServer('health', async (target) => {
  const { line, asked, within } = await probesUnderLoad(target);
  say('health', `at 256 clients: ${line}`);
  goals.note(
    'probes of health on fresh connections at 256 clients: all within 50 ms',
    line,
    within === asked,
  );
});
await withServer('pipelining', async (target) => {
  const { lines, alone, beside, grown } = await pipelining(target);
  for (const line of lines) say('pipelining', line);
  goals.note(
    "40 sockets pipelining 4000 requests each: others' p99 within 2 ×",
    `${ms(alone)} to ${ms(beside)}, ${(beside / alone).toFixed(2)} ×`,
    beside <= 2 * alone,
  );
  goals.note('the same: memory within 200 MB', `${grown.toFixed(0)} MB more`, grown <= 200);
});
await withServer('heavy', async (target) => {
  const { lines, alone, beside } = await heavyBeside(target, heavyRequests(drawn, engine.vocabulary));
  for (const line of lines) say('heavy', line);
  goals.note(
    "a heavy client: others' p99 at most 20 ms more",
    `${ms(alone)} to ${ms(beside)}`,
    beside - alone <= 20,
  );
});
await withServer(
  'delay',
  async (_, server) => {
    const found = await measureDelays(server, engine);
    const both = ({ clock, processor }) => `${ms(clock)} (${processor.toFixed(1)} of the processor)`;
    for (const { name, first, later, statuses } of found)
      say('delay', `${both(first)} at first, ${both(later)} later, ${JSON.stringify(statuses)}: ${name}`);
    const longestBy = (time) =>
      found
        .map(({ name, first, later }) => ({ name, most: Math.max(first[time], later[time]) }))
        .reduce((most, each) => (each.most > most.most ? each : most));
    const [clock, processor] = ['clock', 'processor'].map(longestBy);
    goals.note(
      'no request holds the event loop for over 20 ms',
      `${ms(clock.most)}: ${clock.name}; of the processor ${ms(processor.most)}: ${processor.name}`,
      clock.most <= 20,
    );
  },
  { probed: true, flags: ['--mcp', 'on'] },
);
await withServer('soak', async (target) => {
  await measureCapacity(target);
  const step = Math.max(5, Number(values.soak) / 12);
  const memories = [];
  for (let at = 0; at < Number(values.soak); at += step) {
    const load = await runLoad({ ...target, rate: capacity / 2, seconds: step, warmUp: 0, seed: at });
    const { anonymous, pss } = memoryOf(target.pid);
    memories.push(anonymous);
    say(
      `soak, ${(at + step).toFixed(0)} s`,
      `${describeLoad(load)}; anonymous ${anonymous.toFixed(0)} MB, Pss ${pss.toFixed(0)} MB`,
    );
  }
  // The first of twelve has the caches of the runtime grow.
  const [, second = Number.NaN] = memories;
  const last = memories.at(-1);
  goals.note(
    'an hour at half load: memory flat, within a tenth',
    `${second.toFixed(0)} to ${last.toFixed(0)} MB in ${values.soak} s`,
    Number(values.soak) >= 3600 && last <= 1.1 * second,
  );
});
if (most.ready > 0) {
  goals.note(`ready within 1 s, ${profile}`, `${most.ready.toFixed(1)} s at most`, most.ready <= 1);
  const workers = values.cores?.split(',').length ?? availableParallelism();
  const bound = 150 + 80 * workers;
  goals.note(
    `anonymous memory at most 150 MB and 80 MB a worker, ${bound} MB`,
    `${most.anonymous.toFixed(0)} MB at most`,
    most.anonymous <= bound,
  );
}
if (chosen.has('restarts')) {
  const times = Number(values.restarts);
  const options = { times, until, profile, random: random.fork('restarts'), more };
  const { line, done, lost, codes } = await restarts(bundle, requests, options);
  say('restarts', line);
  goals.note(
    '100 ends by SIGTERM under load: nothing accepted is lost, exit code 0',
    `${lost} lost in ${done}, exit codes ${JSON.stringify(codes)}`,
    done >= 100 && lost === 0 && codes[0] === done,
  );
}
if (chosen.has('peer') || chosen.has('least')) {
  const { python } = values;
  const { lines, found } = await measurePeer({
    bundle,
    engine,
    drawn,
    python,
    profile,
    seconds,
    more,
    least: chosen.has('least'),
  });
  for (const line of lines) say('peer', line);
  for (const { name, ratio } of found)
    goals.note(`at least 5 × the peer in Python, ${name}`, `${ratio.toFixed(2)} ×`, ratio >= 5);
}
await measureProbe('probe after');
await engine.close();
goals.print();
if (values.json !== undefined) {
  const about = { bundle: engine.manifest.name, dimension, profile, modes, cores: availableParallelism() };
  await writeFile(values.json, `${JSON.stringify({ ...about, probes, goals: goals.all }, null, 2)}\n`);
}
