import { createKnowledgeGraph, createRandom, type KnowledgeGraph } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { candidateTemperature, type LinkCandidate, linkCandidates } from './link-candidates.ts';
import type { SetsScorer } from './sets-scorer.ts';

const graphOf = (entityCount: number, relationCount: number, triples: readonly number[]): KnowledgeGraph =>
  createKnowledgeGraph({ entityCount, relationCount, triples: Int32Array.from(triples) });

/** Of every link the share of an entity is higher the higher its id is. */
function ascending({ entityCount, relationCount }: KnowledgeGraph): SetsScorer {
  const row = Float32Array.from({ length: entityCount }, (_, id) => (id + 1) / 1000);
  return {
    score: () => async (_structure, _anchors, _relations, rows) => {
      const shares = new Float32Array(rows * entityCount);
      for (let i = 0; i < rows; i += 1) shares.set(row, i * entityCount);
      return shares;
    },
    partitions: async () => new Float32Array(relationCount),
    close: async () => {},
  };
}

/** Which entity a candidate of `ascending` is. */
const idOf = ({ cosine }: LinkCandidate): number =>
  Math.round(1000 * Math.exp(candidateTemperature * cosine)) - 1;

async function candidatesOf(
  recorded: KnowledgeGraph,
  heldOut: readonly number[],
  known: readonly number[] = [],
): Promise<readonly LinkCandidate[]> {
  const { candidates } = await linkCandidates({
    ...{ sets: ascending(recorded), recorded, links: 100, best: recorded.entityCount },
    ...{ heldOut: Int32Array.from(heldOut), known: Int32Array.from(known) },
    random: createRandom('candidates'),
  });
  return candidates;
}

describe('the exclusivity of a candidate', () => {
  it('is that of its relation where it has a recorded head, and else 1', async () => {
    // Entity 0 has the tails 1 to 31 under relation 0, each of which has no other head: κ₀ = 8 · 1/32, while κ₁ is 1.
    const facts = Array.from({ length: 31 }, (_, i) => [0, 0, i + 1]).flat();
    const candidates = await candidatesOf(graphOf(40, 2, facts), [32, 0, 35]);
    const ofRelation = (relation: number) => candidates.filter((each) => each.relation === relation);
    expect(ofRelation(0)).toHaveLength(40);
    for (const each of ofRelation(0))
      expect([idOf(each), each.exclusivity]).toEqual([
        idOf(each),
        idOf(each) >= 1 && idOf(each) <= 31 ? 0.25 : 1,
      ]);
    expect(ofRelation(1)).toHaveLength(40);
    for (const { exclusivity } of ofRelation(1)) expect(exclusivity).toBe(1);
  });
});

describe('candidates of a link', () => {
  it('are neither its recorded tails nor those that are known otherwise', async () => {
    const recorded = graphOf(8, 2, [0, 0, 1, 0, 0, 6]);
    const candidates = await candidatesOf(recorded, [0, 0, 4, 0, 0, 5], [0, 0, 4, 0, 0, 2, 3, 0, 7]);
    const ofLink = candidates.filter(({ relation }) => relation === 0);
    expect(ofLink.map(idOf)).toEqual([7, 5, 3, 0]);
    expect(ofLink.filter(({ isFact }) => isFact).map(idOf)).toEqual([5]);
  });

  it('are of as many links as are asked for where these are too many to gather, in both directions', async () => {
    // Each of 2^20 facts and a few more is the only one of its two links.
    const [entityCount, relationCount] = [1030, 2046];
    const heldOut = new Int32Array(3 * entityCount * (relationCount / 2));
    let at = 0;
    for (let head = 0; head < entityCount; head += 1)
      for (let relation = 0; relation < relationCount; relation += 2, at += 3)
        heldOut.set([head, relation, (head + relation) % entityCount], at);
    expect(heldOut.length / 3).toBeGreaterThan(2 ** 20);
    const recorded = graphOf(entityCount, relationCount, [0, 0, 1]);
    const { links, candidates } = await linkCandidates({
      ...{ sets: ascending(recorded), recorded, heldOut, links: 60, best: 1 },
      random: createRandom('many'),
    });
    expect([links, candidates.length]).toEqual([60, 60]);
    const relations = candidates.map(({ relation }) => relation);
    expect(new Set(relations).size).toBeGreaterThan(50);
    const inverses = relations.filter((relation) => relation % 2 === 1).length;
    expect(inverses).toBeGreaterThan(12);
    expect(inverses).toBeLessThan(48);
  });
});
