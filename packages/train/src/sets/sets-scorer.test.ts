import { createKnowledgeGraph, createRandom, type KnowledgeGraph } from '@fuzzqe/core';
import { type LogicName, logicNames } from '@fuzzqe/core/logic';
import {
  entityEmbedding,
  initialiseParameters,
  type ModelConfig,
  numericParameters,
  outerProjection,
  type Parameters,
  trainedParameters,
} from '@fuzzqe/core/model';
import { structureNames, type Template } from '@fuzzqe/core/query';
import { type Calibration, certain, defaultCalibration } from '@fuzzqe/core/sets';
import { createProgram, evaluate, gather, input, numeric } from '@fuzzqe/core/tensor';
import { parseStructure, type QueryStructure, structureOf } from '@fuzzqe/data';
import { describe, expect, it } from 'vitest';
import { tinyConfig } from '../testing/tiny-run.ts';
import { fitCalibration } from './fit-calibration.ts';
import { degreesOf } from './fit-probability.ts';
import { linkCandidates } from './link-candidates.ts';
import { openSetsScorer } from './sets-scorer.ts';

const [entities, relations] = [43, 6];
const random = createRandom('sets');
const triples = Int32Array.from({ length: 3 * 90 }, (_, i) =>
  i % 3 === 1 ? 2 * (i % 5 === 0 ? 0 : 1 + random.below(relations / 2 - 1)) : random.below(entities),
);
const facts = createKnowledgeGraph({ entityCount: entities, relationCount: relations, triples });
const calibration = {
  ...defaultCalibration,
  // What core adds to what sessions compute, its own tests look at.
  neighbourWeight: 0,
  negationLambda: 2,
  certainMembers: 3,
  predictedMembers: 4,
  exponent: 0.7,
};
const modelOf = (logic: LogicName): ModelConfig => ({
  ...tinyConfig({}, logic).model,
  dimension: 12,
  bases: 3,
  entities,
  relations,
});
const blocksOf = (logic: LogicName): ModelConfig => ({
  ...modelOf(logic),
  ...{ relationForm: 'blocks', entityNormalisation: 'l1' },
});
/** Parameters of which links differ visibly. */
function parametersFor(model: ModelConfig, seed: string): Parameters {
  const start = initialiseParameters(model, createRandom(seed), 'paper');
  if (model.relationForm === 'bases') return start;
  return {
    entities: start.entities.map((x) => 6 * x),
    coefficients: start.coefficients.map((x) => 4 * x),
  };
}
const tree = parseStructure(
  'or(project(?r1, and(project(?r2, ?a1), not(project(?r3, ?a2)))), project(?r4, ?a3))',
);
const structures: readonly QueryStructure[] = [
  ...structureNames.map((name) => structureOf<string>(name)),
  tree,
];

const operators: Readonly<Record<LogicName, readonly [and: Join, or: Join]>> = {
  product: [(a, b) => a * b, (a, b) => a + b - a * b],
  godel: [Math.min, Math.max],
  lukasiewicz: [(a, b) => Math.max(a + b - 1, 0), (a, b) => Math.min(a + b, 1)],
};
type Join = (a: number, b: number) => number;

/** Vectors of entities and of links, in float64. */
function vectorsOf(model: ModelConfig, parameters: Parameters) {
  const trained = trainedParameters(model);
  const [heads, along] = [input('heads', 'int', ['n']), input('along', 'int', ['n'])];
  const table = entityEmbedding(model, trained.entities);
  const each = { ...trained, coefficients: gather(trained.coefficients, along) };
  const program = createProgram({
    name: 'links',
    inputs: [heads, along],
    outputs: { table, links: outerProjection(model, each, gather(table, heads)) },
  });
  const pairs = Array.from({ length: entities * relations }, (_, i) => i);
  const found = evaluate(program, {
    ...numericParameters(model, parameters),
    heads: numeric(
      [pairs.length],
      pairs.map((i) => Math.floor(i / relations)),
    ),
    along: numeric(
      [pairs.length],
      pairs.map((i) => i % relations),
    ),
  });
  const d = model.dimension;
  const row = (data: ArrayLike<number>, at: number): number[] =>
    Array.from({ length: d }, (_, i) => data[at * d + i]!);
  return {
    entity: (id: number) => row(found['table']!.data, id),
    link: (head: number, relation: number) => row(found['links']!.data, head * relations + relation),
  };
}

