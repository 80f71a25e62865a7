import type { EntityId } from '@fuzzqe/core';
import { createVocabulary } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';
import { describeNamed } from './entity-route.ts';

const vocabulary = createVocabulary({
  entities: [
    { key: '2', label: 'two' },
    { key: 'b', label: '4' },
    { key: 'c', label: '1' },
    { key: '3', label: '0' },
    { key: 'e', label: '0' },
    { key: '#1', label: 'called as an id is' },
  ],
  relations: [{ key: 'r', label: 'r' }],
});
const limits = {
  costLimit: 1e9,
  onCost: () => undefined,
  signal: new AbortController().signal,
  deadline: Number.POSITIVE_INFINITY,
};
const described = async (name: string): Promise<number> => {
  const describeEntity = (id: number) =>
    Promise.resolve({
      ...{ id: id as EntityId, key: '', label: '', facts: 0 },
      relations: { total: 0, results: [] },
    });
  const { id } = await describeNamed({ vocabulary, describeEntity }, name, 'http://a/v1/entities/x', limits);
  return id;
};

describe('describeNamed', () => {
  it.each([
    // A key, before an id of that number; a label; an id that nothing is called; an id that says so.
    ['2', 0],
    ['3', 3],
    ['1', 2],
    ['4', 1],
    ['two', 0],
    ['#2', 2],
    ['#0', 0],
    ['#1', 1],
  ])('takes %s for entity %d', async (name, id) => {
    expect(await described(name)).toBe(id);
  });

  it('refuses what several are called, and what none is', async () => {
    await expect(described('0')).rejects.toThrow('that 2 share');
    for (const name of ['6', '#6', '#x', 'f'])
      await expect(described(name)).rejects.toMatchObject({
        code: 'not-found',
        path: 'id',
        message: `entity: expected a key, label or id of the graph, got "${name}"`,
      });
  });
});
