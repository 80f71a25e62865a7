// Fuzzy sets among candidates of an index compared with sets of all entities, structure by structure.
//
//   npm run build && node bench/sets-by-index.mjs BUNDLE INDEX [--structures 1p,2i,2p] [--queries 20] [--dense 20] [--profile int8]
//
// Queries are drawn from the recorded facts, and known answers are left out, so that all answers are predicted. Each is asked from other anchors first, since a
// server knows its relations after a while. `ms`: medians of the wall time of a query whose
// links were not asked for before, and of the same query again; `CPU ms`: processor time of this process a query, threads of LanceDB included.
// recall@10: of the answers of whole sets, for the first `--dense` queries; `off`: the largest difference of their degrees.
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { createLocalRanker, openBundle } from '@fuzzqe/engine';
import { openEntityIndex } from '@fuzzqe/entity-index';
import { folderSource, nodeSessions, openIndexedRanker } from '@fuzzqe/serve';
import { drawQueries } from './serve/queries.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    structures: { type: 'string', default: '1p,2i,2p,3p,2in,inp' },
    queries: { type: 'string', default: '20' },
    dense: { type: 'string', default: '20' },
    profile: { type: 'string' },
  },
});
const [folder, address] = positionals;
const bundle = await openBundle(folderSource(folder), values.profile ? { profile: values.profile } : {});
const openIndex = ({ manifest, profileName: profile }) =>
  openEntityIndex(address, { manifest, profile, checkEvery: 0, timeout: 60_000 });
const sessions = nodeSessions(folder, { threads: 1 });
const indexed = await openIndexedRanker(bundle, { sessions, openIndex });
const dense = createLocalRanker(bundle, { sessions: nodeSessions(folder, { threads: 1 }) });
const random = createRandom('bench sets by an index');
const k = 10;

const timed = async (work) => {
  const [begun, before] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, ms: performance.now() - begun, cpu: (user + system) / 1000 };
};
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** The query from other anchors. */
function elsewhere(node) {
  if (node.op === 'entity') return { ...node, entity: (node.entity + 1) % bundle.facts.entityCount };
  if (node.op === 'project') return { ...node, from: elsewhere(node.from) };
  if (node.op === 'not') return { ...node, operand: elsewhere(node.operand) };
  return { ...node, operands: node.operands.map(elsewhere) };
}

console.log(`structure | ms | ms again | CPU ms | CPU ms again | recall@${k} | off | CPU ms of whole sets`);
for (const name of values.structures.split(',')) {
  const queries = drawQueries(bundle.facts, Number(values.queries) + 5, random, [name]);
  const figures = [];
  for (const [i, { query }] of queries.entries()) {
    const request = { task: 'sets', query, k, exclude: 'known' };
    // A server knows its relations after a while: they are asked for at another anchor first.
    await indexed.rank([{ ...request, query: elsewhere(query) }]);
    const first = await timed(() => indexed.rank([request]));
    const again = await timed(() => indexed.rank([request]));
    // What is first loaded, and read of relations, does not count.
    if (i < 5) continue;
    const row = { first, again };
    if (figures.length < Number(values.dense)) {
      row.whole = await timed(() => dense.rank([request]));
      const [found] = first.result;
      const [expected] = row.whole.result;
      const places = new Map([...found.ids].map((id, place) => [id, place]));
      row.hits = [...expected.ids].filter((id) => places.has(id)).length;
      row.wanted = expected.ids.length;
      row.off = Math.max(
        0,
        ...[...expected.ids].map((id, at) =>
          places.has(id) ? Math.abs(found.degrees[places.get(id)] - expected.degrees[at]) : 0,
        ),
      );
    }
    figures.push(row);
  }
  const of = (read) => median(figures.map(read)).toFixed(1);
  const judged = figures.filter(({ whole }) => whole !== undefined);
  const total = (read) => judged.reduce((sum, row) => sum + read(row), 0);
  const recall =
    judged.length === 0 ? '' : (total((row) => row.hits) / total((row) => row.wanted)).toFixed(3);
  const off = judged.length === 0 ? '' : Math.max(...judged.map((row) => row.off)).toExponential(1);
  const whole = judged.length === 0 ? '' : median(judged.map((row) => row.whole.cpu)).toFixed(1);
  console.log(
    [
      name,
      of(({ first }) => first.ms),
      of(({ again }) => again.ms),
      of(({ first }) => first.cpu),
      of(({ again }) => again.cpu),
      recall,
      off,
      whole,
    ].join(' | '),
  );
}
await Promise.all([indexed.close(), dense.close()]);
