/**
 * Takes each relation out of a graph whole, brings it back live with a share of its facts, and asks for its other facts.
 *
 * Asked in both directions, filtered MRR over all entities, the mean over relations. `later` answers as a server does to which the relation is new; `fitted` is evidence
 * without a model that was fitted with the relation and the same facts; `frequent` ranks tails by how often they are recorded; `facts` knows recorded facts alone.
 * `firstMs` is the processor time of the first answer, which mines and fits. Said and found: the mean degree of the five best unrecorded tails of plausible links, and the share of them that is a held out fact.
 *
 *     node bench/new-relations.mjs DATA [--share 0.6] [--facts N] [--least 20] [--seed 0] [--fitted]
 *
 * DATA has train, valid and test as .tsv or .txt. `--facts N` brings N facts of each relation back in place of a share. `--fitted` takes seconds for each relation.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { changedFacts, createKnowledgeGraph, createRandom, reindexedGraph } from '@fuzzqe/core';
import { entity, project } from '@fuzzqe/core/query';
import { openGraphEngine } from '@fuzzqe/engine';
import { createLinkDegrees, createRuleIndex, defaultWeights, rangeOf } from '@fuzzqe/evidence';
import { createVocabulary } from '@fuzzqe/names';
import { fitGraphEvidence } from '@fuzzqe/pipeline';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    share: { type: 'string', default: '0.6' },
    facts: { type: 'string' },
    least: { type: 'string', default: '20' },
    seed: { type: 'string', default: '0' },
    fitted: { type: 'boolean', default: false },
  },
});
const [data] = positionals;
if (data === undefined) throw new Error('usage: node bench/new-relations.mjs DATA');

const lines = ['train', 'valid', 'test'].flatMap((part) => {
  const file = ['tsv', 'txt'].map((kind) => join(data, `${part}.${kind}`)).find((path) => existsSync(path));
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
});
const entities = [...new Set(lines.flatMap(([head, , tail]) => [head, tail]))].sort();
const names = [...new Set(lines.map(([, relation]) => relation))].sort();
const idOf = new Map(entities.map((key, id) => [key, id]));
const entityCount = entities.length;
const named = (key) => ({ key, label: key });
/** The relation that is new comes last. */
const later = 2 * (names.length - 1);
/** From which range on a link is plausible. */
const leastDomain = 0.05;

/** Degrees of all entities as tails of a link, however they are found, kept for the next question. */
const keptRows = (find) => {
  const rows = new Map();
  return async (head, relation) => {
    const key = `${head} ${relation}`;
    if (!rows.has(key)) rows.set(key, await find(head, relation));
    return rows.get(key);
  };
};
const median = (of) => of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)];
const mean = (of) => of.reduce((sum, each) => sum + each, 0) / of.length;
const tenths = Array.from({ length: 10 }, () => ({ said: 0, found: 0, count: 0 }));

