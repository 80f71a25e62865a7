import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { allChoices, blockChoices, type OracleCase, oracleCase } from './cases.ts';
import { differences } from './compare.ts';
import { type Mutation, type ProductBuilder, productBuilder } from './mutated-product.ts';

/** Among them every value of every choice, with several neighbours. */
const cases: readonly OracleCase[] = [
  ...allChoices.filter((_, i) => i % 19 === 0),
  ...blockChoices.slice(0, 3),
].map((choices) => oracleCase(choices, 'mutations'));

const fuzzqe = 'model/fuzzqe.ts';
const changes: readonly (readonly [what: string, file: string, from: string, to: string])[] = [
  ['another steepness in (1)', fuzzqe, 'mul(free, scalar(8))', 'mul(free, scalar(7.9))'],
  ['another middle in (1)', fuzzqe, ', scalar(4)))', ', scalar(4.01)))'],
  ['L2 for L1 in (1)', fuzzqe, 'sum(inside, [-1])', 'l2Norm(inside)'],
  [
    'b_r dropped',
    fuzzqe,
    "labelled('b_r', matmul(coefficients, biasBases))",
    "labelled('b_r', mul(scalar(0), matmul(coefficients, biasBases)))",
  ],
  ['b_r dropped where W_r is read', fuzzqe, 'gather(table.bias, relations)', 'scalar(0)'],
  ['b_r dropped in groups', fuzzqe, 'reshape(table.bias, [table.bias.shape[0]!, 1, d])', 'scalar(0)'],
  ['b_r dropped without W_r', fuzzqe, ', matmul(coefficients, biasBases));', ', scalar(0));'],
  [
    'α transposed',
    fuzzqe,
    'matmul(coefficients, reshape(bases, [count, d * d]))',
    'matmul(transpose(reshape(coefficients, [count, rows]), [1, 0]), reshape(bases, [count, d * d]))',
  ],
  [
    'bases in another order of axes',
    fuzzqe,
    'reshape(bases, [count, d * d])),',
    'reshape(transpose(bases, [0, 2, 1]), [count, d * d])),',
  ],
  [
    'W_r applied from the other side',
    fuzzqe,
    'gather(table.weights, relations)',
    'transpose(gather(table.weights, relations), [0, 2, 1])',
  ],
  [
    'W_r applied from the other side in groups',
    fuzzqe,
    'matmul(gathered, table.weights)',
    'matmul(gathered, transpose(table.weights, [0, 2, 1]))',
  ],
  ["the input's scale in (3) left out", fuzzqe, 'x : div(x, l2Norm(x, 1e-12))', 'x : x'],
  ['the input scaled where it should not be', fuzzqe, "config.projectionInput === 'raw'", 'false'],
  ['blocks lengthened less', fuzzqe, 'mul(length, scalar(8))', 'mul(length, scalar(9))'],
  ['another ε where blocks are lengthened', fuzzqe, 'scalar(1e-6)', 'scalar(1e-3)'],
  ['a centroid that weighs otherwise', fuzzqe, 'square(square(square(share)))', 'square(square(share))'],
  ['a centroid that weighs the last as well', fuzzqe, 'div(sub(all, lowest)', 'div(all'],
  ['a centroid that counts no tails', fuzzqe, 'mul(tails, add(', 'mul(scalar(1), add('],
  [
    'the domain of the inverse',
    'model/relation-domains.ts',
    'relationOffsets[r]!; at < index.relationOffsets[r + 1]!',
    'relationOffsets[r ^ 1]!; at < index.relationOffsets[(r ^ 1) + 1]!',
  ],
  ['a centroid of anchors, too', fuzzqe, "template.from.op === 'entity' ? from : ", ''],
  [
    'no centroids in the program graph',
    'model/embed-program.ts',
    'project(centroid(x, relations), relations)',
    'project(x, relations)',
  ],
  ['λ of a negation left out', 'logic/sugeno-negation.ts', 'mul(a, scalar(lambda))', 'mul(a, scalar(0))'],
  ['the other mapping g', fuzzqe, "name === 'logistic' ? sigmoid(x)", "name !== 'logistic' ? sigmoid(x)"],
  ['another ε in layer normalisation', 'model/config.ts', '1e-5', '1e-6'],
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
  ['blocks that turn the other way', fuzzqe, 'sub(mul(a, c), mul(b, s))', 'add(mul(a, c), mul(b, s))'],
  ['the other half of blocks', fuzzqe, 'add(mul(a, s), mul(b, c))', 'add(mul(a, c), mul(b, s))'],
  ['a steep σ in (1) with blocks', fuzzqe, '? sigmoid(x)\n', '? steep(x)\n'],
  ['(3) with blocks as it is', fuzzqe, 'sub(div(x, add(mean(x, [-1]), scalar(1e-12))), scalar(1))', 'x'],
  ['∧ for ∨', fuzzqe, "template.op === 'and'", 'true'],
  ['∨ for ∧', fuzzqe, "template.op === 'and'", 'false'],
  ['∧ for ∨ in the program graph', 'model/embed-program.ts', 'logic.disjunction', 'logic.conjunction'],
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
    fuzzqe,
    'entities : div(entities, l2Norm(entities, 1e-12))',
    'entities : entities',
  ],
  ['inner products with a norm', fuzzqe, "config.score === 'innerProduct'", 'false'],
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
const degrees = 'sets/degrees.ts';
const members = 'sets/members.ts';
const expected = 'sets/expected-tails.ts';
const partitions = 'sets/partitions.ts';
const exclusivity = 'sets/exclusivity.ts';
const neighbours = 'sets/neighbour-links.ts';
const similar = 'sets/similar-heads.ts';
const setChanges: typeof changes = [
  ['degrees above the cap', degrees, ', log(cap));', ', scalar(0));'],
  ['another lowest degree', degrees, 'lowestDegree = 1e-12', 'lowestDegree = 1e-2'],
  ['b_hr left out', degrees, 'add(logits, offsets)', 'add(logits, mul(scalar(0), offsets))'],
  ['links without their length', fuzzqe, 'div(temperature, l2Norm(query, 1e-12))', 'temperature'],
  ['links with blocks without their scale', fuzzqe, 'scalar(2 * config.dimension)', 'scalar(2)'],
  ['links with blocks with lengths', degrees, "relationForm === 'blocks' || ", ''],
  ['entities without their length', degrees, ': div(entities, l2Norm(entities, 1e-12))', ': entities'],
  [
    'degrees of members left out',
    degrees,
    'logic.conjunction(membership, predicted)',
    'add(mul(scalar(0), membership), predicted)',
  ],
  [
    'the best without what is recorded',
    degrees,
    'maximum(mul(reached.best, factor), slice(recorded, 0, 1, 0))',
    'mul(reached.best, factor)',
  ],
  [
    'the sum without what is recorded',
    degrees,
    'add(mul(reached.total, factor), slice(recorded, 1, 2, 0))',
    'mul(reached.total, factor)',
  ],
  ['the best counted among the others', degrees, 'maximum(sub(total, best), scalar(0))', 'total'],
  ['no support', degrees, 'mul(others, support)', 'mul(others, scalar(0))'],
  ['another support', degrees, 'mul(others, support)', 'others'],
  ['∧ for the ∨ of (10)', degrees, 'logic.disjunction(best', 'logic.conjunction(best'],
  ['z_r over what is recorded', degrees, 'scalar(-1e9), logits)', 'logits, logits)'],
  ['another border of what is certain', 'sets/calibration.ts', 'certain = 0.95', 'certain = 0.3'],
  ['members of equal degree by the higher id', 'ranking/top-k.ts', 'a > b)', 'a < b)'],
  ['a certain member too many', members, 'best(true, certainMembers)', 'best(true, certainMembers + 1)'],
  [
    'a predicted member too few',
    members,
    'best(false, predictedMembers)',
    'best(false, predictedMembers - 1)',
  ],
  [
    'the likely members of the highest degrees',
    members,
    '? degree * expected[id]! : 0',
    '? degree * (isSure ? expected[id]! : 1) : 0',
  ],
  ['v_r above the cap', expected, 'Math.min(cap, weight * tails ** exponent)', 'weight * tails ** exponent'],
  ['v_r of no tails as of one', expected, 'noTails = 0.1', 'noTails = 1'],
  [
    'recorded links of the members taken along alone',
    members,
    'if (degree < least) continue;',
    'if (!taken.ids.includes(head)) continue;',
  ],
  [
    'recorded links of all members added',
    members,
    'likely.has(head) ? degree : 0',
    'degree > 0 ? degree : 0',
  ],
  ['the last recorded degree for the largest', members, 'Math.max(rows[tail]!, degree)', 'degree'],
  [
    'recorded links counted instead of added',
    members,
    '[entityCount + tail]! += added',
    '[entityCount + tail]! += 1',
  ],
  ['recorded links below 1', 'sets/answer-sets.ts', 'set[tail] = 1', 'set[tail] = 0.99'],
  ['z_r added', partitions, '- partition;', '+ partition;'],
  ['w left out', partitions, 'Math.log(weight) +', '0 +'],
  ['a left out', partitions, 'exponent * Math.log', 'Math.log'],
  ['n_hr of at least 2', partitions, 'Math.max(tails, 1)', 'Math.max(tails, 2)'],
  ['κ left out of what sets reach', degrees, 'mul(reached.best, factor)', 'reached.best'],
  ['κ left out of their sum', degrees, 'mul(reached.total, factor)', 'reached.total'],
  [
    'λ of the negation of sets left out',
    'logic/sugeno-negation.ts',
    'mul(a, scalar(lambda))',
    'mul(a, scalar(0))',
  ],
  ['κ left out of links', 'sets/answer-sets.ts', 'set[tail]! *= factor', 'set[tail]! *= 1'],
  [
    'heads for tails in κ',
    exclusivity,
    'facts.headsOf(inverseOf(asRelationId(relation)))',
    'facts.headsOf(relation)',
  ],
  [
    'κ of the inverse',
    exclusivity,
    'const inverse = inverseOf(asRelationId(relation))',
    'const inverse = relation',
  ],
  ['λ left out', exclusivity, '** exclusivity', '** 1'],
  ['κ for entities with three heads', exclusivity, '> 1) several', '> 2) several'],
  [
    'ν left out of links',
    neighbours,
    'if (neighbourWeight === 0) return none;',
    'if (neighbourWeight >= 0) return none;',
  ],
  [
    'ν left out of sets',
    neighbours,
    'if (calibration.neighbourWeight === 0)',
    'if (calibration.neighbourWeight >= 0)',
  ],
  ['w left out of ν', neighbours, 'factor * weight *', 'factor *'],
  ['κ left out of ν', neighbours, 'neighbourWeight * factor *', 'neighbourWeight *'],
  ['a left out of ν', neighbours, 'tails ** exponent', 'tails'],
  ['ν above the cap', neighbours, 'Math.min(highestDegree, joined[i]!)', 'joined[i]!'],
  ['cosines of neighbours not squared', neighbours, 'cosines[i]! ** 2', 'cosines[i]!'],
  ['neighbours of what is recorded', neighbours, 'sums[tail] = 0;\n  let kept', '{}\n  let kept'],
  ['one neighbour', 'sets/nearest-heads.ts', 'mostNeighbours = 64', 'mostNeighbours = 1'],
  ['neighbours of all members', neighbours, 'membership >= certain', 'membership > 0'],
  ['members of any degree alike in ν', neighbours, '.fill(membership[m]!)', '.fill(1)'],
  [
    'the last neighbour for the best',
    neighbours,
    'if (reached[i]! > (best.get(ids[i]!) ?? 0))',
    'if (reached[i]! > 0)',
  ],
  ['∧ for the ∨ of ν', neighbours, 'logic.or(before, added)', '(added.fill(0), before)'],
  ['attributes not squared', similar, '/ entities) ** 2', '/ entities)'],
  ['attributes as often as they are', similar, 'Math.log(entityCount / entities) ** 2', '1'],
  ['similarity without lengths', similar, 'product / Math.sqrt(length * lengths[head]!)', 'product'],
  ['one attribute', similar, 'mostPairs = 2 ** 12', 'mostPairs = 2'],
  ['the sum for the mean in z_r', partitions, ', 0) / values.length', ', 0)'],
];
const mutations = [...changes, ...setChanges].map(
  ([what, file, from, to]): Mutation => ({ what, file, from, to }),
);

