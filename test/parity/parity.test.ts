import { compareNumbers, readGolden, readManifest, tolerancesOf } from '@fuzzqe/bundle';
import { createRandom } from '@fuzzqe/core';
import { logicNames } from '@fuzzqe/core/logic';
import { instantiate, type Query, type StructureName, structureNames, structures } from '@fuzzqe/core/query';
import { type BundleEngine, openEngine, planKinds } from '@fuzzqe/engine';
import {
  type Reference as BundleReference,
  openReference,
  type ParityCell,
  randomTree,
} from '@fuzzqe/parity';
import { compareGolden } from '@fuzzqe/parity/testing';
import { folderSource } from '@fuzzqe/serve';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCoverage } from '../fixtures/coverage.ts';
import { type FixtureBundle, fixtureBundle, weightKinds } from '../fixtures/fixture-bundle.ts';
import { createReference, type Reference } from '../fixtures/reference.ts';
import { onRuntime, runtimeNames } from '../fixtures/runtimes.ts';
import { difference, expectReference } from './compare-query.ts';

const axes = {
  structure: structureNames,
  logic: logicNames,
  runtime: runtimeNames,
  weights: weightKinds,
  by: planKinds,
  queries: ['golden', 'fresh'],
} as const;
const coverage = createCoverage(axes);
const { by: _, ...axesOfSets } = axes;
const setsCoverage = createCoverage(axesOfSets);

describe.each(weightKinds)('%s weights', (weights) => {
  describe.each(logicNames)('in %s logic', (logic) => {
    let bundle: FixtureBundle;
    let reference: Reference;
    let float64: BundleReference;
    beforeAll(async () => {
      bundle = await fixtureBundle(logic, weights);
      const { directory } = bundle;
      float64 = await openReference(directory, 'fp32', await readManifest(folderSource(directory)));
      reference = createReference(bundle);
    });
    afterAll(() => float64.close());
    const tolerances = tolerancesOf('fp32');
    const randomQueries = (structure: StructureName, count: number): Query[] => {
      const { template, anchors, relations } = structures[structure];
      const random = createRandom('parity', weights, logic, structure);
      const draw = (slots: number, below: number): number[] =>
        Array.from({ length: slots }, () => random.below(below));
      return Array.from({ length: count }, () =>
        instantiate(
          template,
          draw(anchors, bundle.config.entities),
          draw(relations, bundle.config.relations),
        ),
      );
    };

    describe.each(runtimeNames)('on %s', (runtime) => {
      let engine: BundleEngine;
      let golden: ParityCell;
      beforeAll(async () => {
        const { source, sessions } = onRuntime(runtime, bundle.directory);
        engine = await openEngine({ source, sessions });
        golden = await compareGolden(engine, await readGolden(source, engine.manifest, 'fp32'));
      });
      afterAll(() => engine.close());

      it('promises the tolerance that is tested here', () => {
        expect(engine.manifest.profiles['fp32']!.tolerances).toEqual(tolerances);
      });

      it.each(structureNames)('%s agrees with the golden cases, by every kind of plan', (structure) => {
        expect(golden.modes.embedding.compared).toBe(3 * structureNames.length * axes.by.length);
        for (const by of axes.by) {
          expect(golden.failures.filter((entry) => entry.structure === structure && entry.by === by)).toEqual(
            [],
          );
          coverage.executed({ structure, logic, runtime, weights, by, queries: 'golden' });
        }
      });

      it.each(structureNames)(
        '%s agrees with the reference on fresh queries by every kind of plan, and with itself',
        async (structure) => {
          const queries = randomQueries(structure, 6);
          const own = await expectReference(engine, reference, queries, 'structure');
          for (const by of axes.by) {
            const rankings = await expectReference(engine, reference, queries, by);
            coverage.executed({ structure, logic, runtime, weights, by, queries: 'fresh' });
            for (const [i, ranking] of own.entries())
              expect(difference(rankings[i]!, ranking)).toBeUndefined();
          }
        },
      );

      it.each(structureNames)('%s agrees with float64 by fuzzy sets, golden and fresh', async (structure) => {
        expect(
          golden.failures.filter((entry) => entry.structure === structure && entry.by === 'sets'),
        ).toEqual([]);
        setsCoverage.executed({ structure, logic, runtime, weights, queries: 'golden' });
        const { degree } = tolerances;
        const queries = randomQueries(structure, 6);
        const sets = await engine.degrees(queries);
        for (const [i, query] of queries.entries()) {
          const expected = (await float64.expect(query, 10)).set?.degrees;
          // Members that tie so nearly that runtimes may take others along.
          if (expected === undefined) continue;
          expect(compareNumbers(sets[i]!, expected, degree).failure).toBeUndefined();
          setsCoverage.executed({ structure, logic, runtime, weights, queries: 'fresh' });
        }
      });

      it('answers all structures in one run as each alone, within rounding', async () => {
        const queries = structureNames.flatMap((name) => randomQueries(name, 1));
        const mixed = await expectReference(engine, reference, queries, 'program');
        for (const [i, query] of queries.entries())
          for (const plan of ['program', 'structure'] as const) {
            const [alone] = await engine.rank([query], { k: bundle.config.entities, plan });
            expect(difference(mixed[i]!, alone!)).toBeUndefined();
          }
      });

      it('agrees with the reference on query trees of any shape', async () => {
        const random = createRandom('trees', weights, logic);
        const trees = Array.from({ length: 30 }, () => randomTree(bundle.config, 4, random));
        await expectReference(engine, reference, trees, 'operators');
      });
    });
  });
});

describe('the table of parity', () => {
  it('has no cell that was not compared', () => {
    expect(coverage.missing()).toEqual([]);
    expect(setsCoverage.missing()).toEqual([]);
  });

  it('names a cell that is skipped', () => {
    const small = createCoverage({ structure: ['1p', '2in'], logic: logicNames, runtime: runtimeNames });
    for (const structure of ['1p', '2in'] as const)
      for (const logic of logicNames)
        for (const runtime of runtimeNames)
          if (structure !== '2in' || logic !== 'godel' || runtime !== 'onnxruntime-web wasm')
            small.executed({ structure, logic, runtime });
    expect(small.missing()).toEqual(['2in · godel · onnxruntime-web wasm']);
  });
});
