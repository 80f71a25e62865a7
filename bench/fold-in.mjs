/**
 * Folds in entities that a model has never seen, and asks for the facts of these entities that nobody recorded.
 *
 * 5 % of the entities with at least 8 facts are held out whole. A model is trained on the other facts; then the entities come with 60 % of their facts, and
 * the other 40 % are asked for: filtered MRR over all entities, both directions. The same questions go to a model that was trained with those 60 %.
 *
 * Both models train on all facts that they are given, for the same number of steps: each is trained twice, and the second training holds no fact out.
 *
 * The answers of rules and neighbours alone are measured as well, with vectors of new entities that belong to everything equally.
 * `--seed` holds other entities out; `--reuse` takes the bundles that an earlier run with the same seed left in OUT.
 *
 *     node bench/fold-in.mjs DATA OUT [--config links] [--steps 1200] [--threads 2] [--questions 2000] [--seed 0]
 *         [--reuse]
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { entity, project } from '@fuzzqe/core/query';
import { changeable, createEngine, createLocalRanker, openBundle } from '@fuzzqe/engine';
import { folderSource, nodeSessions, openServingEngine } from '@fuzzqe/serve';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    config: { type: 'string', default: 'links' },
    steps: { type: 'string', default: '1200' },
    threads: { type: 'string', default: '2' },
    seed: { type: 'string', default: '0' },
    questions: { type: 'string', default: '2000' },
    reuse: { type: 'boolean', default: false },
  },
});
const [data, out] = positionals;
if (data === undefined || out === undefined) throw new Error('usage: node bench/fold-in.mjs DATA OUT');
mkdirSync(out, { recursive: true });

const facts = ['train', 'valid', 'test'].flatMap((part) =>
  readFileSync(join(data, `${part}.tsv`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')),
);
const ofEntity = new Map();
for (const fact of facts)
  for (const key of new Set([fact[0], fact[2]])) ofEntity.set(key, [...(ofEntity.get(key) ?? []), fact]);
const random = createRandom('folded in', 'held out', ...(values.seed === '0' ? [] : [values.seed]));
const candidates = [...ofEntity]
  .filter(([, of]) => of.length >= 8)
  .map(([key]) => key)
  .sort();
const held = new Set();
while (held.size < Math.min(Math.round(0.05 * ofEntity.size), candidates.length / 4))
  held.add(candidates[random.below(candidates.length)]);
const touches = ([head, , tail]) => held.has(head) || held.has(tail);
const rest = facts.filter((fact) => !touches(fact));
const known = new Set(rest.flatMap(([head, , tail]) => [head, tail]));
const relations = new Set(rest.map(([, relation]) => relation));
const [given, all] = [[], []];
for (const fact of facts.filter(touches)) {
  const [head, relation, tail] = fact;
  // Facts between two held out entities, or with what is gone with them, say nothing to a model of the others.
  const isUsable = [head, tail].every((key) => held.has(key) || known.has(key)) && relations.has(relation);
  if (!isUsable || (held.has(head) && held.has(tail))) continue;
  (random.uniform() < 0.6 ? given : all).push(fact);
}
/** Of many facts, some are asked for. */
const asked = all.filter(() => random.uniform() * all.length < Number(values.questions));
// One validation, at the end: the best number of steps is the number of steps.
const steps = Number(values.steps);
const config = join(out, 'config.json');
const training = { steps, validation: { every: steps, patience: steps } };
writeFileSync(config, JSON.stringify({ name: 'fold-in', extends: values.config, training }));
const lines = (of) => of.map((fact) => `${fact.join('\t')}\n`).join('');
const train = (name, of) => {
  const folder = join(out, name);
  if (values.reuse) return join(folder, 'bundle');
  writeFileSync(join(out, `${name}.tsv`), lines(of));
  const fuzzqe = join(import.meta.dirname, '../packages/cli/bin/fuzzqe.js');
  const command = ['run', join(out, `${name}.tsv`), '--out', folder, '--config', config, '--refit'];
  const more = ['--threads', values.threads, '--runtimes', 'node', '--header', 'no', '--facts', 'all'];
  const { status } = spawnSync(process.execPath, [fuzzqe, ...command, ...more], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`run of ${name} ended with ${status}`);
  return join(folder, 'bundle');
};

/** How many links of the other entities are looked at for held out entities among the first ten. */
const mostIntrusions = 200;

/**
 * MRR of the asked facts, in both directions, by each mode; `from` those asked from a held out entity, `to` those that ask for one.
 * `intruders` counts held out entities without that fact among the first ten that are not recorded, of links of the other entities.
 */
