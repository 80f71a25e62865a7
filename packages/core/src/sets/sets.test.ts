import { describe, expect, it } from 'vitest';
import { asEntityId, asRelationId } from '../kg/ids.ts';
import { createKnowledgeGraph, type KnowledgeGraph } from '../kg/knowledge-graph.ts';
import { type LogicName, logicNames, logics, sugenoNegation } from '../logic/index.ts';
import { type ModelConfig, plainModel } from '../model/config.ts';
import { and, entity, instantiate, not, or, project, type Query, structures } from '../query/index.ts';
import { createRandom } from '../random.ts';
import { createProgram, evaluate, input, numeric, type Program, type Tensor } from '../tensor/index.ts';
import { answerSets, type SetGraphs } from './answer-sets.ts';
import { type Calibration, calibrationValues, certain, defaultCalibration } from './calibration.ts';
import {
  calibrationInput,
  entityDirections,
  linkLogits,
  lowestDegree,
  partitionTerms,
  predictedDegrees,
  projectedSet,
} from './degrees.ts';
import { exclusivityOf } from './exclusivity.ts';
import { expectedTails } from './expected-tails.ts';
import { linkOffsets, measurePartitions } from './partitions.ts';

const [entityCount, relationCount, d] = [19, 4, 4];
const model: ModelConfig = {
  ...plainModel,
  entityNormalisation: 'l1',
  entities: entityCount,
  relations: relationCount,
  dimension: d,
};
const random = createRandom(5);
const numbers = (count: number): Float32Array =>
  Float32Array.from({ length: count }, () => 0.05 + 0.9 * random.uniform());
/** Stand-ins for P_r(p_h) of every link, and for p_e. */
const projections = numbers(entityCount * relationCount * d);
const table = numbers(entityCount * d);
const triples = Int32Array.from({ length: 3 * 40 }, (_, i) =>
  i % 3 === 1 ? 2 * random.below(relationCount / 2) : random.below(entityCount),
);
const facts = createKnowledgeGraph({ entityCount, relationCount, triples });
const calibration: Calibration = {
  ...defaultCalibration,
  temperature: 12,
  weight: 0.8,
  exponent: 0.7,
  neighbourWeight: 0.3,
  negationLambda: 1,
  certainMembers: 3,
  predictedMembers: 4,
};
const partitions = Float32Array.from({ length: relationCount }, () => 11 + 2 * random.uniform());
const all = Array.from({ length: entityCount }, (_, id) => id);

const row = (data: ArrayLike<number>, at: number): number[] =>
  Array.from({ length: d }, (_, i) => data[at * d + i]!);
function cosine(head: number, relation: number, e: number): number {
  const [left, right] = [row(projections, head * relationCount + relation), row(table, e)];
  const dot = (a: number[], b: number[]): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right));
}

