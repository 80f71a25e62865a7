import type { FactChange } from '@fuzzqe/facts';
import { describe, expect, it } from 'vitest';
import { createProvenanceIndex } from './provenance-index.ts';

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
    index.take(1, add({ source: 'atlas', date: '2026', confidence: 0.5 }), { at, by: 'ann' });
    expect(index.of(1)).toEqual({ source: 'atlas', date: '2026', by: 'ann', at, confidence: 0.5 });
    index.take(1, add({ source: 'register', confidence: 1 }), { at });
    expect(index.of(1)).toEqual({ source: 'register', at });
    index.take(1, add(), { at });
    expect(index.of(1)).toBeUndefined();
    index.take(1, add({ date: '2026' }), { at });
    index.take(1, { ...add({ source: 'atlas' }), does: 'remove' }, { at, by: 'ann' });
    expect(index.of(1)).toBeUndefined();
  });

  it('finds the facts that a source added last', () => {
    const index = createProvenanceIndex();
    for (const id of [1, 2, 'x']) index.take(id, add({ source: 'atlas' }), { at });
    index.take(2, add({ source: 'register' }), { at });
    index.take(3, add({ source: 'Atlas' }), { at });
    expect([...index.from('atlas')]).toEqual([1, 'x']);
    expect([...index.from('nowhere')]).toEqual([]);
  });

  it('has one object for facts of a batch that say the same, and others for others', () => {
    const index = createProvenanceIndex();
    for (const id of [1, 2]) index.take(id, add({ source: 'atlas' }), { at });
    index.take(3, add({ source: 'atlas' }), { at, by: 'bob' });
    index.take(4, add({ source: 'atlas', confidence: 0.5 }), { at, by: 'bob' });
    expect(index.of(1)).toBe(index.of(2));
    expect(new Set([2, 3, 4].map(index.of)).size).toBe(3);
  });
});
