import { FuzzError } from '../errors.ts';

/**
 * Refuses an id outside [0, count).
 *
 * @throws FuzzError `range`.
 */
export function checkId(kind: 'entity' | 'relation', id: number, count: number, path: string): void {
  if (Number.isInteger(id) && id >= 0 && id < count) return;
  throw new FuzzError('range', `${kind} id: expected an integer in [0, ${count}), got ${id}`, {
    path,
    hint:
      kind === 'entity'
        ? `The graph has ${count} entities.`
        : `The graph has ${count} relations, inverses included: 2k is the k-th relation and 2k+1 its inverse.`,
  });
}