/** The graphs of sets, in float64 from the tensor programs. */
function float64Graphs(logic: LogicName, settings: Calibration): SetGraphs {
  const { input: values, numbers: calibrated } = calibrationInput();
  const [projected, entities] = [
    input('projected', 'float', ['m', d]),
    input('table', 'float', [entityCount, d]),
  ];
  const offsets = input('offsets', 'float', ['m', 1]);
  const membership = input('membership', 'float', ['m', 1]);
  const recorded = input('recorded', 'float', [3, entityCount]);
  const [left, right] = [input('left', 'float', ['n']), input('right', 'float', ['n'])];
  const logits = linkLogits(model, calibrated.temperature, projected, entityDirections(model, entities));
  const predicted = predictedDegrees(calibrated, logits, offsets);
  const operators = logics[logic];
  const program = (inputs: Tensor[], result: Tensor): Program =>
    createProgram({ name: 'sets', inputs, outputs: { result } });
  const set = projectedSet(operators, calibrated.support, { predicted, membership, recorded });
  const programs = {
    links: program([projected, entities, offsets, calibrated.cap.inputs[0]!], predicted),
    set: program([projected, entities, offsets, membership, recorded, values], set),
    and: program([left, right], operators.conjunction(left, right)),
    or: program([left, right], operators.disjunction(left, right)),
    not: program([left], sugenoNegation(settings.negationLambda)(left)),
  };
  const run = (of: Program, feeds: Parameters<typeof evaluate>[1]): Float32Array =>
    Float32Array.from(evaluate(of, feeds)['result']!.data);
  const linkFeeds = (heads: Int32Array, relations: Int32Array, given: Float32Array) => ({
    projected: numeric(
      [heads.length, d],
      Array.from(heads).flatMap((head, i) => row(projections, head * relationCount + relations[i]!)),
    ),
    table: numeric([entityCount, d], Array.from(table)),
    offsets: numeric([heads.length, 1], Array.from(given)),
    calibration: numeric([3], Array.from(calibrationValues(settings))),
  });
  const operands = (first: Float32Array, second: Float32Array) => ({
    left: numeric([first.length], Array.from(first)),
    right: numeric([second.length], Array.from(second)),
  });
  return {
    links: async (feeds) => run(programs.links, linkFeeds(feeds.heads, feeds.relations, feeds.offsets)),
    projectSet: async (feeds) =>
      run(programs.set, {
        ...linkFeeds(
          feeds.heads,
          feeds.heads.map(() => feeds.relation),
          feeds.offsets,
        ),
        membership: numeric([feeds.heads.length, 1], Array.from(feeds.membership)),
        recorded: numeric([3, entityCount], Array.from(feeds.recorded)),
      }),
    and: (a, b) => run(programs.and, operands(a, b)),
    or: (a, b) => run(programs.or, operands(a, b)),
    not: (a) => run(programs.not, { left: numeric([a.length], Array.from(a)) }),
  };
}

/** (9) without what is recorded, in plain loops. */
function predictedDegree(settings: Calibration, head: number, relation: number, e: number): number {
  const tails = facts.tails(head, relation).length;
  const share = Math.exp(settings.temperature * cosine(head, relation, e) - partitions[relation]!);
  const expected = settings.weight * Math.max(tails, 1) ** settings.exponent * share;
  return Math.min(settings.cap, Math.max(1e-12, expected));
}

/** v_r(m) of (10), of single precision, so that equal ones are equal. */
function expectedOf({ cap, weight, exponent }: Calibration, member: number, relation: number): number {
  const tails = all.filter((e) => facts.has(member, relation, e)).length;
  return Math.fround(Math.min(cap, weight * Math.max(tails, 0.1) ** exponent));
}

/** κ_r(e) of (9), in plain loops. */
function exclusivityFactor(settings: Calibration, relation: number, e: number): number {
  const headsOf = (entity: number): number => all.filter((h) => facts.has(h, relation, entity)).length;
  if (headsOf(e) === 0) return 1;
  const [some, several] = [1, 2].map((least) => all.filter((id) => headsOf(id) >= least).length);
  return Math.min(1, (8 * (several! + 1)) / (some! + 1)) ** settings.exclusivity;
}

/** ν_hr(e) of (9) for every e, in plain loops; no relation here has so many heads that one is no neighbour. */
function neighbourDegrees(settings: Calibration, head: number, relation: number): number[] {
  const attributes = all.map((h) =>
    Array.from({ length: relationCount }, (_, r) =>
      all.filter((t) => facts.has(h, r, t)).map((t) => [r, t]),
    ).flat(),
  );
  const cosineOf = (a: number, b: number): number => {
    const product = (x: number, y: number): number =>
      attributes[x]!.filter(([r, t]) => facts.has(y, r!, t!)).reduce(
        (sum, [r, t]) => sum + Math.log(entityCount / all.filter((h) => facts.has(h, r!, t!)).length) ** 2,
        0,
      );
    return product(a, b) === 0 ? 0 : product(a, b) / Math.sqrt(product(a, a) * product(b, b));
  };
  const votes = all.map((e) => {
    const neighbours = all.filter((h) => h !== head && facts.has(h, relation, e));
    return facts.has(head, relation, e) ? 0 : neighbours.reduce((sum, h) => sum + cosineOf(head, h) ** 2, 0);
  });
  const total = votes.reduce((sum, vote) => sum + vote, 0);
  const tails = Math.max(facts.tails(head, relation).length, 1);
  const expected = settings.neighbourWeight * settings.weight * tails ** settings.exponent;
  const factor = (e: number): number => exclusivityFactor(settings, relation, e);
  return votes.map((vote, e) =>
    vote === 0 ? 0 : Math.min(settings.cap, (expected * factor(e) * vote) / total),
  );
}

