// How well the cost of a query is estimated before it runs: the estimate and the processor time of `engine.answer`.
//
//   npm run build && node bench/cost.mjs BUNDLE [--profile fp32] [--repeats 5] [--threads 1]
//
// Anchors and relations are random, and what is known is excluded, so that few answers are known without any work.
import { parseArgs } from 'node:util';
import { createRandom, headOfGroup } from '@fuzzqe/core';
import { instantiate, structureNames, structures } from '@fuzzqe/core/query';
import { openEngine } from '@fuzzqe/engine';
import { folderSource, nodeSessions } from '@fuzzqe/serve';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    profile: { type: 'string', default: 'fp32' },
    repeats: { type: 'string', default: '5' },
    threads: { type: 'string', default: '1' },
  },
});
const [bundle] = positionals;
const sessions = nodeSessions(bundle, { threads: Number(values.threads) });
const engine = await openEngine({
  source: folderSource(bundle),
  sessions,
  profile: values.profile,
  verify: false,
});
await engine.warmUp();
const { facts } = engine;
const random = createRandom('cost');
/** A link that is recorded, so that sets have members. */
const link = () => {
  const triples = random.below(facts.index.groupRelations.length);
  const relation = facts.index.groupRelations[triples];
  return { op: 'project', relation, from: { op: 'entity', entity: headOfGroup(facts.index, triples) } };
};
const along = (from) => ({ op: 'project', relation: random.below(facts.relationCount), from });
const chain = (length) => Array.from({ length }).reduce((from) => along(from), link());
const wide = (op, count, part) => ({ op, operands: Array.from({ length: count }, part) });
const ofStructure = (name) => {
  const { template, anchors, relations } = structures[name];
  const draw = (count, below) => Array.from({ length: count }, () => random.below(below));
  return instantiate(template, draw(anchors, facts.entityCount), draw(relations, facts.relationCount));
};
const all = facts.entityCount;
const cases = [
  ...structureNames.map((name) => [name, () => ofStructure(name), {}]),
  ['2p, explained', () => chain(1), { explain: true }],
  ['3p, explained', () => chain(2), { explain: true }],
  ['2p among members', () => chain(1), { filter: { query: chain(1), minDegree: 0.01 } }],
  ['1p, k = |E|', link, { k: all }],
  ['2i, k = |E|', () => wide('and', 2, link), { k: all }],
  ['not 1p', () => ({ op: 'not', operand: link() }), {}],
  ['or of 30 links', () => wide('or', 30, link), {}],
  ['and of 300 links', () => wide('and', 300, link), {}],
  ['chain of 10', () => chain(10), {}],
  ['chain of 60', () => chain(60), {}],
  ['or of 30 2p', () => wide('or', 30, () => chain(1)), {}],
  ['and of 30 2p', () => wide('and', 30, () => chain(1)), {}],
];
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
console.log('estimate  measured    ratio  (ms)');
for (const mode of ['sets', 'embedding']) {
  for (const [name, make, options] of cases) {
    if (mode === 'embedding' && options.explain) continue;
    const measured = [];
    const estimates = [];
    for (let i = -1; i < Number(values.repeats); i++) {
      const query = make();
      const asked = { mode, exclude: name === 'not 1p' ? 'none' : 'known', ...options };
      const before = process.cpuUsage();
      await engine.answer(query, asked);
      const { user, system } = process.cpuUsage(before);
      // The first of each is not timed.
      if (i >= 0) measured.push((user + system) / 1000);
      if (i >= 0) estimates.push(engine.costOf(query, asked));
    }
    const [estimate, time] = [median(estimates), median(measured)];
    const columns = [estimate.toFixed(2), time.toFixed(2), (estimate / time).toFixed(2)];
    console.log(columns.map((text) => text.padStart(9)).join(''), ` ${mode} ${name}`);
  }
}
await engine.close();
