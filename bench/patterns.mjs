// How well patterns that are no trees are answered beside the best tree relaxation of each, and how long an answer takes.
//
//   npm run build && node bench/patterns.mjs data/fb15k-237 [--each 50] [--k 200] [--links 512] [--width 256] [--rounds 2] [--types 2m,3c]
//
// Patterns are drawn from the test facts, with the facts of training and validation recorded. Evidence is that of the graph: no model.
// A relaxation is a tree: either links are left out until no variable is used twice, or each use of a variable has a copy of what leads to it.
// The best relaxation of a type is chosen by its figures on the same queries, which favours the tree.
// Times are processor time, so that other processes on the machine change them little.
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { answerSets, createSetLogic, defaultProjection } from '@fuzzqe/core/sets';
import { efo1Names, efo1Types, readDataset, samplePatterns } from '@fuzzqe/data';
import { createLinkDegrees, createRuleIndex, entailedGraph } from '@fuzzqe/evidence';
import { fitGraphEvidence, patternRanker, recordedShareOf } from '@fuzzqe/pipeline';
import { evaluatePatterns } from '@fuzzqe/train';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    each: { type: 'string', default: '50' },
    k: { type: 'string', default: '200' },
    links: { type: 'string', default: '512' },
    width: { type: 'string', default: '256' },
    rounds: { type: 'string', default: '2' },
    types: { type: 'string', default: efo1Names.join() },
  },
});
const number = (name) => Number(values[name]);
const dataset = await readDataset(positionals[0]);
const { trainValid: facts, full } = dataset.graphs();
const { weights, rules } = await fitGraphEvidence({ dataset, rounds: number('rounds'), threads: 1 });
const links = createLinkDegrees({
  ...{ facts, weights, entailed: entailedGraph(facts, dataset.vocabulary) },
  rules: createRuleIndex(rules),
  recordedShare: recordedShareOf(dataset),
});
const state = { links, facts, logic: createSetLogic('product'), projection: defaultProjection };
const limits = { links: number('links'), width: number('width') };

const isVariable = (term) => 'variable' in term;
const isSame = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const conditionsOf = ({ where }) => (where.op === 'and' ? where.operands : [where]);
const linkOf = (condition) => (condition.op === 'not' ? condition.operand : condition);

/** The tree of what leads to a term, over some conditions; undefined where nothing leads to a variable. */
function treeTo(term, conditions) {
  if (!isVariable(term)) return { op: 'entity', entity: term.entity };
  const operands = conditions.flatMap((condition) => {
    const { relation, from, to } = linkOf(condition);
    if (!isSame(to, term)) return [];
    const before = treeTo(from, conditions);
    if (before === undefined) return [];
    const tree = { op: 'project', relation, from: before };
    return [condition.op === 'not' ? { op: 'not', operand: tree } : tree];
  });
  if (operands.every(({ op }) => op === 'not')) return undefined;
  return operands.length === 1 ? operands[0] : { op: 'and', operands };
}

/** Whether no variable is used twice, and each is reached. */
function isTree(conditions) {
  const froms = conditions.map((condition) => linkOf(condition).from).filter(isVariable);
  const isUsedOnce = froms.every((term) => froms.filter((other) => isSame(other, term)).length === 1);
  const tos = conditions.map((condition) => linkOf(condition).to).filter(({ variable }) => variable !== 0);
  return isUsedOnce && tos.every((term) => froms.some((other) => isSame(other, term)));
}

/** The places of the conditions that each relaxation of a type keeps; a copy of what leads to each use of a variable keeps all. */
function relaxationsOf({ atoms, variables }) {
  const pattern = { variables, where: { op: 'and', operands: atoms.map(asCondition) } };
  const all = conditionsOf(pattern);
  const kept = [];
  for (let chosen = 2 ** all.length - 1; chosen > 0; chosen -= 1) {
    const list = [...all.keys()].filter((i) => (chosen >> i) & 1);
    const conditions = list.map((i) => all[i]);
    const leads = conditions.every((condition) => treeTo(linkOf(condition).from, conditions) !== undefined);
    if (!isTree(conditions) || !leads || treeTo({ variable: 0 }, conditions) === undefined) continue;
    if (!kept.some((other) => list.every((i) => other.includes(i)))) kept.push(list);
  }
  return [...kept, [...all.keys()]];
}

function asCondition({ relation, from, to, negated }) {
  const link = { op: 'link', relation, from, to };
  return negated ? { op: 'not', operand: link } : link;
}

/** Ranks all entities by a tree that keeps some conditions of a pattern. */
const treeRanker = (places) => async (pattern) => {
  const conditions = conditionsOf(pattern);
  const tree = treeTo(
    { variable: 0 },
    places.map((i) => conditions[i]),
  );
  const [{ degrees }] = await answerSets(state, [tree]);
  return { ids: Int32Array.from(degrees.keys()), degrees, exact: true };
};

const timed = (rank, times) => async (pattern, wanted) => {
  const start = process.cpuUsage();
  const found = await rank(pattern, wanted);
  const { user, system } = process.cpuUsage(start);
  times.push((user + system) / 1000);
  return found;
};
const quantile = (times, q) =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(q * times.length))];
const percent = (value) => (100 * value).toFixed(1).padStart(5);
const ms = (times) => `${quantile(times, 0.5).toFixed(0)} (p99 ${quantile(times, 0.99).toFixed(0)})`;

let [sum, count] = [0, 0];
console.log(
  'type   n  pattern  exact  best tree  gain  relaxations by kept links | CPU ms of the ranking, of 10 answers, of the tree',
);
for (const name of values.types.split(',')) {
  const random = createRandom('bench', 'patterns', name);
  const patterns = await samplePatterns({
    ...{ type: efo1Types[name], count: number('each'), smaller: facts, larger: full, random },
  });
  const measure = async (rank, times) => {
    const report = await evaluatePatterns({
      ...{ patterns, rank: timed(rank, times), entityCount: facts.entityCount, k: number('k') },
    });
    return report[name];
  };
  const [searching, ten, tree] = [[], [], []];
  const ours = await measure(patternRanker(state, limits), searching);
  const serve = timed(patternRanker(state, limits), ten);
  for (const { pattern } of patterns) await serve(pattern, { k: 10, excluded: new Int32Array() });
  const trees = [];
  for (const places of relaxationsOf(efo1Types[name]))
    trees.push({ places, mrr: (await measure(treeRanker(places), tree)).mrr });
  const best = Math.max(...trees.map(({ mrr }) => mrr));
  const gain = ours.mrr - best;
  [sum, count] = [sum + gain, count + 1];
  const told = trees.map(({ places, mrr }) => `${places.map((i) => i + 1).join('')} ${percent(mrr).trim()}`);
  console.log(
    `${name.padEnd(4)} ${String(ours.queries).padStart(3)}  ${percent(ours.mrr)}  ${percent(ours.exact / ours.queries)}  ${percent(best)}  ${percent(gain)}  ${told.join(', ')} | ${ms(searching)}, ${ms(ten)}, ${ms(tree)}`,
  );
}
console.log(`mean gain over ${count} types: ${(100 * (sum / count)).toFixed(2)} points`);