type Join = (a: number, b: number) => number;
const operators: Readonly<Record<LogicName, readonly [and: Join, or: Join]>> = {
  product: [(a, b) => a * b, (a, b) => a + b - a * b],
  godel: [Math.min, Math.max],
  lukasiewicz: [(a, b) => Math.max(a + b - 1, 0), (a, b) => Math.min(a + b, 1)],
};

/** Degrees of a query's answers in plain loops, as docs/model.md (9) and (10) have them. */
function plainAnswer(logic: LogicName, settings: Calibration, query: Query): number[] {
  const [both, either] = operators[logic];
  switch (query.op) {
    case 'entity':
      return all.map((id) => (id === query.entity ? 1 : 0));
    case 'project': {
      const { relation } = query;
      const set = plainAnswer(logic, settings, query.from);
      const promise = all.map((m) => set[m]! * expectedOf(settings, m, relation));
      const sorted = all.toSorted((a, b) => promise[b]! - promise[a]! || a - b).filter((id) => set[id]! > 0);
      const sure = sorted.filter((id) => set[id]! >= certain);
      const likely = sorted.filter((id) => set[id]! < certain).slice(0, settings.predictedMembers);
      const members = [...sure.slice(0, settings.certainMembers), ...likely];
      const sureMembers = members.filter((m) => sure.includes(m));
      const neighbours = sureMembers.map((m) => neighbourDegrees(settings, m, relation));
      return all.map((e) => {
        const through = members.map(
          (m) =>
            exclusivityFactor(settings, relation, e) *
            both(set[m]!, predictedDegree(settings, m, relation, e)),
        );
        const ofAll = sorted.filter((m) => facts.has(m, relation, e));
        const recorded = ofAll.filter((m) => sure.includes(m) || likely.includes(m)).map((m) => set[m]!);
        const best = Math.max(0, ...through, ...ofAll.map((m) => set[m]!));
        const total = [...through, ...recorded].reduce((sum, each) => sum + each, 0);
        const reached = either(best, 1 - Math.exp(-settings.support * Math.max(total - best, 0)));
        const votes = sureMembers.map((m, i) => both(set[m]!, neighbours[i]![e]!));
        return Math.max(reached, Math.min(settings.cap, either(reached, Math.max(0, ...votes))));
      });
    }
    case 'not':
      return plainAnswer(logic, settings, query.operand).map(
        (degree) => (1 - degree) / (1 + settings.negationLambda * degree),
      );
    default: {
      const join = query.op === 'and' ? both : either;
      const sets = query.operands.map((operand) => plainAnswer(logic, settings, operand));
      return sets.reduce((a, b) => a.map((degree, id) => join(degree, b[id]!)));
    }
  }
}

const someEntity = (): Query => entity(asEntityId(random.below(entityCount)));
const hop = (from: Query): Query => project(asRelationId(random.below(relationCount)), from);
/** A query of each structure, and one that is none of them. */
function someQueries(): readonly Query[] {
  const draw = (count: number, bound: number): number[] =>
    Array.from({ length: count }, () => random.below(bound));
  return [
    ...Object.values(structures).map(({ template, anchors, relations }) =>
      instantiate(template, draw(anchors, entityCount), draw(relations, relationCount)),
    ),
    or(hop(and(hop(someEntity()), not(hop(someEntity())))), hop(or(hop(someEntity()), someEntity()))),
  ];
}
const expectClose = (got: ArrayLike<number>, expected: readonly number[]): void => {
  expected.forEach((degree, id) => {
    expect(Math.abs(got[id]! - degree)).toBeLessThan(2e-6);
  });
};

