import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import { logicNames } from '@fuzzqe/core/logic';
import { materialise } from '@fuzzqe/export';
import { beforeAll, describe, expect, it } from 'vitest';
import { copyOf } from '../fixtures/built-once.ts';
import { type FixtureBundle, fixtureBundle, weightKinds } from '../fixtures/fixture-bundle.ts';
import { randomModel } from '../fixtures/random-model.ts';
import { type OracleBundle, readOracleBundle } from './bundle.ts';
import { best, domainOf, embedding, entityVector, type OracleModel, relationOf, scoresOf } from './model.ts';
import { oracleQuery, oracleStructures } from './query.ts';
import { setOf } from './sets.ts';

/** Numbers that differ by more than the order of float64 sums; layer normalisation scales rounding up. */
function farApart(got: readonly number[], expected: readonly number[], allowed = 1e-11): unknown[] {
  expect(got).toHaveLength(expected.length);
  return got.flatMap((value, i) =>
    Math.abs(value - expected[i]!) <= allowed * (1 + Math.abs(expected[i]!))
      ? []
      : [{ i, value, expected: expected[i] }],
  );
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe.each(weightKinds)('a bundle of %s weights', (weights) => {
  describe.each(logicNames)('in %s logic', (logic) => {
    let fixture: FixtureBundle;
    let bundle: OracleBundle;
    beforeAll(async () => {
      fixture = await fixtureBundle(logic, weights);
      bundle = readOracleBundle(fixture.directory);
    });

    it('has golden cases that follow from its weights', () => {
      const { model, tables, golden, inverseLengths } = bundle;
      const products: OracleModel = { ...model, score: 'innerProduct' };
      // Cosines are made with the lengths that are stored.
      const lengths = model.score === 'cosine' ? inverseLengths : undefined;
      expect(new Set(golden.cases.map(({ structure }) => structure))).toEqual(
        new Set(Object.keys(oracleStructures)),
      );
      for (const { structure, anchors, relations, ...expected } of golden.cases) {
        const embedded = embedding(model, tables, oracleQuery(structure, anchors, relations));
        // With blocks the mean of S counts by 1, which p_e sums to but for its rounding.
        const centre = model.relationForm === 'blocks' ? meanOf(embedded) : 0;
        const beyond = embedded.map((value) => value - centre);
        const scores = scoresOf(products, tables, beyond).map(
          (score, e) => centre + score * (lengths?.[e] ?? 1),
        );
        const ids = best(scores, golden.k);
        expect(farApart(expected.embedding, embedded)).toEqual([]);
        expect(
          farApart(
            expected.scores,
            ids.map((id) => scores[id]!),
          ),
        ).toEqual([]);
        // Entities that tie up to rounding may have changed places.
        expect(
          farApart(
            expected.ids.map((id) => scores[id]!),
            ids.map((id) => scores[id]!),
          ),
        ).toEqual([]);
        expect(new Set(expected.ids).size).toBe(golden.k);
      }
    });

    it('has golden sets that follow from its weights, facts and evidence', () => {
      const { model, tables, golden, sets: evidence } = bundle;
      // One set of a structure: the oracle takes a second for the sets of a projected set.
      const compared = golden.cases.filter(
        ({ structure, sets }, i) =>
          sets !== null &&
          golden.cases.findIndex((other) => other.structure === structure && other.sets !== null) === i,
      );
      expect(new Set(compared.map(({ structure }) => structure))).toEqual(
        new Set(Object.keys(oracleStructures)),
      );
      for (const { structure, anchors, relations, sets } of compared) {
        const query = oracleQuery(structure, anchors, relations);
        const degrees = setOf(model, tables, evidence, query);
        const expected = best(degrees, golden.k).map((id) => degrees[id]!);
        // The logits of links and sets between operators are rounded to float32.
        expect(farApart(sets!.degrees, expected, 3e-6)).toEqual([]);
        expect(
          farApart(
            sets!.ids.map((id) => degrees[id]!),
            expected,
            3e-6,
          ),
        ).toEqual([]);
        expect(new Set(sets!.ids).size).toBe(golden.k);
      }
    });

    it('has the inverse lengths of its entities where they are not 1', () => {
      const { model, tables, inverseLengths } = bundle;
      const none = model.relationForm === 'blocks' || model.entityNormalisation === 'l2';
      expect(inverseLengths === undefined).toBe(none);
      inverseLengths?.forEach((got, e) => {
        const squares = tables.entities[e]!.reduce((sum, value) => sum + value * value, 1e-12);
        expect(Math.abs(got * Math.sqrt(squares) - 1)).toBeLessThan(1e-7);
      });
    });

    it('has the weights of its checkpoint, each rounded to float32 once', () => {
      const { config: model, parameters } = fixture;
      // as: fixtures are of FuzzQE.
      const config = model as typeof model & { relationForm: 'bases' | 'blocks' };
      const half = 2 ** -24 * (1 + 1e-6);
      const rounded = (got: readonly number[], expected: readonly number[]): number =>
        got.findIndex(
          (value, i) => !(Math.abs(value - expected[i]!) <= half * Math.abs(expected[i]!) + 2 ** -140),
        );
      bundle.tables.entities.forEach((row, id) => {
        expect(rounded(row, entityVector(config, parameters, id))).toBe(-1);
      });
      for (let id = 0; id < config.relations; id += 1) {
        const [got, expected] = [bundle.tables.relation(id), relationOf(config, parameters, id)];
        expect(rounded(got.weights.flat(), expected.weights.flat())).toBe(-1);
        expect(rounded(got.bias, expected.bias)).toBe(-1);
      }
    });

    it('has the heads of its facts, where projections start from their centroids', () => {
      const { model, tables } = bundle;
      const { facts } = bundle.sets;
      expect(model.projectionInput === 'domain').toBe(weights === 'blocks' && logic === 'product');
      if (model.projectionInput !== 'domain') return;
      for (let id = 0; id < model.relations; id += 1) {
        const { heads, tails } = tables.domain(id);
        const count = tails.indexOf(0);
        const own = { heads: heads.slice(0, count), tails: tails.slice(0, count) };
        expect(own).toEqual(domainOf(model, facts, id));
        expect(heads.slice(count)).toEqual(heads.slice(count).fill(heads[0]!));
      }
    });

    it('has the numbers that export computes', () => {
      const { config, parameters } = fixture;
      const blocks = materialise(config, parameters);
      const all = (name: string): number[] => [...blocks.get(name)!()].flatMap((block) => Array.from(block));
      const relations = Array.from({ length: config.relations }, (_, id) => bundle.tables.relation(id));
      expect(all('entityEmbeddings')).toEqual(bundle.tables.entities.flat());
      if (config.relationForm === 'blocks') {
        expect(all('relationBlocks')).toEqual(Array.from(parameters.coefficients));
        return;
      }
      expect(all('relationWeights')).toEqual(relations.flatMap((relation) => relation.weights.flat()));
      expect(all('relationBiases')).toEqual(relations.flatMap((relation) => relation.bias));
    });
  });
});

describe('a bundle of a random graph', () => {
  const { graph } = randomModel('product');

  it('has its facts, sorted and once each', async () => {
    const { facts } = readOracleBundle((await fixtureBundle('product', 'random')).directory).sets;
    const keys = facts.map(([h, r, t]) => (h * graph.relationCount + r) * graph.entityCount + t);
    expect(keys).toEqual([...new Set(keys)].sort((a, b) => a - b));
    expect(facts.every(([, relation]) => relation % 2 === 0)).toBe(true);
    expect(2 * facts.length).toBe(graph.edgeCount);
  });

  it('has its names', async () => {
    const { entities, relations, prefixes } = readOracleBundle(
      (await fixtureBundle('product', 'random')).directory,
    );
    expect(entities.map(({ id }) => id)).toEqual(Array.from({ length: graph.entityCount }, (_, id) => id));
    expect(relations.map(({ id }) => id)).toEqual(
      Array.from({ length: graph.relationCount / 2 }, (_, k) => 2 * k),
    );
    for (const { id, key, label } of entities)
      expect({ key, label }).toEqual({ key: `e${id}`, label: `e ${id}` });
    expect([...prefixes]).toEqual([['ex:', 'e']]);
  });

  it('is refused with one bit of its weights changed, and differs without its digests', async () => {
    const fixture = await fixtureBundle('product', 'random');
    const directory = await copyOf(fixture);
    const path = join(directory, 'models/fp32/weights.bin');
    const bytes = await readFile(path);
    const at = createRandom('damage').below(bytes.length);
    bytes[at] = bytes[at]! ^ 1;
    await writeFile(path, bytes);
    expect(() => readOracleBundle(directory)).toThrow('weights.bin was altered');
  });
});
