// Links of the judged graphs with and without zero-shot scores: MRR of every test fact in both directions, filtered.
//
//   node bench/zero-shot/judge.mjs OUT --scores 3g,own [--data data] [graph …]
//
// Rules alone; evidence without a model; a zero-shot network alone; evidence with it; evidence with the trained model; evidence with both.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSetLogic, defaultProjection } from '@fuzzqe/core/sets';
import {
  createLinkDegrees,
  createRuleIndex,
  evidenceTemperatures,
  findTypeRelations,
  fitEvidence,
  sampleCandidates,
} from '@fuzzqe/evidence';
import { createRulesBaseline, degreesBy, openCheckpoint, recordedShareOf, scorerOf } from '@fuzzqe/pipeline';
import { evaluateRanking } from '@fuzzqe/train';
import { judgedGraph, judgedGraphs } from './graphs.mjs';
import { hiddenOf, linksOfFit, testLinks } from './links.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string', default: 'data' }, scores: { type: 'string', default: '3g' } },
});
const [out, ...named] = positionals;
const percent = (share) => (100 * share).toFixed(1);

async function judged(name, folder) {
  const dataset = await judgedGraph(name, values.data);
  const { trainValid, train } = dataset.graphs();
  const rules = JSON.parse(await readFile(join(folder, 'rules.json'), 'utf8'));
  const typeRelations = findTypeRelations(dataset.vocabulary);
  const links = linksOfFit(dataset, typeRelations);
  const { facts, entailed } = hiddenOf(dataset);
  const queries = testLinks(dataset);
  const { valid, test } = dataset;
  const knownShare = valid.length / (valid.length + test.length);

  /** The MRR, and the mean reciprocal rank of the answers of each query. */
  const mrrOf = async (score) => {
    const each = [];
    const { withoutNegation } = await evaluateRanking({
      ...{ queries: [queries], score, entityCount: trainValid.entityCount },
      onRanked: ({ ranks }) => each.push(meanOf(Array.from(ranks, (rank) => 1 / rank))),
    });
    return { mrr: withoutNegation.mrr, each };
  };
  /** Evidence with these scores; undefined without scores. */
  const evidence = async (scores, temperatures = evidenceTemperatures) => {
    const sample = await sampleCandidates({
      ...{ facts, entailed, rules: createRuleIndex(rules), links, typeRelations },
      scores: scores?.valid,
      temperatures: scores === undefined ? [] : temperatures,
    });
    const { relationCount } = facts;
    const hasModel = scores !== undefined;
    const { weights, logLoss } = fitEvidence(sample, { relationCount, typeRelations, knownShare, hasModel });
    return { weights, logLoss };
  };
  const mrrBy = async (scores, weights) => {
    const state = {
      links: createLinkDegrees({
        ...{ facts: trainValid, entailed, weights, scores: scores?.test },
        ...{ recordedShare: recordedShareOf(dataset), rules: createRuleIndex(rules) },
      }),
      ...{ facts: trainValid, logic: createSetLogic('product'), projection: defaultProjection },
    };
    return mrrOf(scorerOf(trainValid.entityCount, degreesBy(state)));
  };
  const withEvidence = async (scores, temperatures) => {
    const { weights, logLoss } = await evidence(scores, temperatures);
    return { ...(await mrrBy(scores, weights)), logLoss, temperature: weights.temperature };
  };

  const ways = {};
  ways.rules = await mrrOf(createRulesBaseline(trainValid, rules).score);
  ways.evidence = await withEvidence(undefined);
  const checkpoint = existsSync(join(folder, 'run', 'state.json'))
    ? await openCheckpoint(join(folder, 'run'), { trained: train, threads: 1 })
    : undefined;
  const model = checkpoint && { valid: checkpoint.scores, test: checkpoint.scores };
  if (model) ways.model = await withEvidence(model);
  for (const kind of values.scores.split(',')) {
    const scores = await savedScores(folder, kind, links, queries, trainValid.entityCount);
    if (scores === undefined) continue;
    ways[kind] = against(await mrrOf(aloneOf(scores.test)), ways.rules);
    ways[`evidence + ${kind}`] = against(await withEvidence(scores), ways.evidence);
    if (!model) continue;
    // A product of both shares: the weight of the zero-shot part is the one of the least log loss on the facts of the fit.
    let best;
    for (const share of [0.1, 0.25, 0.5, 1, 2, 4]) {
      const joined = joinedScores(model, ways.model.temperature, scores, share);
      const { weights, logLoss } = await evidence(joined, [0.5, 1, 2]);
      if (best === undefined || logLoss < best.logLoss) best = { joined, weights, logLoss, share };
    }
    const { logLoss, share } = best;
    const both = { ...(await mrrBy(best.joined, best.weights)), logLoss, share };
    ways[`model + ${kind}`] = against(both, ways.model);
  }
  await checkpoint?.close();
  return ways;
}

