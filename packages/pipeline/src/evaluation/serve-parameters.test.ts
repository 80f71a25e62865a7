import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import { type LogicName, logicNames } from '@fuzzqe/core/logic';
import { structureNames } from '@fuzzqe/core/query';
import { parseStructure, type QueryStructure, structureOf } from '@fuzzqe/data';
import { initialiseParameters, type ModelConfig, plainModel } from '@fuzzqe/model';
import { float64Scorer } from '@fuzzqe/train/testing';
import { describe, expect, it } from 'vitest';
import { scorerOf } from './open-checkpoint.ts';
import { serveParameters } from './serve-parameters.ts';

/** Odd sizes: no vector instruction and no block of a kernel divides them. */
const modelOf = (logic: LogicName, options: Partial<ModelConfig> = {}): ModelConfig => ({
  ...plainModel,
  ...{ logic, dimension: 38, bases: 5, entities: 203, relations: 14 },
  ...options,
});
const blocks = { relationForm: 'blocks', entityNormalisation: 'l1' } as const;

const own = parseStructure(
  'or(project(?r1, and(project(?r2, ?a1), not(project(?r3, ?a2)))), project(?r4, ?a3))',
);
const all: readonly QueryStructure[] = [...structureNames.map((name) => structureOf<string>(name)), own];

const random = createRandom('facts');
const graph = createKnowledgeGraph({
  ...{ entityCount: 203, relationCount: 14 },
  triples: Int32Array.from(
    Array.from({ length: 400 }, () => [
      Math.floor(203 * random.uniform() ** 2),
      random.below(14),
      random.below(203),
    ]).flat(),
  ),
});

describe.each(
  logicNames.flatMap((logic) => [
    modelOf(logic),
    modelOf(logic, blocks),
    modelOf(logic, { ...blocks, projectionInput: 'domain' }),
  ]),
)('parameters in $logic logic, by $relationForm, $projectionInput', (model) => {
  it('score all entities as float64 does, on every structure and in batches of any size', async () => {
    const parameters = initialiseParameters(model, createRandom('served', model.logic));
    const served = await serveParameters({ model, parameters, trained: graph, threads: 1 });
    const score = scorerOf(model.entities, served.similarities);
    const reference = float64Scorer(model, graph, parameters);
    const rows = 35;
    for (const structure of all) {
      const draw = (count: number, bound: number) => {
        const drawn = createRandom('queries', structure.name, bound);
        return Int32Array.from({ length: rows * count }, () => drawn.below(bound));
      };
      const anchors = draw(structure.anchors, model.entities);
      const relations = draw(structure.relations, model.relations);
      const found = await score(structure, anchors, relations, rows);
      const last = found.subarray((rows - 1) * model.entities);
      const [a, r] = [(rows - 1) * structure.anchors, (rows - 1) * structure.relations];
      const alone = [anchors.subarray(a), relations.subarray(r), 1] as const;
      const expected = await reference(structure, ...alone);
      expect(Math.max(...expected.map((value, e) => Math.abs(value - last[e]!)))).toBeLessThan(1e-5);
      const again = await score(structure, ...alone);
      // Where 8 does not divide d, a row's place decides which of its numbers a kernel takes together.
      expect(Math.max(...again.map((value, e) => Math.abs(value - last[e]!)))).toBeLessThan(1e-6);
    }
    await served.close();
  });
});