/** The degrees of a query's answers in plain loops, as docs/model.md (9) and (10) have them. */
function answer(
  model: ModelConfig,
  vectors: ReturnType<typeof vectorsOf>,
  recorded: KnowledgeGraph,
  settings: Calibration,
  partitions: Float32Array,
  template: Template,
  anchors: ArrayLike<number>,
  along: ArrayLike<number>,
): number[] {
  const all = Array.from({ length: entities }, (_, id) => id);
  const [and, or] = operators[model.logic];
  const predicted = (head: number, relation: number, id: number): number => {
    const tails = Math.max(recorded.tails(head, relation).length, 1);
    const logit = settings.temperature * likeness(model, vectors, head, relation, id) - partitions[relation]!;
    return Math.min(
      settings.cap,
      Math.max(1e-12, settings.weight * tails ** settings.exponent * Math.exp(logit)),
    );
  };
  const project = (set: number[], relation: number): number[] => {
    const promise = all.map((head) => {
      const tails = Math.max(recorded.tails(head, relation).length, 0.1);
      return set[head]! * Math.fround(Math.min(settings.cap, settings.weight * tails ** settings.exponent));
    });
    const sorted = all.toSorted((a, b) => promise[b]! - promise[a]! || a - b).filter((id) => set[id]! > 0);
    const sure = sorted.filter((id) => set[id]! >= certain);
    const likely = sorted.filter((id) => set[id]! < certain).slice(0, settings.predictedMembers);
    const taken = [...sure.slice(0, settings.certainMembers), ...likely];
    return all.map((id) => {
      const through = taken.map((head) => and(set[head]!, predicted(head, relation, id)));
      const known = sorted.filter((head) => recorded.has(head, relation, id));
      const added = known.filter((head) => sure.includes(head) || likely.includes(head));
      const best = Math.max(0, ...through, ...known.map((head) => set[head]!));
      const total = [...through, ...added.map((head) => set[head]!)].reduce((sum, each) => sum + each, 0);
      return or(best, 1 - Math.exp(-settings.support * Math.max(total - best, 0)));
    });
  };
  const walk = (node: Template): number[] => {
    switch (node.op) {
      case 'entity':
        return all.map((id) => (id === anchors[node.anchor]! ? 1 : 0));
      case 'project':
        return project(walk(node.from), along[node.relation]!);
      case 'not':
        return walk(node.operand).map((degree) => (1 - degree) / (1 + settings.negationLambda * degree));
      default: {
        const join = node.op === 'and' ? and : or;
        return node.operands.map(walk).reduce((a, b) => a.map((degree, id) => join(degree, b[id]!)));
      }
    }
  };
  return walk(template);
}

/** cos(P_r(p_h), p_e); with blocks Σ_i (2 P_r(p_h)(i) − 1)(d p_e(i) − 1). */
function likeness(
  { relationForm, dimension }: ModelConfig,
  vectors: ReturnType<typeof vectorsOf>,
  head: number,
  relation: number,
  id: number,
): number {
  const dot = (a: number[], b: number[]): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
  const [vector, entity] = [vectors.link(head, relation), vectors.entity(id)];
  return relationForm === 'blocks'
    ? dot(
        vector.map((x) => 2 * x - 1),
        entity.map((x) => dimension * x - 1),
      )
    : dot(vector, entity) / Math.sqrt(dot(vector, vector) * dot(entity, entity));
}

/** Likenesses of links and entities, for log-partitions. */
function plainTerm(
  model: ModelConfig,
  vectors: ReturnType<typeof vectorsOf>,
  temperature: number,
  head: number,
  relation: number,
): number {
  let total = 0;
  for (let id = 0; id < entities; id += 1) {
    if (facts.has(head, relation, id)) continue;
    total += Math.exp(temperature * likeness(model, vectors, head, relation, id));
  }
  return Math.log(total);
}

const draw = (count: number, bound: number): Int32Array =>
  Int32Array.from({ length: count }, () => random.below(bound));

