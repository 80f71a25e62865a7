import { totalmem } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { findAdapter } from './adapter.ts';

const node = vi.hoisted(() => ({ largest: 0 }));
vi.mock('node:buffer', async (original) => {
  const module = await original<typeof import('node:buffer')>();
  const constants = Object.defineProperty({ ...module.constants }, 'MAX_LENGTH', { get: () => node.largest });
  return { ...module, constants };
});

describe('the largest tensor of the CPU', () => {
  it.each([
    ['where Node allows more than any machine has', Number.MAX_SAFE_INTEGER],
    ['where Node allows less', 2 ** 20],
  ])('is no larger than the memory and what Node allows: %s', async (_, largest) => {
    node.largest = largest;
    const { memoryBytes, bufferBytes } = (await findAdapter('cpu')).limits;
    expect(memoryBytes).toBeLessThanOrEqual(totalmem());
    expect(bufferBytes).toBe(Math.min(largest, memoryBytes!));
  });
});