const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** With the paired difference from another way, and its standard error over queries. */
function against(way, other) {
  const differences = way.each.map((value, i) => value - other.each[i]);
  const mean = meanOf(differences);
  const variance = meanOf(differences.map((value) => (value - mean) ** 2));
  return { ...way, by: mean, error: Math.sqrt(variance / differences.length) };
}

async function savedScores(folder, kind, links, queries, entities) {
  const read = async (part, pairs) => {
    const { buffer, byteOffset, byteLength } = await readFile(join(folder, `${part}-${kind}.f32`));
    const all = new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
    const rowOf = new Map(pairs.map(([head, relation], i) => [`${head} ${relation}`, i]));
    return async (heads, relations) => {
      const rows = new Float32Array(heads.length * entities);
      heads.forEach((head, i) => {
        const row = rowOf.get(`${head} ${relations[i]}`);
        if (row === undefined) throw new Error(`no scores of ${head} ${relations[i]}`);
        rows.set(all.subarray(row * entities, (row + 1) * entities), i * entities);
      });
      return rows;
    };
  };
  if (!existsSync(join(folder, `test-${kind}.f32`))) return undefined;
  const asked = Array.from({ length: queries.count }, (_, i) => [queries.anchors[i], queries.relations[i]]);
  return {
    valid: await read(
      'valid',
      links.map(({ head, relation }) => [head, relation]),
    ),
    test: await read('test', asked),
  };
}

/** Ranks by the scores themselves. */
const aloneOf = (scores) => (_, anchors, relations, rows) =>
  scores(Int32Array.from(anchors.subarray(0, rows)), Int32Array.from(relations.subarray(0, rows)));

function joinedScores(model, temperature, other, share) {
  const join = (part) => async (heads, relations) => {
    const [a, b] = [await model[part](heads, relations), await other[part](heads, relations)];
    return a.map((value, i) => temperature * value + share * b[i]);
  };
  return { valid: join('valid'), test: join('test') };
}

for (const name of named.length > 0 ? named : judgedGraphs) {
  const folder = join(out, name);
  const path = join(folder, 'figures.json');
  const had = existsSync(path) ? JSON.parse(await readFile(path, 'utf8')) : {};
  const ways = await judged(name, folder);
  const figures = Object.fromEntries(
    Object.entries(ways).map(([way, { each, ...rest }]) => [way, { n: each.length, ...rest }]),
  );
  await writeFile(path, `${JSON.stringify({ ...had, ...figures }, undefined, 2)}\n`);
  console.log(`${name}, ${ways.rules.each.length} links:`);
  for (const [way, { mrr, by, error, logLoss }] of Object.entries(ways)) {
    const change =
      by === undefined ? '' : `${by < 0 ? '−' : '+'}${percent(Math.abs(by))} ± ${percent(error)}`;
    console.log(
      `  ${way.padEnd(16)} ${percent(mrr).padStart(5)}  ${change.padEnd(14)} ${logLoss === undefined ? '' : (1000 * logLoss).toFixed(2)}`,
    );
  }
}
