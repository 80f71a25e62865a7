import { randomUUID } from 'node:crypto';
import type { StorePatience, SweepStore } from './sweep-store.ts';

/** Whether a store makes a key once: trials are claimed by that. */
export async function makesOnce(
  { create, remove }: Pick<SweepStore, 'create' | 'remove'>,
  patience?: StorePatience,
): Promise<boolean> {
  const probe = `probe-${randomUUID()}.json`;
  try {
    return (await create(probe, '1', patience)) && !(await create(probe, '2', patience));
  } finally {
    await remove(probe);
  }
}
