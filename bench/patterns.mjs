// How well patterns that are no trees are answered beside the best tree relaxation of each, and how long an answer takes.
//
//   npm run build && node bench/patterns.mjs data/fb15k-237 [--part test] [--each 60] [--k 200] [--links 64] [--width 256] [--rounds 2] [--types 2m,3c]
//
// Patterns are drawn from the facts of a part; the facts of earlier parts are recorded. Evidence comes from the graph, without a model.
// A relaxation is a tree: either links are left out until no variable is used twice, or each use of a variable has a copy of what leads to it.
// The best relaxation of a type is chosen by its figures on the same queries, which favours the tree.
// The interval of a gain has 95 % of 10 000 means over patterns that are drawn again with repetition.
// The types beside those of FIT have five variables: 5c with two circles, 5p with a double link before a path.
// Times of 10 answers are processor time and wall time: of the first pass over the patterns of a type, which reads evidence, and of the next.
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { answerSets, createSetLogic, defaultProjection } from '@fuzzqe/core/sets';
import { efo1Names, efo1Types, patternType, readDataset, samplePatterns } from '@fuzzqe/data';
import { defaultLinks, defaultWidth } from '@fuzzqe/engine';
import { createLinkDegrees, createRuleIndex, entailedGraph } from '@fuzzqe/evidence';
import { fitGraphEvidence, patternRanker, recordedShareOf } from '@fuzzqe/pipeline';
import { evaluatePatterns } from '@fuzzqe/train';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    part: { type: 'string', default: 'test' },
    each: { type: 'string', default: '60' },
    k: { type: 'string', default: '200' },
    links: { type: 'string', default: String(defaultLinks) },
    width: { type: 'string', default: String(defaultWidth) },
    rounds: { type: 'string', default: '2' },
    types: { type: 'string', default: efo1Names.join() },
  },
});
const types = {
  ...efo1Types,
  ...Object.fromEntries(
    [
      ['5c', '?x : r1(a, ?y), r2(?y, ?z), r3(?z, ?x), r4(b, ?w), r5(?w, ?v), r6(?v, ?x), r7(?z, ?v)'],
      ['5p', '?x : r1(a, ?y), r2(?y, ?z), r3(?y, ?z), r4(?z, ?w), r5(?w, ?v), r6(?v, ?x)'],
    ].map(([name, text]) => [name, patternType(name, text)]),
  ),
};
const number = (name) => Number(values[name]);
const dataset = await readDataset(positionals[0]);
const { train, trainValid, full } = dataset.graphs();
const isTest = values.part === 'test';
const [facts, larger] = isTest ? [trainValid, full] : [train, trainValid];
const { weights, rules } = await fitGraphEvidence({ dataset, rounds: number('rounds'), threads: 1 });
const links = createLinkDegrees({
  ...{ facts, weights, entailed: entailedGraph(facts, dataset.vocabulary) },
  rules: createRuleIndex(rules),
  recordedShare: isTest ? recordedShareOf(dataset) : 0,
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

const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const timed = (rank, times) => async (pattern, wanted) => {
  const [start, begin] = [cpu(), performance.now()];
  const found = await rank(pattern, wanted);
  times.push([cpu() - start, performance.now() - begin]);
  return found;
};
const quantile = (numbers, q) =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(q * numbers.length))];
const mean = (numbers) => numbers.reduce((a, b) => a + b, 0) / numbers.length;
const percent = (value) => (100 * value).toFixed(1).padStart(5);
const ms = (times) =>
  [0, 1]
    .map((clock) => times.map((each) => each[clock]))
    .map((each) => `${quantile(each, 0.5).toFixed(1)} (p99 ${quantile(each, 0.99).toFixed(0)})`)
    .join(' / ');

/** The 95 % interval of the mean of numbers, by means of as many that are drawn again. */
function interval(numbers, name) {
  const random = createRandom('bench', 'intervals', name);
  const means = Array.from({ length: 10_000 }, () =>
    mean(numbers.map(() => numbers[random.below(numbers.length)])),
  );
  return `[${percent(quantile(means, 0.025))}, ${percent(quantile(means, 0.975))}]`;
}

const gains = [];
console.log('type   n  pattern  exact  best tree  gain [95 %]  relaxations by kept links');
console.log('       CPU / wall ms of 10 answers, first; again; of the ranking; of the tree');
for (const name of values.types.split(',')) {
  const random = isTest
    ? createRandom('bench', 'patterns', name)
    : createRandom('bench', 'patterns', values.part, name);
  const patterns = await samplePatterns({
    ...{ type: types[name], count: number('each'), smaller: facts, larger, random },
  });
  /** The reports of the patterns, one by one. */
  const measure = async (rank, times) => {
    const reports = [];
    for (const pattern of patterns) {
      const of = { patterns: [pattern], rank: timed(rank, times), entityCount: facts.entityCount };
      reports.push((await evaluatePatterns({ ...of, k: number('k') }))[name]);
    }
    return reports;
  };
  const [first, again, searching, tree] = [[], [], [], []];
  for (const times of [first, again]) {
    const serve = timed(patternRanker(state, limits), times);
    for (const { pattern } of patterns) await serve(pattern, { k: 10, excluded: new Int32Array() });
  }
  const ours = await measure(patternRanker(state, limits), searching);
  const trees = [];
  for (const places of relaxationsOf(types[name]))
    trees.push({ places, mrrs: (await measure(treeRanker(places), tree)).map(({ mrr }) => mrr) });
  const best = trees.reduce((a, b) => (mean(b.mrrs) > mean(a.mrrs) ? b : a));
  const differences = ours.map(({ mrr }, i) => mrr - best.mrrs[i]);
  gains.push(differences);
  const told = trees.map(
    ({ places, mrrs }) => `${places.map((i) => i + 1).join('')} ${percent(mean(mrrs)).trim()}`,
  );
  console.log(
    `${name.padEnd(4)} ${String(ours.length).padStart(3)}  ${percent(mean(ours.map(({ mrr }) => mrr)))}  ${percent(mean(ours.map(({ exact }) => exact)))}  ${percent(mean(best.mrrs))}  ${percent(mean(differences))} ${interval(differences, name)}  ${told.join(', ')}`,
  );
  console.log(`       ${[first, again, searching, tree].map(ms).join('; ')}`);
}
console.log(`mean gain over ${gains.length} types: ${percent(mean(gains.map(mean)))} points`);
