import type { EntitySet } from '@fuzzqe/core';
import type { TensorValue } from '../sessions/session.ts';

/** The input `allowed` of the ranking, from memory that is filled once. */
export interface AllowedMasks {
  readonly entityCount: number;
  /** How many rows one run takes at most. */
  readonly rows: number;
  /** Gives `work` a row for each set, 0 for its members and 1 for others; the tensor holds until `work` is done. */
  use<T>(
    excluded: readonly (EntitySet | undefined)[],
    work: (allowed: TensorValue) => Promise<T>,
  ): Promise<T>;
}

/** Masks for runs of at most `rows` rows; runs that overlap have memory of their own. */
export function createAllowedMasks(entityCount: number, rows: number): AllowedMasks {
  const free: Float32Array[] = [];
  return {
    entityCount,
    rows,
    async use(excluded, work) {
      const ones = free.pop() ?? new Float32Array(rows * entityCount).fill(1);
      const mark = (value: number): void =>
        excluded.forEach((set, row) => {
          // Entities that came after the model are ranked apart.
          for (const id of set ?? []) if (id < entityCount) ones[row * entityCount + id] = value;
        });
      mark(0);
      try {
        const dims = [excluded.length, entityCount];
        return await work({ dims, data: ones.subarray(0, excluded.length * entityCount) });
      } finally {
        mark(1);
        free.push(ones);
      }
    },
  };
}