async function judge(engine) {
  const { vocabulary } = engine;
  const sums = { sets: 0, embedding: 0, setsFrom: 0, setsTo: 0, embeddingFrom: 0, embeddingTo: 0 };
  let count = 0;
  const truth = new Map();
  const note = (head, relation, tail) => {
    const key = `${head} ${relation}`;
    truth.set(key, (truth.get(key) ?? new Set()).add(tail));
  };
  const idsOf = ([head, relation, tail]) => [
    vocabulary.findEntity(`<${head}>`),
    vocabulary.findRelation(`<${relation}>`),
    vocabulary.findEntity(`<${tail}>`),
  ];
  const heldIds = new Set([...held].map((key) => vocabulary.findEntity(`<${key}>`)));
  for (const fact of [...given, ...all, ...rest]) {
    const [head, relation, tail] = idsOf(fact);
    note(head, relation, tail);
    note(tail, relation ^ 1, head);
  }
  for (const fact of asked) {
    const [head, relation, tail] = idsOf(fact);
    for (const [from, along, to] of [
      [head, relation, tail],
      [tail, relation ^ 1, head],
    ]) {
      const query = project(along, entity(from));
      const k = engine.facts.entityCount;
      const [{ ids: bySets }] = await engine.rankSets([query], { k });
      const [{ ids: byEmbedding }] = await engine.rank([query], { k });
      const others = truth.get(`${from} ${along}`);
      const rank = (ids) => {
        let before = 0;
        for (const id of ids) {
          if (id === to) return before + 1;
          if (!others.has(id)) before += 1;
        }
        return Number.POSITIVE_INFINITY;
      };
      const direction = heldIds.has(from) ? 'From' : 'To';
      for (const [mode, ids] of [
        ['sets', bySets],
        ['embedding', byEmbedding],
      ]) {
        sums[mode] += 1 / rank(ids);
        // Each fact is asked for once in each direction.
        sums[`${mode}${direction}`] += 2 / rank(ids);
      }
      count += 1;
    }
  }
  const intruders = { sets: 0, embedding: 0 };
  const draw = createRandom('folded in', 'intruders');
  const looked = Array.from({ length: mostIntrusions }, () => idsOf(rest[draw.below(rest.length)]));
  for (const [head, relation] of looked) {
    const query = project(relation, entity(head));
    const k = engine.facts.entityCount;
    const others = truth.get(`${head} ${relation}`);
    for (const [mode, [{ ids }]] of [
      ['sets', await engine.rankSets([query], { k })],
      ['embedding', await engine.rank([query], { k })],
    ]) {
      const first = [...ids].filter((id) => !others.has(id)).slice(0, 10);
      intruders[mode] += first.filter((id) => heldIds.has(id)).length / looked.length;
    }
  }
  const means = Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, sum / count]));
  return { ...means, questions: count, intruders };
}

const open = (directory) => openServingEngine({ directory, workers: 1, log: () => {} });
/** An engine whose new entities keep vectors that belong to everything equally. */
async function openEven(directory) {
  const bundle = changeable(await openBundle(folderSource(directory)));
  const ranker = createLocalRanker(bundle, { sessions: nodeSessions(directory) });
  const { dimension, entityNormalisation } = bundle.manifest.model;
  const even = 1 / (entityNormalisation === 'l1' ? dimension : Math.sqrt(dimension));
  const isFold = ({ task }) => task === 'fold';
  const rank = async (batch, limits) =>
    batch.some(isFold)
      ? batch.map(({ task, entities }) => ({
          task,
          vectors: new Float32Array(entities.length * dimension).fill(even),
        }))
      : ranker.rank(batch, limits);
  return createEngine(bundle, { ...ranker, rank, ready: true });
}
const median = (of) => of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)];
/** Names the held out entities that an engine lacks: those without a given fact, if it was trained with the given facts. */
async function name(engine) {
  const { vocabulary } = engine;
  const known = new Set(Array.from({ length: vocabulary.entityCount }, (_, id) => vocabulary.entity(id).key));
  const lacking = [...held].filter((key) => !known.has(key));
  await engine.changeNames({ entities: lacking.map((key) => ({ key, label: key })) });
}
/** Brings the held out entities with their given facts, and says how long that took. */
async function bring(engine) {
  await name(engine);
  const { vocabulary } = engine;
  const times = [];
  for (const key of held) {
    const own = given.filter(([head, , tail]) => head === key || tail === key);
    const triples = own.flatMap(([head, relation, tail]) => [
      vocabulary.findEntity(`<${head}>`),
      vocabulary.findRelation(`<${relation}>`),
      vocabulary.findEntity(`<${tail}>`),
    ]);
    const begin = performance.now();
    await engine.changeFacts({ added: Int32Array.from(triples) });
    const seen = performance.now();
    await engine.folded();
    times.push({ visible: seen - begin, folded: performance.now() - begin });
  }
  return {
    visibleMs: median(times.map(({ visible }) => visible)),
    foldedMs: median(times.map(({ folded }) => folded)),
  };
}
const base = train('base', rest);
const figures = {
  facts: facts.length,
  entities: ofEntity.size,
  held: held.size,
  given: given.length,
  asked: asked.length,
};
const even = await openEven(base);
await bring(even);
figures.rulesAndNeighbours = await judge(even);
await even.close();
const engine = await open(base);
Object.assign(figures, await bring(engine));
figures.foldedIn = await judge(engine);
await engine.close();
const whole = await open(train('whole', [...rest, ...given]));
await name(whole);
figures.trained = await judge(whole);
await whole.close();
const ratio = (of, mode) => of[mode] / figures.trained[mode];
figures.ofTrained = {
  rulesAndNeighbours: ratio(figures.rulesAndNeighbours, 'sets'),
  sets: ratio(figures.foldedIn, 'sets'),
  embedding: ratio(figures.foldedIn, 'embedding'),
};
console.log(JSON.stringify(figures, null, 2));