describe.each(logicNames)('answers by fuzzy sets in %s logic', (logic) => {
  const state = { calibration, partitions, facts };

  it('are those of plain loops, for the 14 structures and a tree of its own, in one run of links', async () => {
    const graphs = float64Graphs(logic, calibration);
    const queries = someQueries();
    const runs: number[] = [];
    const counting: SetGraphs = {
      ...graphs,
      links: (feeds) => {
        runs.push(feeds.heads.length);
        return graphs.links(feeds);
      },
    };
    const answers = await answerSets(counting, state, queries);
    answers.forEach(({ degrees }, i) => {
      expectClose(degrees, plainAnswer(logic, calibration, queries[i]!));
    });
    expect(runs).toHaveLength(1);
    expect(runs[0]).toBeGreaterThan(queries.length);
    // Other numbers are other answers: the comparison can fail.
    const sharper = { ...calibration, temperature: 14 };
    const others = queries.filter((query, i) =>
      plainAnswer(logic, sharper, query).some(
        (degree, id) => Math.abs(degree - answers[i]!.degrees[id]!) > 1e-3,
      ),
    );
    expect(others.length).toBeGreaterThan(10);
  });
});

describe('answers by fuzzy sets', () => {
  const state = { calibration, partitions, facts };
  const graphs = float64Graphs('product', calibration);
  const [head, relation] = [facts.headsOf(0)[0]!, 0];
  const oneHop = project(asRelationId(relation), entity(asEntityId(head)));

  it('have degree 1 where a link is recorded and at most the cap elsewhere', async () => {
    const [{ degrees } = expect.fail('no answer')] = await answerSets(graphs, state, [oneHop]);
    const tails = new Set(facts.tails(head, relation));
    for (const id of all)
      if (tails.has(id)) expect(degrees[id]).toBe(1);
      else expect(degrees[id]).toBeLessThanOrEqual(Math.fround(calibration.cap));
  });

  it('come with the sets of the operands of a conjunction', async () => {
    const other = hop(someEntity());
    const query = and(oneHop, not(other), other);
    const [joined, one, two] = await answerSets(graphs, state, [query, oneHop, other]);
    expect(joined!.operands).toHaveLength(3);
    expect(joined!.operands[0]).toEqual(one!.degrees);
    expect(joined!.operands[2]).toEqual(two!.degrees);
    expectClose(
      joined!.operands[1]!,
      Array.from(two!.degrees, (degree) => (1 - degree) / (1 + calibration.negationLambda * degree)),
    );
    expect(one!.operands).toEqual([]);
  });

  it('lead nowhere from an empty set', async () => {
    const entities = [entity(asEntityId(1)), entity(asEntityId(2))] as const;
    const [{ degrees } = expect.fail('no answer')] = await answerSets(graphs, state, [hop(and(...entities))]);
    expect([...degrees]).toEqual(all.map(() => 0));
  });

  it('refuse what the graph does not have', async () => {
    const unknown = project(asRelationId(relationCount), entity(asEntityId(0)));
    await expect(answerSets(graphs, state, [unknown])).rejects.toThrow('relation: expected an id in [0, 4)');
    await expect(answerSets(graphs, state, [hop(entity(asEntityId(-1)))])).rejects.toThrow(
      'entity: expected',
    );
    const short = { ...state, partitions: new Float32Array(2) };
    await expect(answerSets(graphs, short, [oneHop])).rejects.toThrow('partitions: expected 4, got 2');
  });

  it('stay above 0 where the model finds a link next to impossible', async () => {
    const hopeless = { ...state, partitions: partitions.map(() => 200) };
    const [{ degrees } = expect.fail('no answer')] = await answerSets(graphs, hopeless, [
      and(hop(someEntity()), hop(someEntity()), hop(someEntity())),
    ]);
    expect(Math.min(...degrees)).toBeGreaterThan(0);
    expect(Math.min(...degrees)).toBeLessThanOrEqual(lowestDegree ** 2);
  });
});

