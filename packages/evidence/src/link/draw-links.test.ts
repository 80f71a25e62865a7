import { createRandom } from '@fuzzqe/core';
import { someGraph } from '@fuzzqe/core/testing';
import { describe, expect, it } from 'vitest';
import { rangeOf } from '../schema/ranges.ts';
import { type DrawOptions, drawLinks, leastDomain } from './draw-links.ts';

const [entityCount, relationCount] = [200, 6];
const facts = someGraph(createRandom('drawn links'), entityCount, relationCount, 300);
const hidden = someGraph(createRandom('hidden'), entityCount, relationCount, 60).forwardTriples();
const draw = (options: Partial<DrawOptions> = {}) =>
  drawLinks({ facts, hidden, random: createRandom('links'), withFact: 1200, without: 1500, ...options });
const isPlausible = (head: number, relation: number): boolean =>
  rangeOf(facts, relation ^ 1)[head]! > leastDomain;
const plausible = Array.from({ length: entityCount * relationCount }, (_, i) => i).filter((i) =>
  isPlausible(Math.floor(i / relationCount), i % relationCount),
).length;

/** The hidden tails of every link, both directions, by plain loops. */
const tails = new Map<string, Set<number>>();
for (let i = 0; i < hidden.length; i += 3) {
  const [h, r, t] = [...hidden.subarray(i, i + 3)] as [number, number, number];
  for (const [head, relation, tail] of [
    [h, r, t],
    [t, r + 1, h],
  ] as const)
    if (!facts.has(head, relation, tail))
      tails.set(`${head} ${relation}`, (tails.get(`${head} ${relation}`) ?? new Set()).add(tail));
}
const some = [...tails.keys()].map((key) => key.split(' ').map(Number) as [number, number]);
const plausibleWith = some.filter(([head, relation]) => isPlausible(head, relation)).length;

describe('drawn links', () => {
  it('are all links with a hidden fact and all other plausible ones, where there are few', () => {
    const links = draw();
    expect(links.filter((link) => link.hidden.size > 0)).toHaveLength(tails.size);
    for (const { head, relation, hidden: found } of links.filter((link) => link.hidden.size > 0))
      expect(found).toEqual(tails.get(`${head} ${relation}`));
    const others = links.filter((link) => link.hidden.size === 0);
    expect(others).toHaveLength(plausible - plausibleWith);
    for (const { head, relation } of others) expect(isPlausible(head, relation)).toBe(true);
    expect(new Set(links.map(({ weight }) => weight))).toEqual(new Set([1]));
  });

  it('stand for all links together, however few are drawn', () => {
    const links = draw({ withFact: 10, without: 40 });
    expect(links).toHaveLength(50);
    const weigh = (has: boolean): number =>
      links.filter((link) => link.hidden.size > 0 === has).reduce((sum, { weight }) => sum + weight, 0);
    expect(weigh(true)).toBeCloseTo(tails.size, 9);
    expect(weigh(false)).toBeCloseTo(plausible - plausibleWith, 9);
    expect(new Set(links.map(({ head, relation }) => `${head} ${relation}`)).size).toBe(50);
  });

  it('with rejected tails come last, however few are drawn, and the others stay', () => {
    const rejected = someGraph(createRandom('rejected'), entityCount, relationCount, 50).forwardTriples();
    const [without, all] = [draw(), draw({ rejected })];
    expect(all.slice(0, without.length)).toEqual(without);
    const joined = all.slice(without.length);
    expect(joined.reduce((sum, link) => sum + link.rejected!.length, 0)).toBeGreaterThan(90);
    for (const { head, relation, rejected: tails, weight } of joined) {
      expect(weight).toBe(1);
      for (const tail of tails!) expect(facts.has(head, relation, tail)).toBe(false);
    }
    const few = draw({ rejected, without: 20 }).filter((link) => link.rejected !== undefined);
    expect(few).toHaveLength(20);
    expect(few.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(joined.length, 9);
  });

  it('mixed, are drawn from all plausible links, those with a hidden fact as often as they are', () => {
    const links = draw({ withFact: 0, without: 1e6, mixed: true });
    expect(links).toHaveLength(plausible);
    expect(links.filter((link) => link.hidden.size > 0)).toHaveLength(plausibleWith);
    for (const { head, relation, hidden: found } of links)
      expect(found).toEqual(tails.get(`${head} ${relation}`) ?? new Set());
    const few = draw({ withFact: 0, without: 50, mixed: true });
    expect(few.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(plausible, 9);
    expect(plausibleWith).toBeGreaterThan(20);
  });

  it('are drawn alike: each plausible link about as often', () => {
    const times = new Map<string, number>();
    for (let seed = 0; seed < 200; seed += 1)
      for (const { head, relation } of draw({ random: createRandom(seed), withFact: 0, without: 50 }))
        times.set(`${head} ${relation}`, (times.get(`${head} ${relation}`) ?? 0) + 1);
    const expected = (200 * 50) / (plausible - plausibleWith);
    // The first links and the last ones of the walk are drawn as often as others.
    const counts = [...times.entries()].sort(([a], [b]) => Number(a.split(' ')[1]) - Number(b.split(' ')[1]));
    const half = Math.floor((plausible - plausibleWith) / 2);
    const first = counts.slice(0, half).reduce((sum, [, count]) => sum + count, 0);
    expect(Math.abs(first / (200 * 50) - half / (plausible - plausibleWith))).toBeLessThan(0.05);
    expect(Math.max(...times.values())).toBeLessThan(4 * expected + 15);
  });

  it('are the same for the same numbers, others for others', () => {
    expect(draw({ withFact: 10, without: 40 })).toEqual(draw({ withFact: 10, without: 40 }));
    expect(draw({ withFact: 10, without: 40, random: createRandom('others') })).not.toEqual(
      draw({ withFact: 10, without: 40 }),
    );
  });

  it('hide nothing that is recorded, and need nothing that is hidden', () => {
    const recorded = facts.forwardTriples();
    expect(draw({ hidden: recorded }).every((link) => link.hidden.size === 0)).toBe(true);
    expect(draw({ hidden: new Int32Array() })).toHaveLength(plausible);
  });
});
