import type { NewFactBatch } from '../../store/fact-store.ts';

/** Facts of batch n: from 1 to 97. */
export function sizeOf(n: number): number {
  return 1 + ((n * 41) % 97);
}

/** Batch n of a process that is killed. */
export function numberedBatch(n: number): NewFactBatch {
  const changes = Array.from({ length: sizeOf(n) }, (_, i) => ({
    does: 'add' as const,
    head: `batch ${n}`,
    relation: 'has',
    tail: `fact ${i}`,
  }));
  return { at: '2026-11-28T12:00:00Z', idempotencyKey: `${n}`, changes };
}