describe('log-partitions', () => {
  const terms = async (heads: Int32Array, relation: number): Promise<number[]> =>
    Array.from(heads, (head) => {
      const open = all.filter((e) => !facts.has(head, relation, e));
      return Math.log(open.reduce((sum, e) => sum + Math.exp(12 * cosine(head, relation, e)), 0));
    });

  it('are means over recorded heads, and elsewhere the mean of the others', async () => {
    const once = createKnowledgeGraph({ entityCount, relationCount: 6, triples: facts.forwardTriples() });
    const found = await measurePartitions(once, terms);
    const expected: number[] = [];
    for (let relation = 0; relation < relationCount; relation += 1) {
      const heads = facts.headsOf(relation);
      const each = await terms(heads, relation);
      expected.push(each.reduce((sum, x) => sum + x, 0) / each.length);
    }
    const mean = expected.reduce((sum, x) => sum + x, 0) / expected.length;
    // With at most 16 heads all of them count.
    expected.forEach((z, relation) => {
      if (facts.headsOf(relation).length <= 16) expect(found[relation]).toBeCloseTo(z, 5);
    });
    expect(found[5]).toBe(found[4]);
    expect(found[4]).toBeCloseTo(mean, 1);
  });

  it('leave out heads of which everything is recorded', async () => {
    const full = Int32Array.from(all.flatMap((e) => [3, 0, e]));
    const graph = createKnowledgeGraph({ entityCount, relationCount: 2, triples: full });
    const asked: number[] = [];
    const found = await measurePartitions(graph, async (heads, relation) => {
      asked.push(relation);
      return Array.from(heads, () => 2.5);
    });
    expect(asked).toEqual([1]);
    expect([...found]).toEqual([2.5, 2.5]);
  });

  it('draw 16 of many heads, the same ones every time', async () => {
    const many = Int32Array.from({ length: 3 * 200 }, (_, i) =>
      i % 3 === 0 ? Math.floor(i / 3) : i % 3 === 1 ? 0 : 200,
    );
    const graph = createKnowledgeGraph({ entityCount: 201, relationCount: 2, triples: many });
    const chosen = async (): Promise<number[]> => {
      const heads: number[] = [];
      await measurePartitions(graph, async (ids, relation) => {
        if (relation === 0) heads.push(...ids);
        return Array.from(ids, () => 0);
      });
      return heads;
    };
    const first = await chosen();
    expect(new Set(first).size).toBe(16);
    expect(Math.max(...first)).toBeGreaterThan(100);
    expect(await chosen()).toEqual(first);
  });

  it('sum what is not recorded', () => {
    const [logits, recorded] = [input('logits', 'float', ['m', 3]), input('recorded', 'float', ['m', 3])];
    const program = createProgram({
      name: 'terms',
      inputs: [logits, recorded],
      outputs: { terms: partitionTerms(logits, recorded) },
    });
    const found = evaluate(program, {
      logits: numeric([2, 3], [1, 2, 30, -5, 0, 2]),
      recorded: numeric([2, 3], [0, 0, 1, 0, 0, 0]),
    })['terms']!.data;
    expect(found[0]).toBeCloseTo(Math.log(Math.E + Math.E ** 2), 12);
    expect(found[1]).toBeCloseTo(Math.log(Math.exp(-5) + 1 + Math.exp(2)), 12);
  });
});

