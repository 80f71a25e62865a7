import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readGolden } from '@fuzzqe/bundle';
import { logicNames } from '@fuzzqe/core/logic';
import { instantiate, type Query, structures } from '@fuzzqe/core/query';
import { createSetLogic } from '@fuzzqe/core/sets';
import { add, createProgram, input, mul, scalar, type Tensor } from '@fuzzqe/core/tensor';
import { type BundleEngine, openEngine, type TensorValue } from '@fuzzqe/engine';
import { decodeOnnx, emitOnnx } from '@fuzzqe/onnx';
import {
  type Law,
  laws,
  lawTolerances,
  type OperatorGraphs,
  openOperatorGraphs,
  paperLaws,
  sidesOfDegrees,
  type Violation,
  violationOf,
} from '@fuzzqe/parity';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyOf } from '../fixtures/built-once.ts';
import { createCoverage } from '../fixtures/coverage.ts';
import { fixtureBundle } from '../fixtures/fixture-bundle.ts';
import { onRuntime, type RuntimeName, runtimeNames } from '../fixtures/runtimes.ts';
import { tolerances } from '../fixtures/tolerances.ts';
import { embeddingPool, operandsFrom } from './embedding-pool.ts';

/** A bundle on one runtime with its operators, embeddings that it made, and queries. */
interface Opened {
  readonly engine: BundleEngine;
  readonly graphs: OperatorGraphs;
  readonly pool: TensorValue;
  readonly queries: readonly Query[];
}

async function open(runtime: RuntimeName, directory: string, verify = true): Promise<Opened> {
  const { source, sessions } = onRuntime(runtime, directory);
  const engine = await openEngine({ source, sessions, verify });
  const { manifest } = engine;
  const golden = await readGolden(source, manifest, 'fp32');
  const pool = await embeddingPool(engine, golden);
  const queries = golden.cases.map(({ structure, anchors, relations }) =>
    instantiate(structures[structure].template, anchors, relations),
  );
  const graphs = await openOperatorGraphs({ sessions, source }, manifest.profiles['fp32']!, manifest.model);
  return { engine, graphs, pool, queries };
}

async function close({ engine, graphs }: Opened): Promise<void> {
  await graphs.close();
  await engine.close();
}

/** Looks for queries whose fuzzy sets break a law. */
async function violationByDegrees({ engine, queries }: Opened, law: Law): Promise<Violation | undefined> {
  let found: Violation | undefined;
  const some = fc.shuffledSubarray([...queries], { minLength: 3, maxLength: 3 });
  const property = fc.asyncProperty(some, async (operands) => {
    found = violationOf(law, await sidesOfDegrees(engine, law, operands), lawTolerances.ofDegrees);
    return found === undefined;
  });
  const { failed, errorInstance } = await fc.check(property, { seed: 8, numRuns: 6, endOnFailure: true });
  // A graph that fails to run breaks no law.
  if (failed && found === undefined) throw errorInstance;
  return found;
}

/** Looks in the pool for embeddings that break a law, for themselves or in their scores. */
async function violationByPool({ graphs, pool }: Opened, law: Law): Promise<Violation | undefined> {
  let found: Violation | undefined;
  const property = fc.asyncProperty(operandsFrom(pool), async (operands) => {
    const given = operands.slice(0, law.arity);
    found =
      violationOf(law, await graphs.onEmbeddings(law, given), tolerances.lawOfEmbeddings) ??
      violationOf(law, await graphs.onScores(law, given), lawTolerances.ofScores);
    return found === undefined;
  });
  const { failed, errorInstance } = await fc.check(property, { seed: 8, numRuns: 3, endOnFailure: true });
  // A graph that fails to run breaks no law.
  if (failed && found === undefined) throw errorInstance;
  return found;
}

/** A trained model of bases and a random one of blocks, whose scores and degrees are made otherwise. */
const weights = ['trained', 'blocks'] as const;

/** What embeddings lose by a negation other than 1 − a, beside non-contradiction of scores; fuzzy sets lose nothing. */
const lostByLambda: ReadonlySet<string> = new Set(['De Morgan for ∧', 'De Morgan for ∨']);

const coverage = createCoverage({
  law: laws.map(({ name }) => name),
  logic: logicNames,
  runtime: runtimeNames,
  weights,
});

