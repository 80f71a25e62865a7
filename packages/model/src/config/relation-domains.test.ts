import { createKnowledgeGraph } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { domainHeads, domainShape, relationDomains } from './relation-domains.ts';

/** The tables of a graph, a row for each relation. */
function rowsOf(entityCount: number, relationCount: number, triples: readonly (readonly number[])[]) {
  const { heads, tails } = relationDomains(
    createKnowledgeGraph({ entityCount, relationCount, triples: Int32Array.from(triples.flat()) }),
  );
  const [, width] = domainShape({ relations: relationCount, entities: entityCount });
  return Array.from({ length: relationCount }, (_, r) => ({
    heads: Array.from(heads.subarray(r * width, (r + 1) * width)),
    tails: Array.from(tails.subarray(r * width, (r + 1) * width)),
  }));
}

describe('the domain of a relation', () => {
  it('has its heads by their tails, of equal ones the lower id, and repeats the first without tails', () => {
    const [forward, inverse] = rowsOf(6, 4, [
      [4, 0, 1],
      [3, 0, 1],
      [3, 0, 2],
      [2, 0, 5],
      [3, 0, 2],
    ]);
    expect(forward).toEqual({ heads: [3, 2, 4, 3, 3, 3], tails: [2, 1, 1, 0, 0, 0] });
    expect(inverse).toEqual({ heads: [1, 2, 5, 1, 1, 1], tails: [2, 1, 1, 0, 0, 0] });
  });

  it('of a relation without facts has the entities of most edges', () => {
    const [, , none] = rowsOf(4, 4, [
      [2, 0, 1],
      [2, 0, 3],
    ]);
    expect(none).toEqual({ heads: [2, 1, 3, 0], tails: [1, 1, 1, 1] });
  });

  it('has no more heads than a centroid is of: those with most tails', () => {
    const count = domainHeads + 20;
    const triples = Array.from({ length: count }, (_, head) =>
      Array.from({ length: head % 3 === 0 ? 2 : 1 }, (_, tail) => [head, 0, tail]),
    ).flat();
    const [forward] = rowsOf(count, 2, triples);
    expect(forward!.heads).toHaveLength(domainHeads);
    const twice = Math.ceil(count / 3);
    expect(forward!.tails).toEqual([
      ...new Array<number>(twice).fill(2),
      ...new Array<number>(domainHeads - twice).fill(1),
    ]);
    expect(forward!.heads.slice(twice, twice + 3)).toEqual([1, 2, 4]);
  });
});