describe('offsets of links', () => {
  it('are those of the formula, recorded tails or none', () => {
    const [known, unknown] = [facts.headsOf(1)[0]!, all.find((id) => facts.tails(id, 1).length === 0)!];
    const found = linkOffsets(
      calibration,
      partitions,
      facts,
      Int32Array.of(known, unknown),
      Int32Array.of(1, 1),
    );
    const tails = facts.tails(known, 1).length;
    expect(found[0]).toBeCloseTo(Math.log(0.8) + 0.7 * Math.log(tails) - partitions[1]!, 5);
    expect(found[1]).toBeCloseTo(Math.log(0.8) - partitions[1]!, 5);
  });
});

describe('the exclusivity of a relation', () => {
  /** `heads[e]` is how many heads entity e + 10 has under relation 0. */
  const withHeads = (...heads: readonly number[]): KnowledgeGraph =>
    createKnowledgeGraph({
      entityCount: 40,
      relationCount: 2,
      triples: Int32Array.from(
        heads.flatMap((count, e) => Array.from({ length: count }, (_, h) => [h, 0, 10 + e]).flat()),
      ),
    });
  const oneEach = withHeads(...new Array<number>(23).fill(1));

  it('is the share of tails with a second head, next to what is usual', () => {
    expect(exclusivityOf({ exclusivity: 1 }, oneEach, 0)).toBeCloseTo(8 / 24, 6);
    expect(exclusivityOf({ exclusivity: 2 }, oneEach, 0)).toBeCloseTo(1 / 9, 6);
    expect(exclusivityOf({ exclusivity: 0 }, oneEach, 0)).toBe(1);
    // The one head has every tail: nothing is said of how many heads it has under the inverse.
    expect(exclusivityOf({ exclusivity: 1 }, oneEach, 1)).toBe(1);
    const second = withHeads(2, 3, ...new Array<number>(28).fill(1));
    expect(exclusivityOf({ exclusivity: 1 }, second, 0)).toBeCloseTo(24 / 31, 6);
    const usual = withHeads(2, 3, 2, ...new Array<number>(20).fill(1));
    expect(exclusivityOf({ exclusivity: 1 }, usual, 0)).toBe(1);
  });

  it('lowers what is predicted for tails of another head alone, by links and by projections of sets', async () => {
    const same: SetGraphs = {
      links: async ({ heads }) => new Float32Array(40 * heads.length).fill(0.25),
      projectSet: async ({ recorded }) => recorded.slice(80),
      and: (left) => left,
      or: (left) => left,
      not: (set) => set,
    };
    const of = {
      calibration: { ...calibration, exclusivity: 1 },
      partitions: new Float32Array(2),
      facts: oneEach,
    };
    const [first, second] = [asEntityId(0), asEntityId(5)];
    const link = project(asRelationId(0), entity(second));
    const found = await answerSets(same, of, [link, project(asRelationId(0), link)]);
    const expected = Array.from({ length: 40 }, (_, e) => (e >= 10 && e < 33 ? Math.fround(8 / 24) : 1));
    expect([...found[0]!.degrees]).toEqual(expected.map((factor) => Math.fround(0.25 * factor)));
    expect([...found[1]!.degrees]).toEqual(expected);
    const [recorded] = await answerSets(same, of, [project(asRelationId(0), entity(first))]);
    expect(recorded!.degrees[12]).toBe(1);
  });
});

describe('the tails that are expected beyond the recorded ones', () => {
  it('grow with those up to the cap, and are the fewest where nothing is recorded', () => {
    const of = { weight: 0.1, exponent: 0.5, cap: 0.15 };
    const expected = expectedTails(of, facts, 1, entityCount);
    const counts = all.map((e) => facts.tails(e, 1).length);
    expect(new Set(counts).size).toBeGreaterThan(2);
    for (const e of all)
      expect(expected[e]).toBeCloseTo(Math.min(0.15, 0.1 * Math.sqrt(counts[e] === 0 ? 0.1 : counts[e]!)), 7);
  });
});