describe.each(weights.flatMap((of) => logicNames.map((logic) => [of, logic] as const)))(
  'a model of %s weights in %s logic',
  (of, logic) => {
    describe.each(runtimeNames)('through the graphs on %s', (runtime) => {
      let opened: Opened;
      beforeAll(async () => {
        opened = await open(runtime, (await fixtureBundle(logic, of)).directory);
      });
      afterAll(() => close(opened));

      it.each(laws)('$name: $statement', async (law) => {
        const verdict = law.verdicts[logic];
        const found = await violationByPool(opened, law);
        if (opened.engine.manifest.model.negationLambda !== 0 && lostByLambda.has(law.name)) {
          expect(found).toBeDefined();
        } else if (verdict === 'holds') {
          expect(found).toBeUndefined();
        } else {
          // The law cannot hold here. Trained embeddings break it, and the named values do by a wide margin, in
          // every element and for every entity.
          expect(found).toBeDefined();
          const dimension = opened.pool.dims[1]!;
          const operands = verdict.map((value) => ({
            dims: [1, dimension],
            data: new Float32Array(dimension).fill(value),
          }));
          const { graphs } = opened;
          const ofEmbeddings = await graphs.onEmbeddings(law, operands);
          const ofScores = await graphs.onScores(law, operands);
          expect(violationOf(law, ofEmbeddings, tolerances.lawOfEmbeddings)?.gap).toBeGreaterThan(0.05);
          expect(violationOf(law, ofScores, lawTolerances.ofScores)?.gap).toBeGreaterThan(0.05);
        }
        coverage.executed({ law: law.name, logic, runtime, weights: of });
      });

      it.each(paperLaws)('$numeral, $name, of the degrees of queries: $statement', async (law) => {
        expect(await violationByDegrees(opened, law)).toBeUndefined();
      });

      it('joins fuzzy sets by the same ∧ and ∨ as embeddings, to the last bit', async () => {
        const { graphs, pool } = opened;
        const left = pool.data as Float32Array; // embeddings are float32
        const right = left.toReversed();
        const other = { dims: pool.dims, data: right };
        const { and, or } = createSetLogic(logic);
        expect(and(left, right)).toEqual((await graphs.conjunction(pool, other)).data);
        expect(or(left, right)).toEqual((await graphs.disjunction(pool, other)).data);
        // Another logic does not.
        const another = createSetLogic(logic === 'product' ? 'godel' : 'product');
        expect(another.and(left, right)).not.toEqual(and(left, right));
      });

      it('non-contradiction of scores: of two queries, the better one has the worse negation', async () => {
        const { graphs, pool } = opened;
        const scores = await graphs.scores(pool);
        const negated = await graphs.scores(await graphs.negation(pool));
        const [queries, entities] = [scores.dims[0]!, scores.dims[1]!];
        const { absolute } = lawTolerances.ofScores;
        let rising = 0;
        for (let e = 0; e < entities; e += 1)
          for (let i = e; i < queries * entities; i += entities)
            for (let j = e; j < queries * entities; j += entities)
              if (
                scores.data[i]! + absolute < scores.data[j]! &&
                !(negated.data[j]! < negated.data[i]! + absolute)
              )
                rising += 1;
        // Only 1 − a makes of a score that of its negation.
        if (opened.engine.manifest.model.negationLambda === 0) expect(rising).toBe(0);
        else expect(rising).toBeGreaterThan(0);
      });
    });
  },
);

describe.each(runtimeNames)('a graph that is not the operator it is called, on %s', (runtime) => {
  const [left, right] = [input('left', 'float', ['batch', 32]), input('right', 'float', ['batch', 32])];

  it.each<[string, Tensor]>([
    ['the average', mul(add(left, right), scalar(0.5))],
    ['the product and one part in a hundred thousand', add(mul(left, right), scalar(1e-5))],
  ])('%s as ∧ is found by conjunction elimination and associativity, and only by them', async (_, wrong) => {
    const directory = await copyOf(await fixtureBundle('product', 'trained'));
    const program = createProgram({
      name: 'conjunction',
      inputs: [left, right],
      outputs: { embedding: wrong },
    });
    const path = join(directory, 'models/fp32/conjunction.onnx');
    // It claims to be of this bundle: what is tested is that the laws find it.
    const { metadataProps } = decodeOnnx(await readFile(path));
    const metadata = Object.fromEntries(metadataProps.map(({ key, value = '' }) => [key, value]));
    await writeFile(path, emitOnnx(program, { metadata }));
    const opened = await open(runtime, directory, false);
    const caught: (string | undefined)[] = [];
    for (const law of paperLaws)
      if ((await violationByPool(opened, law)) !== undefined) caught.push(law.numeral);
    expect(caught).toEqual(['I', 'III']);
    await close(opened);
  });
});

it('every law was put to the test for every logic on every runtime', () => {
  expect(coverage.missing()).toEqual([]);
});
