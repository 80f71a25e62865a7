// How soon facts take effect, and what changes cost the queries that run meanwhile.
//
//   npm run build && node bench/facts.mjs BUNDLE [facts in the large change = 1000000]
//
// Opens a bundle as `fuzzqe serve` does, with a thread a core, and prints one line of JSON:
//   change        milliseconds of one change of one fact, until queries are answered by it: median, 99th percentile
//   underLoad     the same while 8 clients ask 1p queries, with the queries a second, without changes and with 1000 a second
//   largeChange   seconds of one change of that many facts, and the median of 1p and 2i queries before and after it
import { createRandom } from '@fuzzqe/core';
import { openServingEngine } from '@fuzzqe/serve';

const [directory, large = '1000000'] = process.argv.slice(2);
if (directory === undefined)
  throw new Error('usage: node bench/facts.mjs BUNDLE [facts in the large change]');
const seconds = 10;
const engine = await openServingEngine({ directory });
const { entityCount, relationCount } = engine.facts;
const random = createRandom('bench', 'facts');

/** A fact that the graph lacks. */
function newFact() {
  for (;;) {
    const fact = [random.below(entityCount), 2 * random.below(relationCount / 2), random.below(entityCount)];
    if (!engine.facts.has(...fact)) return fact;
  }
}

/** A projection of an entity that has facts of the relation. */
function project() {
  for (;;) {
    const relation = random.below(relationCount);
    const heads = engine.facts.headsOf(relation);
    if (heads.length === 0) continue;
    return { op: 'project', relation, from: { op: 'entity', entity: heads[random.below(heads.length)] } };
  }
}

const quantile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.floor(share * (values.length - 1))];
const rounded = (value) => Number(value.toPrecision(3));
const spread = (values) => ({ median: rounded(quantile(values, 0.5)), p99: rounded(quantile(values, 0.99)) });

async function timeChange() {
  const added = Int32Array.from(newFact());
  const start = performance.now();
  await engine.changeFacts({ added });
  const milliseconds = performance.now() - start;
  if (!engine.facts.has(...added)) throw new Error('the fact is not there');
  return milliseconds;
}

/** Asks for some seconds; gives how many queries a second were answered. */
async function ask(clients, until) {
  let answered = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (!until.over) {
        await engine.answer(project(), { k: 10 });
        answered += 1;
      }
    }),
  );
  return answered / ((performance.now() - start) / 1000);
}

async function during(work) {
  const until = { over: false };
  const asked = ask(8, until);
  await work();
  until.over = true;
  return asked;
}

async function timeQueries(make, count) {
  const times = [];
  for (let i = 0; i < count; i += 1) {
    const query = make();
    const start = performance.now();
    await engine.answer(query, { k: 10 });
    times.push(performance.now() - start);
  }
  return rounded(quantile(times, 0.5));
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const both = () => ({ op: 'and', operands: [project(), project()] });

await during(() => pause(3000));

const change = [];
for (let i = 0; i < 300; i += 1) change.push(await timeChange());

const queriesAlone = await during(() => pause(seconds * 1000));
const loaded = [];
const queriesBeside = await during(async () => {
  const end = performance.now() + seconds * 1000;
  const waiting = [];
  for (let next = performance.now(); performance.now() < end; next += 10) {
    // Ten changes each hundredth of a second.
    for (let i = 0; i < 10; i += 1) waiting.push(timeChange().then((time) => loaded.push(time)));
    await pause(Math.max(0, next + 10 - performance.now()));
  }
  await Promise.all(waiting);
});

const before = [await timeQueries(project, 200), await timeQueries(both, 100)];
const added = Int32Array.from(Array.from({ length: Number(large) }, newFact).flat());
let start = performance.now();
const { added: count } = await engine.changeFacts({ added });
const largeSeconds = (performance.now() - start) / 1000;
const after = [await timeQueries(project, 200), await timeQueries(both, 100)];
start = performance.now();
await timeChange();
console.log(
  JSON.stringify({
    entities: entityCount,
    edges: engine.facts.edgeCount,
    change: spread(change),
    underLoad: {
      ...spread(loaded),
      changesPerSecond: rounded(loaded.length / seconds),
      queriesPerSecond: { without: rounded(queriesAlone), with: rounded(queriesBeside) },
    },
    largeChange: {
      facts: count,
      seconds: rounded(largeSeconds),
      oneMoreMs: rounded(performance.now() - start),
      medianMs: { before: { '1p': before[0], '2i': before[1] }, after: { '1p': after[0], '2i': after[1] } },
    },
  }),
);
await engine.close();