describe.each(logicNames.flatMap((logic) => [modelOf(logic), blocksOf(logic)]))(
  'answers by fuzzy sets, $logic logic, by $relationForm',
  (model) => {
    it('are those of plain loops, for the 14 structures and a tree of its own', async () => {
      const parameters = parametersFor(model, model.logic);
      const vectors = vectorsOf(model, parameters);
      const empty = createKnowledgeGraph({
        entityCount: entities,
        relationCount: relations,
        triples: Int32Array.of(0, 0, 1),
      });
      const sets = await openSetsScorer({ model, parameters, facts, threads: 1 });
      const partitions = await sets.partitions(calibration.temperature);
      let differ = 0;
      for (const structure of structures) {
        const anchors = draw(2 * structure.anchors, entities);
        const along = draw(2 * structure.relations, relations);
        const scores = await sets.score(calibration)(structure, anchors, along, 2);
        for (const row of [0, 1]) {
          const slots = [
            anchors.subarray(row * structure.anchors, (row + 1) * structure.anchors),
            along.subarray(row * structure.relations, (row + 1) * structure.relations),
          ] as const;
          const expected = answer(
            model,
            vectors,
            facts,
            calibration,
            partitions,
            structure.template,
            ...slots,
          );
          const got = Array.from(scores.subarray(row * entities, (row + 1) * entities));
          got.forEach((degree, id) => {
            expect(Math.abs(degree - expected[id]!)).toBeLessThan(2e-5);
          });
          const forgotten = answer(
            model,
            vectors,
            empty,
            calibration,
            partitions,
            structure.template,
            ...slots,
          );
          if (got.some((degree, id) => Math.abs(degree - forgotten[id]!) > 1e-2)) differ += 1;
        }
      }
      await sets.close();
      // Without the facts most answers are others: the comparison can fail.
      expect(differ).toBeGreaterThan(10);
    });
  },
);

describe('log-partitions', () => {
  it.each([
    ['bases', modelOf('product'), {}],
    ['blocks', blocksOf('product'), {}],
    ['blocks, counted in steps', blocksOf('product'), { manyEntities: 1 }],
  ] as const)(
    'are means over recorded heads of what is not recorded, measured once a temperature: %s',
    async (_, model, options) => {
      const parameters = parametersFor(model, 'partitions');
      const vectors = vectorsOf(model, parameters);
      const sets = await openSetsScorer({ model, parameters, facts, threads: 1, ...options });
      const [cool, warm] = [await sets.partitions(12), await sets.partitions(30)];
      expect(await sets.partitions(12)).toBe(cool);
      await sets.close();
      const all = Array.from({ length: relations }, (_, relation) => relation);
      const few = all.filter((relation) => facts.headsOf(relation).length <= 16);
      expect(few.length).toBeGreaterThan(0);
      for (const [temperature, found] of [
        [12, cool],
        [30, warm],
      ] as const)
        for (const relation of few) {
          const terms = Array.from(facts.headsOf(relation), (head) =>
            plainTerm(model, vectors, temperature, head, relation),
          );
          const mean = terms.reduce((sum, term) => sum + term, 0) / terms.length;
          expect(Math.abs(found[relation]! - mean)).toBeLessThan('manyEntities' in options ? 1e-2 : 1e-4);
        }
    },
  );
});

