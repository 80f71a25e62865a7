import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { allChoices, blockChoices, type OracleCase, oracleCase, oracleHub } from './cases.ts';
import { differences, type Product, ruleDifferences } from './compare.ts';
import { type Mutation, type ProductBuilder, productBuilder } from './mutated-product.ts';

/** Among them every value of every choice, with several neighbours. */
const cases: readonly OracleCase[] = [
  ...allChoices.filter((_, i) => i % 19 === 0),
  ...blockChoices.slice(0, 3),
].map((choices) => oracleCase(choices, 'mutations'));
/** Paths end before they are all looked at. */
const hub = oracleHub();

const model = '../../model/src/';
const entities = `${model}families/fuzzqe/entity.ts`;
const bases = `${model}families/fuzzqe/bases.ts`;
const blocks = `${model}families/fuzzqe/blocks.ts`;
const pairs = `${model}families/pair-product.ts`;
const scores = `${model}families/fuzzqe/scores.ts`;
const centroids = `${model}programs/centroid.ts`;
const templates = `${model}programs/embed-template.ts`;
const changes: readonly (readonly [what: string, file: string, from: string, to: string])[] = [
  ['another steepness in (1)', entities, 'mul(free, scalar(8))', 'mul(free, scalar(7.9))'],
  ['another middle in (1)', entities, ', scalar(4)))', ', scalar(4.01)))'],
  ['L2 for L1 in (1)', entities, 'sum(inside, [-1])', 'l2Norm(inside)'],
  [
    'b_r dropped',
    bases,
    "labelled('b_r', matmul(coefficients, biasBases))",
    "labelled('b_r', mul(ops.scalar(0), matmul(coefficients, biasBases)))",
  ],
  ['b_r dropped where W_r is read', bases, "row('relationBiases')", 'ops.scalar(0)'],
  ['b_r dropped in groups', bases, 'reshape(bias, [bias.shape[0]!, 1, d])', 'ops.scalar(0)'],
  ['b_r dropped without W_r', bases, ', matmul(coefficients, biasBases));', ', ops.scalar(0));'],
  [
    'α transposed',
    bases,
    'matmul(coefficients, reshape(bases, [count, d * d]))',
    'matmul(ops.transpose(reshape(coefficients, [count, rows]), [1, 0]), reshape(bases, [count, d * d]))',
  ],
  [
    'bases in another order of axes',
    bases,
    'reshape(bases, [count, d * d])),',
    'reshape(ops.transpose(bases, [0, 2, 1]), [count, d * d])),',
  ],
  [
    'W_r applied from the other side',
    bases,
    "row('relationWeights')",
    "ops.transpose(row('relationWeights'), [0, 2, 1])",
  ],
  [
    'W_r applied from the other side in groups',
    bases,
    'matmul(gathered, weights)',
    'matmul(gathered, ops.transpose(weights, [0, 2, 1]))',
  ],
  ["the input's scale in (3) left out", bases, 'x : div(x, l2Norm(x, 1e-12))', 'x : x'],
  ['the input scaled where it should not be', bases, "config.projectionInput === 'raw'", 'false'],
  ['blocks lengthened less', blocks, 'mul(length, scalar(8))', 'mul(length, scalar(9))'],
  ['another ε where blocks are lengthened', blocks, 'scalar(1e-6)', 'scalar(1e-3)'],
  ['a centroid that weighs otherwise', centroids, 'square(square(square(share)))', 'square(square(share))'],
  ['a centroid that weighs the last as well', centroids, 'div(sub(all, lowest)', 'div(all'],
  ['a centroid that counts no tails', centroids, 'mul(tails, add(', 'mul(scalar(1), add('],
  [
    'the domain of the inverse',
    '../../model/src/config/relation-domains.ts',
    'relationOffsets[r]!; at < index.relationOffsets[r + 1]!',
    'relationOffsets[r ^ 1]!; at < index.relationOffsets[(r ^ 1) + 1]!',
  ],
  ['a centroid of anchors, too', templates, "template.from.op === 'entity' ? from : ", ''],
  [
    'no centroids in the program graph',
    '../../model/src/programs/embed-program.ts',
    'project(centroid(x, relations), relations)',
    'project(x, relations)',
  ],
  ['λ of a negation left out', 'logic/sugeno-negation.ts', 'mul(a, scalar(lambda))', 'mul(a, scalar(0))'],
  ['the other mapping g', entities, "name === 'logistic' ? sigmoid(x)", "name !== 'logistic' ? sigmoid(x)"],
  ['another ε in layer normalisation', '../../model/src/config/config.ts', '1e-5', '1e-6'],
  [
    'layer normalisation over the wrong axis',
    'tensor/functions.ts',
    'sub(x, mean(x, [-1]))',
    'sub(x, mean(x, [0]))',
  ],
  [
    'the variance over the wrong axis',
    'tensor/functions.ts',
    'square(centred), [-1]',
    'square(centred), [0]',
  ],
  ['the sum for the mean', 'tensor/functions.ts', 'scalar(1 / count)', 'scalar(1)'],
  ['blocks that turn the other way', pairs, 'sub(mul(a, c), mul(b, s))', 'add(mul(a, c), mul(b, s))'],
  ['the other half of blocks', pairs, 'add(mul(a, s), mul(b, c))', 'add(mul(a, c), mul(b, s))'],
  [
    'a steep σ in (1) with blocks',
    blocks,
    'normalisedEntity(config, sigmoid(x))',
    'normalisedEntity(config, sigmoid(add(add(x, x), x)))',
  ],
  ['(3) with blocks as it is', blocks, 'sub(div(x, add(mean(x, [-1]), scalar(1e-12))), scalar(1))', 'x'],
  ['∧ for ∨', templates, "template.op === 'and'", 'true'],
  ['∨ for ∧', templates, "template.op === 'and'", 'false'],
  [
    '∧ for ∨ in the program graph',
    '../../model/src/programs/embed-program.ts',
    'logic.disjunction',
    'logic.conjunction',
  ],
  ['¬ without its complement', 'logic/logic.ts', 'sub(scalar(1), a);', 'a;'],
  ['product ∨ without its product', 'logic/logic.ts', 'add(a, mul(b, sub(scalar(1), a)))', 'add(a, b)'],
  ['Gödel ∧ as a product', 'logic/logic.ts', 'minimum(a, b)', 'mul(a, b)'],
  [
    'Łukasiewicz ∧ without its bound',
    'logic/logic.ts',
    'maximum(sub(add(a, b), scalar(1)), scalar(0))',
    'sub(add(a, b), scalar(1))',
  ],
  [
    'cosines without their norm',
    scores,
    'entities : div(entities, l2Norm(entities, 1e-12))',
    'entities : entities',
  ],
  ['inner products with a norm', scores, "config.score === 'innerProduct'", 'false'],
  ['ties to the higher id', 'ranking/top-k.ts', 'a > b)', 'a < b)'],
  ['ties that count whole', 'ranking/rank.ts', 'equal[level]! / 2', 'equal[level]!'],
  [
    'an inverse edge of the wrong relation',
    'kg/adjacency.ts',
    'triples[from + 1]! ^ 1;',
    'triples[from + 1]!;',
  ],
  [
    'another order of slots',
    'query/template.ts',
    'relations.push(node.relation) - 1',
    'relations.unshift(node.relation) - 1',
  ],
];
const evidence = '../../evidence/src/';
const features = `${evidence}link/features.ts`;
const links = `${evidence}link/link-degrees.ts`;
const missing = `${evidence}link/missing-tails.ts`;
const applied = `${evidence}rules/apply-rules.ts`;
const expanded = `${evidence}rules/expand-path.ts`;
const ordered = `${evidence}rules/rule-set.ts`;
const named = `${evidence}rules/rule-scratch.ts`;
const ranges = `${evidence}schema/ranges.ts`;
const votes = `${evidence}neighbours/neighbour-votes.ts`;
const similar = `${evidence}neighbours/similar-heads.ts`;
const nearest = `${evidence}neighbours/nearest-heads.ts`;
const scored = '../../model/src/programs/formulas.ts';
const members = 'sets/members.ts';
const expected = 'sets/expected-tails.ts';
const projected = 'sets/project-set.ts';
const setChanges: typeof changes = [
  // The model's scores.
  ['links without their length', bases, 'div(temperature, l2Norm(query, 1e-12))', 'temperature'],
  ['links with blocks without their scale', blocks, 'scalar(2 * config.dimension)', 'scalar(2)'],
  ['links with blocks with lengths', `${model}config/family-traits.ts`, 'traitsOf(model).isCentred ?? ', ''],
  ['entities without their length', scored, ': div(entities, l2Norm(entities, 1e-12))', ': entities'],
  // (9): what is recorded, entailed and closed.
  ['recorded links below 1', links, 'row[tail] = 1;', 'row[tail] = 0.99;'],
  ['what is entailed left out', links, 'row[tail] = highestPredicted;', '{}'],
  ['what is entailed of degree 1', links, 'row[tail] = highestPredicted;', 'row[tail] = 1;'],
  ['heads that are their own tails', links, 'for (const id of closed) row[id] = 0;', ''],
  [
    'no head that is its own tail',
    links,
    'mayBeReflexive(facts, relation) ? recorded : Int32Array.of(head, ...recorded)',
    'Int32Array.of(head, ...recorded)',
  ],
  ['loops of the inverse alone', `${evidence}schema/self-loops.ts`, 'loops[relation]! += 1;', ''],
  ['s′ left out', missing, '(1 - recordedShare) / (1 - recordedShare * missing)', '1'],
  ['s′ of links that miss their one tail', missing, '(1 - recordedShare * missing)', '1'],
  [
    'a missing tail beside a recorded one',
    missing,
    'length > 0) return 0',
    'length > 0 && head < 0) return 0',
  ],
  [
    'a missing head beside a recorded one',
    links,
    ' + ofHead - Math.max(ofHead, shifts[codes[ids[i]!]!]!)',
    '',
  ],
  ['the lesser of both shifts', links, 'each + Math.max(ofHead', 'each + Math.min(ofHead'],
  ['predicted degrees above 0.999', 'sets/projection-settings.ts', 'Math.fround(0.999)', '1'],
  // Features.
  ['τ left out', links, 'slope = share * weights.temperature', 'slope = share'],
  [
    'the share without its normaliser',
    links,
    'constant -= share * shareNormaliser',
    'constant -= 0 * shareNormaliser',
  ],
  ['a normaliser of closed entities, too', links, 'scores[id] = Number.NEGATIVE_INFINITY', '{}'],
  ['a normaliser without ranges', links, 'const logit = most + shareBase[codes[id]!]!', 'const logit = most'],
  ['a normaliser of the largest alone', links, 'top + Math.log(sum)', 'top'],
  ['the share without ranges', links, 'share * shareBaseOf(each) +', '0 +'],
  ['ranges of the share not bounded', features, 'Math.min(1, 4 * range)', '4 * range'],
  ['the constant left out', links, 'weights[featureAt.constant]! +', '0 +'],
  ['tails left out', links, 'weights[featureAt.tails]! * tails', '0'],
  ['tails of at least 2', features, 'Math.max(recorded, 1)', 'Math.max(recorded, 2)'],
  ['functional left out', links, 'weights[featureAt.functional]! * functional', '0'],
  ['functional without tails', features, 'recorded === 0 ? 0 :', ''],
  [
    'functional of the inverse',
    features,
    'Math.log(secondTailShare(facts, relation))',
    'Math.log(secondTailShare(facts, inverseOf(relation as RelationId)))',
  ],
  [
    'heads with three tails in φ',
    `${evidence}schema/second-tail-share.ts`,
    '> 1) withSecond',
    '> 2) withSecond',
  ],
  [
    'φ without its 1',
    `${evidence}schema/second-tail-share.ts`,
    '(withSecond[relation]! + 1)',
    '(withSecond[relation]! + 0.5)',
  ],
  ['inverse functional left out', links, 'of[featureAt.inverseFunctional]! * inverseFunctional', '0'],
  ['inverse functional of all', links, 'often * unseen)', 'often * unseen - 0.2)'],
  ['range left out', links, 'ranged * rangeFeature(each)', '0'],
  ['domain left out', links, 'weights[featureAt.domain]! * domain', '0'],
  [
    'the range for the domain',
    features,
    'rangeAt(facts, inverseOf(relation as RelationId), head, schema)',
    'rangeAt(facts, relation, head, schema)',
  ],
  ['frequency left out', links, 'often * (each - unseen)', '0'],
  ['frequency of the unseen left out', links, ' + often * unseen)', ')'],
  ['another least frequency', features, 'seldom = 0.1', 'seldom = 0.2'],
  ['logarithms as they are', features, 'scale = 4', 'scale = 3'],
  ['votes left out', links, 'weights[featureAt.neighbours]! *', '0 *'],
  ['votes without their root', features, 'Math.sqrt(share)', 'share'],
  ['the best rule left out', links, 'weights[featureAt.bestRule]! *', '0 *'],
  ['joined rules left out', links, 'weights[featureAt.joinedRules]! *', '0 *'],
  ['rules that fire left out', links, '+\n        weights[featureAt.hasRule]!;', ';'],
  ['the best rule for the joined ones', links, 'ruleFeature(joinedRules[i]!)', 'ruleFeature(ruled)'],
  ['confidences without those of no rule', features, ' - leastOdds) / scale', ') / scale'],
  // Ranges.
  ['another least range', ranges, 'leastRange = 0.001', 'leastRange = 0.01'],
  ['classes of any size', ranges, 'leastInstances = 5', 'leastInstances = 1'],
  ['no share of those without hits', ranges, '(hits + 0.02)', 'hits'],
  ['shares of one less', ranges, '/ (holders + 1)', '/ holders'],
  [
    'the range of the inverse',
    ranges,
    'count(headsOf(index, relation ^ 1))',
    'count(headsOf(index, relation))',
  ],
  ['the share of recorded tails below 1', ranges, '(of ^ 1) ? 1 : shareOf', '(of ^ 1) ? 0.9 : shareOf'],
  [
    'no classes',
    `${evidence}schema/attribute-counter.ts`,
    'if (ofClasses[each] === 0) classes.push(each);',
    '',
  ],
  // Rules.
  ['rules of less doubt', ordered, 'doubt = 5', 'doubt = 4'],
  [
    'rules by the lowest confidence',
    ordered,
    'b.hits / (b.predictions + doubt) - a.hits / (a.predictions + doubt)',
    'a.hits / (a.predictions + doubt) - b.hits / (b.predictions + doubt)',
  ],
  ['longer paths first', ordered, 'return a.length - b.length', 'return b.length - a.length'],
  ['fewer edges a level', expanded, 'edgesPerLevel = 1024', 'edgesPerLevel = 512'],
  ['more edges a link', applied, 'edgesPerLink: number = 2 ** 13', 'edgesPerLink: number = 2 ** 14'],
  ['edges that are kept counted alone', expanded, 'looked += edgesPerLevel - left', 'looked += found'],
  ['paths through an entity twice', expanded, ' || tail === second) continue', ') continue'],
  ['paths that stay', expanded, ' tail === from ||', ''],
  [
    'a rule without its last relation',
    applied,
    'const length = pathLengths[path]!;',
    'const length = Math.max(1, pathLengths[path]! - 1);',
  ],
  ['constants left out', applied, 'i < matching', 'i < 0'],
  ['five rules joined', named, 'mostConfidences = 6', 'mostConfidences = 5'],
  ['a rule as often as its paths', named, '} else if (lastRules[slot] === rule) continue;', '}'],
  ['the first constants for the best', named, 'confidences[--at]! >= confidence', 'confidences[--at]! >= 0'],
  ['heads named', applied, 'mark[head] = leftOut', 'mark[head] = 0'],
  // Similar heads.
  ['cosines of similar heads not squared', votes, 'cosines[i]! ** 2', 'cosines[i]!'],
  [
    'votes for what is recorded',
    votes,
    'for (const tail of facts.tails(head, relation)) sums[tail] = 0;',
    '',
  ],
  ['one similar head', nearest, 'mostNeighbours = 64', 'mostNeighbours = 1'],
  ['few tails of similar heads', nearest, 'mostTails = 2 ** 14', 'mostTails = 2'],
  ['attributes not squared', similar, 'Math.max(entities, 1)) ** 2', 'Math.max(entities, 1))'],
  ['attributes as often as they are', similar, 'Math.log(entityCount / Math.max(entities, 1)) ** 2', '1'],
  ['similarity without lengths', similar, 'product / Math.sqrt(length * lengthOf(changes, head))', 'product'],
  ['one attribute', similar, 'mostPairs = 2 ** 12', 'mostPairs = 2'],
  // (10)
  ['another border of what is certain', 'sets/projection-settings.ts', 'certain = 0.95', 'certain = 0.3'],
  ['members of equal degree by the higher id', 'ranking/top-k.ts', 'a > b)', 'a < b)'],
  ['a certain member too many', members, 'best(true, certainMembers)', 'best(true, certainMembers + 1)'],
  [
    'a predicted member too few',
    members,
    'best(false, predictedMembers)',
    'best(false, predictedMembers - 1)',
  ],
  ['the members of the highest degrees', members, '? degree * expected[id]! : 0', '? degree : 0'],
  [
    'v_r without its bound',
    expected,
    'Math.min(most, growth * (tails || noTails))',
    'growth * (tails || noTails)',
  ],
  ['v_r of no tails as of one', expected, 'noTails = 0.1', 'noTails = 1'],
  ['degrees of members left out', projected, 'degree === 1 ? row', 'degree > 0 ? row'],
  [
    'the last member for the best',
    projected,
    'if (degree > best[id]!) best[id] = degree;\n      total[id]',
    'best[id] = degree;\n      total[id]',
  ],
  ['the best member among the others', projected, 'total[id]! - best[id]!', 'total[id]!'],
  ['no support', projected, '-support * others', '-0 * others'],
  ['∧ for the ∨ of (10)', projected, 'logic.or(best, more, total)', 'logic.and(best, more, total)'],
  ['(10) above 0.999', projected, 'Math.min(joined[id]!, highestPredicted)', 'joined[id]!'],
  [
    'recorded links of members alone',
    projected,
    'if (degree === 0 || taken.has(head)) continue;',
    'continue;',
  ],
  ['recorded links of members twice', projected, ' || taken.has(head)', ''],
  ['recorded links of all members added', projected, 'if (degree >= certain) total[column]', 'total[column]'],
  [
    'the last recorded degree for the largest',
    projected,
    'if (reached > best[column]!) best[column]',
    'best[column]',
  ],
];
const mutations = [...changes, ...setChanges].map(
  ([what, file, from, to]): Mutation => ({ what, file, from, to }),
);

