import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { createLinkDraw, type LinkDrawConfig } from './link-draw.ts';

// Head 0 leads to 1, 2 and 3 along relation 0; head 4 leads to 5 along relation 2. Inverses are 1 and 3.
const graph = createKnowledgeGraph({
  entityCount: 7,
  relationCount: 4,
  triples: Int32Array.from([0, 0, 1, 0, 0, 2, 0, 0, 3, 4, 2, 5, 4, 0, 1]),
});

/** How often each query is drawn, by "head relation". */
function shares(links: LinkDrawConfig): Readonly<Record<string, number>> {
  const draw = createLinkDraw(graph, links);
  const random = createRandom('links');
  const times: Record<string, number> = {};
  const draws = 30_000;
  for (let i = 0; i < draws; i += 1) {
    const { head, relation, tails } = draw(random);
    expect(Array.from(tails)).toEqual(Array.from(graph.tails(head, relation)));
    const name = `${head} ${relation}`;
    times[name] = (times[name] ?? 0) + 1 / draws;
  }
  return times;
}

const close = (expected: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(expected).map(([name, share]) => [name, expect.closeTo(share, 1.7)]));

/** Every query of the graph with its number of tails. */
const sizes = { '0 0': 3, '4 2': 1, '4 0': 1, '1 1': 2, '2 1': 1, '3 1': 1, '5 3': 1 };

/** From entity 0: relation 1 from 1, 2, 3. From 4: 1 from 1, 3 from 5. From 1: 0 from 0, 4. From 2, 3: 0 from 0. From 5: 2 from 4. */
const walked = {
  '1 1': 1 / 18 + 1 / 12,
  '2 1': 1 / 18,
  '3 1': 1 / 18,
  '5 3': 1 / 12,
  '0 0': 1 / 12 + 2 / 6,
  '4 0': 1 / 12,
  '4 2': 1 / 6,
};

const each = (share: (tails: number) => number): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(sizes).map(([name, tails]) => [name, share(tails)]));
const ways = { pairs: each(() => 1 / 7), edges: each((tails) => tails / 10), walk: walked };

describe('drawing links', () => {
  it.each(['pairs', 'edges', 'walk'] as const)('by %s alone meets each link as often as is said', (name) => {
    expect(shares({ [name]: 3 })).toEqual(close(ways[name]));
  });

  it('mixes ways in proportion', () => {
    const mixed = Object.keys(sizes).map((name): [string, number] => [
      name,
      (ways.edges[name]! + 3 * ways.walk[name as keyof typeof walked]) / 4,
    ]);
    expect(shares({ edges: 1, walk: 3 })).toEqual(close(Object.fromEntries(mixed)));
  });

  it('refuses a choice of no way', () => {
    expect(() => createLinkDraw(graph, {})).toThrow(/no way of drawing 1p queries/);
  });
});