describe('candidates of links', () => {
  /** All candidates of a link with one held-out fact, and what one link of them is compared with. */
  const heldOut = [5, 17, 30].flatMap((head, i) =>
    [0, 2, 4].map((relation) => [head, relation, (head + 7 * i + relation) % entities] as const),
  );

  it.each([
    ['bases', modelOf('product'), 1],
    ['blocks', blocksOf('product'), 1],
    ['blocks of steep links', { ...blocksOf('product'), dimension: 96 }, 12],
  ] as const)(
    'have the cosines of the model and the degrees that are answered: %s',
    async (_, model, steep) => {
      const start = parametersFor(model, 'candidates');
      const parameters = {
        ...{ ...start, entities: start.entities.map((x) => steep * x) },
        coefficients: start.coefficients.map((x) => steep * x),
      };
      const vectors = vectorsOf(model, parameters);
      const sets = await openSetsScorer({ model, parameters, facts, threads: 1 });
      const settings = { ...defaultCalibration, exclusivity: 0.5, neighbourWeight: 0.3 };
      const partitions = await sets.partitions(settings.temperature);
      const score = sets.score(settings);
      const descending = (values: Iterable<number>) => Array.from(values).sort((a, b) => b - a);
      let [largest, voted] = [0, 0];
      for (const fact of heldOut) {
        const { candidates } = await linkCandidates({
          ...{ sets, recorded: facts, heldOut: Int32Array.from(fact), links: 9, best: entities },
          random: createRandom('candidates'),
        });
        const [head, relation] = fact;
        const ofLink = candidates.filter((each) => each.relation === relation);
        const open = Array.from({ length: entities }, (_, id) => id).filter(
          (id) => !facts.has(head, relation, id),
        );
        const likenesses = open.map((id) => likeness(model, vectors, head, relation, id));
        expect(ofLink.map(({ place }) => place)).toEqual([...open.keys()]);
        descending(likenesses).forEach((expected, i) => {
          expect(Math.abs(ofLink[i]!.cosine - expected)).toBeLessThan(1e-4 * Math.max(1, Math.abs(expected)));
        });
        const served = await score(
          structureOf<string>('1p'),
          Int32Array.of(head),
          Int32Array.of(relation),
          1,
        );
        const degrees = descending(degreesOf(model.logic, settings, partitions, ofLink));
        descending(open.map((id) => served[id]!)).forEach((expected, i) => {
          expect(degrees[i]).toBeCloseTo(expected, 4);
        });
        largest = Math.max(largest, ...likenesses.map(Math.abs));
        voted += ofLink.filter(({ neighbourShare }) => neighbourShare > 0).length;
      }
      await sets.close();
      expect(voted).toBeGreaterThan(0);
      // At the default temperature their shares would leave what degrees may be.
      if (steep > 1) expect(largest).toBeGreaterThan(3);
    },
  );
});

describe('a calibration', () => {
  it('is not fitted without validation queries', async () => {
    const fitted = fitCalibration({
      queries: [],
      entityCount: entities,
      score: () => async () => new Float32Array(0),
    });
    await expect(fitted).rejects.toThrow('expected validation queries');
  });

  const structure = structureOf('1p');
  const lists = (...ids: number[]) => ({
    offsets: Int32Array.of(0, ids.length),
    ids: Int32Array.from(ids),
  });
  const queries = [
    {
      ...{ structure: '1p', shape: structure, count: 1 },
      ...{ anchors: Int32Array.of(0), relations: Int32Array.of(0), easy: lists(), hard: lists(0) },
    },
  ];
  /** A scorer that ranks the one hard answer so many places below the first. */
  const placing = (rankOf: (calibration: Calibration) => number) => (calibration: Calibration) => async () =>
    Float32Array.from({ length: entities }, (_, id) => (id === 0 ? 9.5 - rankOf(calibration) : 10 - id));

  it('climbs from the best of its starts to where no step gains, and says what the first had', async () => {
    // Fourth, two places up at 5 to 12, and one up where the support is 0.1.
    const score = placing(
      ({ temperature, support }) =>
        (temperature >= 5 && temperature <= 12 ? 1 : 3) - (support === 0.1 ? 1 : 0),
    );
    const fitted = await fitCalibration({ queries, entityCount: entities, score });
    expect([fitted.calibration.temperature, fitted.calibration.support]).toEqual([8, 0.1]);
    expect([fitted.startMrr, fitted.mrr]).toEqual([1 / 3, 1]);
    const one = await fitCalibration({
      ...{ queries, entityCount: entities, score },
      starts: [{ ...defaultCalibration, temperature: 70, support: 0.03 }],
    });
    expect([one.calibration.temperature, one.startMrr, one.mrr]).toEqual([70, 0.25, 1 / 3]);
  });

  it('finds a low temperature and a large weight, which gain together alone', async () => {
    const score = placing(({ temperature, weight }) => (temperature <= 1.4 && weight >= 0.3 ? 0 : 2));
    const { calibration: found, mrr } = await fitCalibration({ queries, entityCount: entities, score });
    expect([found.temperature, found.weight, mrr]).toEqual([1, 0.3, 1]);
  });
});
