import { createKnowledgeGraph } from '@fuzzqe/core';
import type { StructureName } from '@fuzzqe/core/query';
import { describe, expect, it } from 'vitest';
import {
  type Baseline,
  createFrequencyBaseline,
  createKnownFactsBaseline,
  createTraversalBaseline,
  structureOf,
} from '../index.ts';

/** 0 -r-> 2, 1 -r-> 2, 1 -r-> 3, 0 -s-> 3, with r = 0 and s = 2. */
const graph = createKnowledgeGraph({
  entityCount: 4,
  relationCount: 4,
  triples: Int32Array.of(0, 0, 2, 1, 0, 2, 1, 0, 3, 0, 2, 3),
});

async function score(baseline: Baseline, structure: StructureName, anchors: number[], relations: number[]) {
  return baseline.score(structureOf(structure), Int32Array.from(anchors), Int32Array.from(relations), 1);
}

function expectNear(scores: Float32Array, expected: readonly number[]): void {
  expect(scores).toHaveLength(expected.length);
  scores.forEach((value, i) => {
    expect(value).toBeCloseTo(expected[i]!, 6);
  });
}

// f_r: 3 edges, 2 to entity 2 and 1 to entity 3. f_s: 1 edge, to entity 3.
const r = [0.25 / 5, 0.25 / 5, 2.25 / 5, 1.25 / 5];
const s = [0.25 / 3, 0.25 / 3, 0.25 / 3, 1.25 / 3];

describe('the traversal baseline', () => {
  const baseline = createTraversalBaseline(graph);

  it('scores exact answers 1 and all others 0', async () => {
    expect([...(await score(baseline, '1p', [1], [0]))]).toEqual([0, 0, 1, 1]);
    expect([...(await score(baseline, '2p', [2], [1, 2]))]).toEqual([0, 0, 0, 1]);
    expect([...(await score(baseline, '2in', [1, 0], [0, 0]))]).toEqual([0, 0, 0, 1]);
  });

  it('takes batches', async () => {
    const scores = await baseline.score(structureOf('1p'), Int32Array.of(0, 1), Int32Array.of(0, 0), 2);
    expect([...scores]).toEqual([0, 0, 1, 0, 0, 0, 1, 1]);
  });
});

describe('the frequency baseline', () => {
  const baseline = createFrequencyBaseline(graph);

  it('ranks by the last relation, whatever the anchor and the relations before it', async () => {
    expectNear(await score(baseline, '1p', [0], [0]), r);
    expectNear(await score(baseline, '3p', [3], [3, 1, 2]), s);
    expectNear(await score(baseline, 'ip', [0, 1], [1, 3, 0]), r);
  });

  it('multiplies in a conjunction, adds in a disjunction and passes over negations', async () => {
    expectNear(
      await score(baseline, '2i', [0, 1], [0, 2]),
      r.map((value, i) => value * s[i]!),
    );
    expectNear(
      await score(baseline, '2u', [0, 1], [0, 2]),
      r.map((value, i) => value + s[i]!),
    );
    expectNear(await score(baseline, '2in', [0, 1], [0, 2]), r);
    expectNear(await score(baseline, 'pni', [0, 1], [0, 0, 2]), s);
  });
});

describe('the baseline of known facts', () => {
  const baseline = createKnownFactsBaseline(graph);

  it('puts what is known above what is frequent', async () => {
    expectNear(await score(baseline, '1p', [0], [0]), [r[0]!, r[1]!, 1, r[3]!]);
    // From 2 back along r to 0 and 1, and from 0 along s to 3.
    expectNear(await score(baseline, '2p', [2], [1, 2]), [s[0]!, s[1]!, s[2]!, 1]);
  });

  it('ranks the answers of one operand by what is known of the other', async () => {
    expectNear(await score(baseline, '2i', [0, 0], [0, 2]), [r[0]! * s[0]!, r[1]! * s[1]!, s[2]!, r[3]!]);
    expectNear(await score(baseline, '2u', [0, 0], [0, 2]), [s[0]!, s[1]!, 1, 1]);
  });

  it('excludes what is known to be excluded', async () => {
    expectNear(await score(baseline, '2in', [1, 0], [0, 0]), [r[0]!, r[1]!, 0, 1]);
  });
});
