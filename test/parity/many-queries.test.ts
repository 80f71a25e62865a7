import { createRandom } from '@fuzzqe/core';
import { logicNames } from '@fuzzqe/core/logic';
import { instantiate, type Query, structureNames, structures } from '@fuzzqe/core/query';
import { type BundleEngine, openEngine, type PlanChoice, type Ranking } from '@fuzzqe/engine';
import { randomTree } from '@fuzzqe/parity';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixtureBundle } from '../fixtures/fixture-bundle.ts';
import { createReference, type Reference } from '../fixtures/reference.ts';
import { onRuntime, runtimeNames } from '../fixtures/runtimes.ts';
import { difference, expectReference } from './compare-query.ts';

/** Compares two answers to the same queries: which vectors are not equal bit by bit, and which answers differ. */
function differences([one, other]: readonly [readonly Ranking[], readonly Ranking[]]): {
  readonly bits: number[];
  readonly answers: number[];
} {
  const places = one.map((_, i) => i);
  return {
    bits: places.filter(
      (i) => !Buffer.from(one[i]!.embedding.buffer).equals(Buffer.from(other[i]!.embedding.buffer)),
    ),
    answers: places.filter((i) => difference(one[i]!, other[i]!) !== undefined),
  };
}

describe.each(logicNames)('many queries of every structure at once, in %s logic,', (logic) => {
  describe.each(runtimeNames)('on %s', (runtime) => {
    let engine: BundleEngine;
    let reference: Reference;
    let queries: Query[];
    beforeAll(async () => {
      const bundle = await fixtureBundle(logic, 'trained');
      reference = createReference(bundle);
      engine = await openEngine(onRuntime(runtime, bundle.directory));
      const random = createRandom('many queries', logic);
      const draw = (count: number, below: number): number[] =>
        Array.from({ length: count }, () => random.below(below));
      queries = Array.from({ length: 5 * structureNames.length }, (_, i) => {
        const { template, anchors, relations } = structures[structureNames[i % structureNames.length]!];
        return instantiate(
          template,
          draw(anchors, bundle.config.entities),
          draw(relations, bundle.config.relations),
        );
      });
    });
    afterAll(() => engine.close());
    const rank = (asked: readonly Query[], plan: PlanChoice): Promise<Ranking[]> =>
      engine.rank(asked, { plan });

    it.each(['program', 'operators'] as const)(
      '%s: as float64, and bit by bit as the structure graph',
      async (plan) => {
        const together = await expectReference(engine, reference, queries, plan);
        expect(together).toHaveLength(70);
        const alone: Ranking[] = [];
        for (const query of queries) alone.push(...(await rank([query], 'structure')));
        expect(differences([await rank(queries, plan), alone])).toEqual({ bits: [], answers: [] });
      },
    );

    it('operators: any trees together as each alone, bit by bit', async () => {
      const random = createRandom('many trees', logic);
      const trees = Array.from({ length: 60 }, () => randomTree(engine.manifest.model, 4, random));
      const alone: Ranking[] = [];
      for (const query of trees) alone.push(...(await rank([query], 'operators')));
      expect(differences([await rank(trees, 'operators'), alone])).toEqual({ bits: [], answers: [] });
    });

    it('shows a query in the place of another', async () => {
      const [one, other] = [await rank(queries, 'operators'), await rank(queries.toReversed(), 'operators')];
      expect(differences([one, other]).bits.length).toBeGreaterThan(60);
    });
  });
});
