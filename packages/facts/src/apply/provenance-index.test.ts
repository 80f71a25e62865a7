import { describe, expect, it } from 'vitest';
import type { FactChange } from '../store/fact-store.ts';
import { createProvenanceIndex } from './provenance-index.ts';

type Ids = readonly [number, number, number];
const one: Ids = [0, 0, 1];
const two: Ids = [1, 0, 0];
const three: Ids = [0, 2, 1];
const four: Ids = [5, 2, 3];
const at = '2026-11-28T12:00:00.000Z';
const add = (more: Partial<FactChange> = {}): FactChange => ({
  does: 'add',
  head: 'a',
  relation: 'r',
  tail: 'b',
  ...more,
});

describe('an index of provenances', () => {
  it('keeps what the last change of a fact says', () => {
    const index = createProvenanceIndex();
    index.take(one, add({ source: 'atlas', date: '2026', confidence: 0.5 }), { at, by: 'ann' });
    expect(index.of(one)).toEqual({ source: 'atlas', date: '2026', by: 'ann', at, confidence: 0.5 });
    index.take(one, add({ source: 'register', confidence: 1 }), { at });
    expect(index.of(one)).toEqual({ source: 'register', at });
    index.take(one, add(), { at });
    expect(index.of(one)).toBeUndefined();
    index.take(one, add({ from: '1990', until: '2000' }), { at });
    expect(index.of(one)).toEqual({ from: '1990', until: '2000', at });
    index.take(two, add({ from: '1990' }), { at });
    expect(index.of(two)).toEqual({ from: '1990', at });
    index.take(one, add({ date: '2026' }), { at });
    index.take(one, { ...add({ source: 'atlas' }), does: 'remove' }, { at, by: 'ann' });
    expect(index.of(one)).toBeUndefined();
  });

  it('finds the facts that a source added last', () => {
    const index = createProvenanceIndex();
    for (const id of [one, two, four]) index.take(id, add({ source: 'atlas' }), { at });
    index.take(two, add({ source: 'register' }), { at });
    index.take(three, add({ source: 'Atlas' }), { at });
    expect([...index.from('atlas')]).toEqual([one, four]);
    expect([...index.from('nowhere')]).toEqual([]);
  });

  it('has one object for facts of a batch that say the same, and others for others', () => {
    const index = createProvenanceIndex();
    for (const id of [one, two]) index.take(id, add({ source: 'atlas' }), { at });
    index.take(three, add({ source: 'atlas' }), { at, by: 'bob' });
    index.take(four, add({ source: 'atlas', confidence: 0.5 }), { at, by: 'bob' });
    expect(index.of(one)).toBe(index.of(two));
    expect(new Set([two, three, four].map(index.of)).size).toBe(3);
  });

  it('keeps what it knows while the graph grows, also where facts have no exact numbers', () => {
    const index = createProvenanceIndex();
    const facts = [1, 10, 1000, 10 ** 6, 2 ** 31 - 1].map((n): Ids => [n, 2 * (n % 500), n - 1]);
    for (const [i, fact] of facts.entries()) index.take(fact, add({ source: `s${i % 2}` }), { at });
    for (const [i, fact] of facts.entries()) expect(index.of(fact)?.source).toBe(`s${i % 2}`);
    expect([...index.from('s1')]).toEqual([facts[1], facts[3]]);
    expect(index.of([1, 0, 1])).toBeUndefined();
  });
});