/** The differences of the first case that has any. */
async function allDifferences(product: Product): Promise<string[]> {
  for (const given of cases) {
    const found = await differences(product, given);
    if (found.length > 0) return found;
  }
  return ruleDifferences(product, hub);
}

describe('a product that is built from its sources', () => {
  let builder: ProductBuilder;
  beforeAll(async () => {
    builder = await productBuilder(inject('fixtures'));
  });
  afterAll(() => builder.close());

  it('says what the oracle says', async () => {
    const product = await builder.build();
    expect(await allDifferences(product)).toEqual([]);
  });

  it.each(mutations)('does not with $what', async (mutation) => {
    const product = await builder.build(mutation);
    // A mutation that throws fails this test: it would show nothing of the oracle.
    const found = await allDifferences(product);
    expect(found).not.toEqual([]);
  });

  it('is not built with a mutation that is not there, or there twice', async () => {
    const nowhere = { what: 'none', file: bases, from: 'no such text', to: '' };
    const often = { what: 'often', file: bases, from: 'coefficients', to: 'x' };
    await expect(builder.build(nowhere)).rejects.toThrow('stands there 0 times');
    await expect(builder.build(often)).rejects.toThrow('stands there');
  });

  it('says what the oracle says after all mutations: none stays in what is built next', async () => {
    const product = await builder.build();
    expect(await allDifferences(product)).toEqual([]);
  });
});
