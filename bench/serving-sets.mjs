// What one query costs by fuzzy sets and by the embedding, per structure: median and 95th percentile of engine.answer,
// names included, one query at a time on one thread.
//
//   npm run build && node bench/serving-sets.mjs BUNDLE --data DATA [--split test] [--each 200] [--profile fp32]
//     [--exclude none|known] [--k 10] [--threads 1] [--only 1p,2p] [--cpu] [--runtime node|web|javascript]
//
// --cpu takes the processor time of the process instead of the time that passes, for a machine that others load.
// Structures and modes take turns, so that a loaded machine slows all of them; the first twenty of each are not timed.
import { parseArgs } from 'node:util';
import { instantiate, structureNames, structures } from '@fuzzqe/core/query';
import { queryRow, readDataset, readQueries } from '@fuzzqe/data';
import { webSessions } from '@fuzzqe/edge';
import { answerModes, javascriptSessions, openEngine } from '@fuzzqe/engine';
import { folderSource, nodeSessions } from '@fuzzqe/serve';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    split: { type: 'string', default: 'test' },
    each: { type: 'string', default: '200' },
    profile: { type: 'string', default: 'fp32' },
    exclude: { type: 'string', default: 'none' },
    k: { type: 'string', default: '10' },
    threads: { type: 'string', default: '1' },
    cpu: { type: 'boolean', default: false },
    runtime: { type: 'string', default: 'node' },
    only: { type: 'string', default: structureNames.join(',') },
  },
});
const [bundle] = positionals;
const { profile, exclude } = values;
const [each, k, threads] = [values.each, values.k, values.threads].map(Number);
const dataset = await readDataset(values.data);
const { train, trainValid } = dataset.graphs();
const smaller = values.split === 'test' ? trainValid : train;
const parts = await readQueries(`${values.data}/queries/${values.split}.jsonl`, { bounds: train, smaller });
const runtimes = {
  node: () => nodeSessions(bundle, { threads }),
  web: async () => webSessions({ ort: await import('onnxruntime-web'), threads }),
  javascript: javascriptSessions,
};
const sessions = await runtimes[values.runtime]();
const engine = await openEngine({ source: folderSource(bundle), sessions, profile, verify: false });
await engine.warmUp();

const now = () => {
  if (!values.cpu) return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const warmUp = 20;
const names = structureNames.filter((name) => values.only.split(',').includes(name));
const queries = new Map(
  names.map((name) => {
    const part = parts.find(({ structure }) => structure === name);
    const count = Math.min(part.count, warmUp + each);
    return [
      name,
      Array.from({ length: count }, (_, row) => {
        const { anchors, relations } = queryRow(part, row);
        return instantiate(structures[name].template, anchors, relations);
      }),
    ];
  }),
);
const times = new Map(names.map((name) => [name, { sets: [], embedding: [] }]));
for (let row = 0; row < warmUp + each; row += 1)
  for (const name of names)
    for (const mode of answerModes) {
      const query = queries.get(name)[row];
      if (query === undefined) continue;
      const began = now();
      await engine.answer(query, { mode, k, exclude });
      if (row >= warmUp) times.get(name)[mode].push(now() - began);
    }

const { entities, dimension } = engine.manifest.model;
console.log(
  `${values.cpu ? 'processor time, ' : ''}|E| ${entities}, d ${dimension}, ${profile}, ${engine.runtime}, threads ${threads}, k ${k}, exclude ${exclude}, ${each} queries each`,
);
console.log('ms a query    sets: median     p95    embedding: median     p95');
const quantile = (all, share) => all[Math.min(all.length - 1, Math.floor(share * all.length))];
for (const [name, modes] of times) {
  const figures = answerModes.flatMap((mode) => {
    const sorted = modes[mode].sort((a, b) => a - b);
    return [quantile(sorted, 0.5), quantile(sorted, 0.95)].map((ms) => ms.toFixed(2).padStart(6));
  });
  console.log(
    `${name.padEnd(20)} ${figures[0].padStart(6)}  ${figures[1]}  ${figures[2].padStart(19)}  ${figures[3]}`,
  );
}
await engine.close();
