import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import { type LogicName, logicNames } from '@fuzzqe/core/logic';
import {
  centroidsIn,
  embedTemplate,
  entityEmbedding,
  initialiseParameters,
  logicOf,
  type ModelConfig,
  numericParameters,
  type Parameters,
  relationDomains,
  relationProjection,
  relationWeights,
  scores,
  trainedParameters,
} from '@fuzzqe/core/model';
import { structureNames } from '@fuzzqe/core/query';
import { createProgram, evaluate, gather, input, numeric } from '@fuzzqe/core/tensor';
import { parseStructure, type QueryStructure, structureOf } from '@fuzzqe/data';
import { describe, expect, it } from 'vitest';
import { tinyConfig } from '../testing/tiny-run.ts';
import { createScorer } from './scorer.ts';

/** Odd sizes: no vector instruction and no block of a kernel divides them. */
const modelOf = (logic: LogicName, dimension = 37): ModelConfig => ({
  ...tinyConfig({}, logic).model,
  dimension,
  bases: 5,
  entities: 203,
  relations: 14,
});

const own = parseStructure(
  'or(project(?r1, and(project(?r2, ?a1), not(project(?r3, ?a2)))), project(?r4, ?a3))',
);
const all: readonly QueryStructure[] = [...structureNames.map((name) => structureOf<string>(name)), own];

/** Facts whose relations have heads of their own, each with another number of tails. */
function graphOf({ entities, relations }: ModelConfig) {
  const random = createRandom('facts');
  const triples = Array.from({ length: 400 }, () => [
    Math.floor(entities * random.uniform() ** 2),
    random.below(relations),
    random.below(entities),
  ]).flat();
  return createKnowledgeGraph({
    entityCount: entities,
    relationCount: relations,
    triples: Int32Array.from(triples),
  });
}

function queriesOf(structure: QueryStructure, model: ModelConfig, rows: number) {
  const random = createRandom('queries', structure.name);
  const draw = (count: number, bound: number) =>
    Int32Array.from({ length: count }, () => random.below(bound));
  return {
    anchors: draw(rows * structure.anchors, model.entities),
    relations: draw(rows * structure.relations, model.relations),
  };
}

/** The scores of one query in float64, by the model's own formulas. */
function reference(
  model: ModelConfig,
  parameters: Parameters,
  { template }: QueryStructure,
  anchors: Int32Array,
  relations: Int32Array,
): ArrayLike<number> {
  const trained = trainedParameters(model);
  const weights = relationWeights(model, trained);
  const table = entityEmbedding(model, trained.entities);
  const slots = [
    ...Array.from(anchors, (id, slot) => [`anchor ${slot}`, id] as const),
    ...Array.from(relations, (id, slot) => [`relation ${slot}`, id] as const),
  ];
  const ids = (name: string) => input(name, 'int', [1]);
  const centroid = centroidsIn(model, table, relationDomains(graphOf(model)));
  const query = embedTemplate(logicOf(model), template, {
    anchor: (slot) => gather(table, ids(`anchor ${slot}`)),
    project: (slot, from) => relationProjection(model, weights, from, ids(`relation ${slot}`)),
    centroid: centroid && ((slot, from) => centroid(from, ids(`relation ${slot}`))),
  });
  const program = createProgram({
    name: 'reference',
    inputs: slots.map(([name]) => ids(name)),
    outputs: { all: scores(model, query, table) },
  });
  return evaluate(program, {
    ...numericParameters(model, parameters),
    ...Object.fromEntries(slots.map(([name, id]) => [name, numeric([1], Int32Array.of(id))])),
  })['all']!.data;
}

const blocksOf = (logic: LogicName): ModelConfig => ({
  ...modelOf(logic, 38),
  ...{ relationForm: 'blocks', entityNormalisation: 'l1' },
});

const centroidsOf = (logic: LogicName): ModelConfig => ({
  ...blocksOf(logic),
  projectionInput: 'domain',
});

describe.each(logicNames.flatMap((logic) => [modelOf(logic), blocksOf(logic), centroidsOf(logic)]))(
  'the scorer in $logic logic, by $relationForm, $projectionInput',
  (model) => {
    const parameters = initialiseParameters(model, createRandom('scorer', model.logic));

    it('agrees with the float64 reference on every structure', async () => {
      const scorer = await createScorer(model, graphOf(model), 1);
      await scorer.load(parameters);
      for (const structure of all) {
        const { anchors, relations } = queriesOf(structure, model, 2);
        const found = await scorer.score(structure, anchors, relations, 2);
        const last = reference(
          model,
          parameters,
          structure,
          anchors.subarray(structure.anchors),
          relations.subarray(structure.relations),
        );
        const errors = Array.from(last, (value, entity) => Math.abs(value - found[model.entities + entity]!));
        expect(Math.max(...errors)).toBeLessThan(1e-5);
      }
      await scorer.close();
    });
  },
);

describe('scores', () => {
  const model = modelOf('product');
  const parameters = initialiseParameters(model, createRandom('scorer'));
  // More than the largest part, and no multiple of any.
  const rows = 71;

  // Beyond 128 dimensions a product is summed in blocks, whose size a kernel chooses.
  it.each([37, 160])('are the same for every batch size and number of threads, at d = %i', async (d) => {
    const model = modelOf('product', d);
    const parameters = initialiseParameters(model, createRandom('scorer'));
    const [one, three] = [
      await createScorer(model, graphOf(model), 1),
      await createScorer(model, graphOf(model), 3),
    ];
    for (const scorer of [one, three]) await scorer.load(parameters);
    for (const structure of all) {
      const { anchors, relations } = queriesOf(structure, model, rows);
      const { anchors: a, relations: r } = structure;
      const whole = await one.score(structure, anchors, relations, rows);
      expect(await three.score(structure, anchors, relations, rows)).toEqual(whole);
      for (const size of [1, 7, 64]) {
        const parts: number[] = [];
        for (let start = 0; start < rows; start += size) {
          const end = Math.min(rows, start + size);
          parts.push(
            ...(await one.score(
              structure,
              anchors.subarray(start * a, end * a),
              relations.subarray(start * r, end * r),
              end - start,
            )),
          );
        }
        expect(Float32Array.from(parts)).toEqual(whole);
      }
    }
    await Promise.all([one.close(), three.close()]);
  });

  it('are refused before there are parameters, and follow them', async () => {
    const scorer = await createScorer(model, graphOf(model), 1);
    const { anchors, relations } = queriesOf(structureOf<string>('2p'), model, 3);
    await expect(scorer.score('2p', anchors, relations, 3)).rejects.toMatchObject({ code: 'shape' });
    await scorer.load(parameters);
    const before = await scorer.score('2p', anchors, relations, 3);
    await scorer.load(initialiseParameters(model, createRandom('other')));
    expect(await scorer.score('2p', anchors, relations, 3)).not.toEqual(before);
    await scorer.load(parameters);
    expect(await scorer.score('2p', anchors, relations, 3)).toEqual(before);
    await scorer.close();
  });
});