describe('a product that is built from its sources', () => {
  let builder: ProductBuilder;
  beforeAll(async () => {
    builder = await productBuilder(inject('fixtures'));
  });
  afterAll(() => builder.close());

  it('says what the oracle says', async () => {
    const product = await builder.build();
    for (const given of cases) expect(await differences(product, given)).toEqual([]);
  });

  it.each(mutations)('does not with $what', async (mutation) => {
    const product = await builder.build(mutation);
    // A mutation that throws fails this test: it would show nothing of the oracle.
    const found: string[] = [];
    for (const given of cases) if (found.length === 0) found.push(...(await differences(product, given)));
    expect(found).not.toEqual([]);
  });

  it('is not built with a mutation that is not there, or there twice', async () => {
    const nowhere = { what: 'none', file: fuzzqe, from: 'no such text', to: '' };
    const often = { what: 'often', file: fuzzqe, from: 'projectionInput(config, x)', to: 'x' };
    await expect(builder.build(nowhere)).rejects.toThrow('stands there 0 times');
    await expect(builder.build(often)).rejects.toThrow('stands there');
  });

  it('says what the oracle says after all mutations: none stays in what is built next', async () => {
    const product = await builder.build();
    for (const given of cases) expect(await differences(product, given)).toEqual([]);
  });
});
