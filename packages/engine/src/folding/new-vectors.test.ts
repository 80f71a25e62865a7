import { expect, it } from 'vitest';
import { evenVectors } from '../embedding/new-entities.ts';
import { createVectors } from './new-vectors.ts';

const create = () =>
  createVectors({ entities: 10, relations: 4, dimension: 3, entityNormalisation: 'l1' } as const);

it('has no vectors without new entities, and even vectors for the entities that came', () => {
  const vectors = create();
  expect(vectors.of(10)).toBeUndefined();
  expect([...vectors.of(12)!]).toEqual([...evenVectors(2, 3, 'l1')]);
});

it('keeps what is set when further entities come, and does not alter what readers have', () => {
  const vectors = create();
  const early = vectors.of(12)!;
  vectors.set(Int32Array.of(11), Float32Array.of(0.5, 0.25, 0.25));
  const late = vectors.of(13)!;
  expect([...early]).toEqual([...evenVectors(2, 3, 'l1')]);
  expect([...late.subarray(3, 6)]).toEqual([0.5, 0.25, 0.25]);
  expect([...late.subarray(0, 3), ...late.subarray(6)]).toEqual([...evenVectors(2, 3, 'l1')]);
});

it('takes new entities whose facts changed once, and no others', () => {
  const vectors = create();
  vectors.touch({ added: Int32Array.of(11, 0, 2, 3, 1, 4), removed: Int32Array.of(5, 3, 12) });
  // A relation that came after the model.
  vectors.touch({ added: Int32Array.of(13, 4, 2) });
  expect([...vectors.take()]).toEqual([11, 12]);
  expect([...vectors.take()]).toEqual([]);
});

it('takes a few at a time until all are taken', () => {
  const vectors = create();
  const ids = Array.from({ length: 20 }, (_, i) => 10 + i);
  vectors.touch({ added: Int32Array.from(ids.flatMap((id) => [id, 0, 1])) });
  const taken: number[] = [];
  for (let some = vectors.take(); some.length > 0; some = vectors.take()) {
    expect(some.length).toBeLessThanOrEqual(8);
    taken.push(...some);
  }
  expect(taken).toEqual(ids);
});
