import type { Golden } from '@fuzzqe/bundle';
import { asEntityId, createRandom } from '@fuzzqe/core';
import { entity, instantiate, structures } from '@fuzzqe/core/query';
import type { BundleEngine, TensorValue } from '@fuzzqe/engine';
import fc from 'fast-check';

/** Embeddings to put laws to the test on: those of trained queries and entities, and random ones. Shape: [n, d]. */
export async function embeddingPool(engine: BundleEngine, golden: Golden): Promise<TensorValue> {
  const { dimension, entities } = engine.manifest.model;
  const random = createRandom('embedding pool');
  const queries = golden.cases.map(({ structure, anchors, relations }) =>
    instantiate(structures[structure].template, anchors, relations),
  );
  const anchors = Array.from({ length: 16 }, () => entity(asEntityId(random.below(entities))));
  const trained = (await engine.rank([...queries, ...anchors], { k: 1 })).map(({ embedding }) => embedding);
  // A trained logistic model stays off 0 and 1, where most of what is special about a logic happens.
  const corners = Array.from({ length: 16 }, () =>
    Float32Array.from({ length: dimension }, () => [0, 1, 0.5, random.uniform()][random.below(4)]!),
  );
  const rows = [...trained, ...corners];
  return { dims: [rows.length, dimension], data: Float32Array.from(rows.flatMap((row) => [...row])) };
}

/** Chooses three times 16 embeddings of a pool. Shapes: pool [n, d] → 3 × [16, d]. */
export function operandsFrom(pool: TensorValue): fc.Arbitrary<TensorValue[]> {
  const [count, dimension] = [pool.dims[0]!, pool.dims[1]!];
  const rows = fc.array(fc.nat(count - 1), { minLength: 16, maxLength: 16 });
  return fc.tuple(rows, rows, rows).map((operands) => operands.map((chosen) => pick(chosen)));

  function pick(chosen: readonly number[]): TensorValue {
    const data = new Float32Array(chosen.length * dimension);
    chosen.forEach((row, i) => {
      data.set(pool.data.subarray(row * dimension, (row + 1) * dimension), i * dimension);
    });
    return { dims: [chosen.length, dimension], data };
  }
}