async function measure(name) {
  const relations = [...names.filter((each) => each !== name), name];
  const facts = lines.map(([head, relation, tail]) => [
    idOf.get(head),
    2 * relations.indexOf(relation),
    idOf.get(tail),
  ]);
  const rest = facts.filter(([, relation]) => relation !== later);
  const random = createRandom('new relations', values.seed, name);
  const own = facts
    .filter(([, relation]) => relation === later)
    .map((fact) => ({ fact, place: random.uniform() }))
    .sort((a, b) => a.place - b.place)
    .map(({ fact }) => fact);
  const count = Number(values.facts ?? Math.round(Number(values.share) * own.length));
  const [given, asked] = [own.slice(0, count), own.slice(count)];
  const graph = createKnowledgeGraph({
    entityCount,
    relationCount: later,
    triples: Int32Array.from(rest.flat()),
  });
  const vocabularyOf = (all) =>
    createVocabulary({ entities: entities.map(named), relations: all.map(named) });
  const evidence = { weights: defaultWeights(later), rules: { relationCount: later, rules: [] } };
  const engine = await openGraphEngine({
    ...{ vocabulary: vocabularyOf(relations.slice(0, -1)), facts: graph, evidence },
  });
  await engine.changeNames({ relations: [named(name)] });
  await engine.changeFacts({ added: Int32Array.from(given.flat()) });
  const recorded = engine.facts;
  const live = keptRows(
    async (head, relation) => (await engine.degrees([project(relation, entity(head))]))[0],
  );
  const before = process.cpuUsage();
  await live(given[0][0], later);
  const { user, system } = process.cpuUsage(before);
  const firstMs = (user + system) / 1000;
  const ways = {
    later: live,
    frequent: keptRows((_, relation) =>
      Float32Array.from({ length: entityCount }, (_, id) => recorded.tails(id, relation ^ 1).length),
    ),
    facts: async (head, relation) => {
      const row = new Float32Array(entityCount);
      for (const tail of recorded.tails(head, relation)) row[tail] = 1;
      return row;
    },
  };
  if (values.fitted) {
    const all = reindexedGraph(changedFacts(recorded, {}).graph);
    const fitted = await fitGraphEvidence({
      vocabulary: vocabularyOf(relations),
      facts: all,
      rounds: 2,
      threads: 1,
    });
    const links = createLinkDegrees({
      facts: all,
      weights: fitted.weights,
      rules: createRuleIndex(fitted.rules),
    });
    ways.fitted = keptRows((head, relation) => links.rows(Int32Array.of(head), Int32Array.of(relation)));
  }
  const truth = new Map();
  const note = (head, relation, tail) => {
    const key = `${head} ${relation}`;
    truth.set(key, (truth.get(key) ?? new Set()).add(tail));
  };
  for (const [head, relation, tail] of own) {
    note(head, relation, tail);
    note(tail, relation + 1, head);
  }
  const reciprocal = (row, to, others) => {
    let [before, equal] = [0, 0];
    for (let id = 0; id < entityCount; id += 1) {
      if (others.has(id)) continue;
      if (row[id] > row[to]) before += 1;
      else if (row[id] === row[to]) equal += 1;
    }
    return 1 / (1 + before + equal / 2);
  };
  const mrr = {};
  for (const [way, rowOf] of Object.entries(ways)) {
    const ranks = [];
    for (const [head, relation, tail] of asked)
      for (const [from, along, to] of [
        [head, relation, tail],
        [tail, relation + 1, head],
      ])
        ranks.push(reciprocal(await rowOf(from, along), to, truth.get(`${from} ${along}`)));
    mrr[way] = mean(ranks);
  }
  const indexed = reindexedGraph(recorded);
  const stated = { said: [], found: [] };
  for (const relation of [later, later + 1]) {
    const domain = rangeOf(indexed, relation ^ 1);
    for (let head = 0; head < entityCount; head += 1) {
      if (domain[head] < leastDomain) continue;
      const row = await live(head, relation);
      const open = [...row.keys()].filter((id) => !recorded.has(head, relation, id));
      for (const id of open.sort((a, b) => row[b] - row[a]).slice(0, 5)) {
        const found = truth.get(`${head} ${relation}`)?.has(id) ? 1 : 0;
        stated.said.push(row[id]);
        stated.found.push(found);
        const tenth = tenths[Math.min(9, Math.floor(10 * row[id]))];
        Object.assign(tenth, {
          said: tenth.said + row[id],
          found: tenth.found + found,
          count: tenth.count + 1,
        });
      }
    }
  }
  await engine.close();
  return {
    name,
    given: given.length,
    asked: asked.length,
    ...mrr,
    ...{ said: mean(stated.said), found: mean(stated.found), firstMs },
  };
}

const counts = new Map(names.map((name) => [name, lines.filter(([, each]) => each === name).length]));
const rows = [];
for (const name of names.filter((each) => counts.get(each) >= Number(values.least)))
  rows.push(await measure(name));
const figures = (row) =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      typeof value === 'number' ? Number(value.toFixed(3)) : value,
    ]),
  );
console.table(rows.map(figures));
const ways = ['later', ...(values.fitted ? ['fitted'] : []), 'frequent', 'facts'];
const total = tenths.reduce((sum, { count }) => sum + count, 0);
console.log(
  JSON.stringify({
    relations: rows.length,
    mrr: figures(Object.fromEntries(ways.map((way) => [way, mean(rows.map((row) => row[way]))]))),
    firstMs: figures({
      median: median(rows.map(({ firstMs }) => firstMs)),
      most: Math.max(...rows.map(({ firstMs }) => firstMs)),
    }),
    ece: tenths.reduce((sum, { said, found }) => sum + Math.abs(said - found), 0) / total,
    tenths: tenths
      .filter(({ count }) => count > 0)
      .map(({ said, found, count }) => figures({ said: said / count, found: found / count, count })),
  }),
);
