import { FuzzError } from '@fuzzqe/core';
import type { ProgramCost } from './program-cost.ts';

/** What a device allows, in bytes; nothing is said where nothing is known. */
export interface DeviceLimits {
  /** Everything together. */
  readonly memoryBytes?: number;
  /** One tensor. */
  readonly bufferBytes?: number;
}

/**
 * Refuses a step that cannot run on a device, before anything is trained.
 *
 * A step needs its state twice, as it was and as it will be, and what it computes on the way. Throws: 'runtime', with
 * what needs how many bytes and what to reduce.
 */
export function expectFit(
  device: string,
  { memoryBytes, bufferBytes }: DeviceLimits,
  cost: ProgramCost,
): void {
  const { largest, stateBytes, peakBytes } = cost;
  if (bufferBytes !== undefined && largest.bytes > bufferBytes)
    throw new FuzzError(
      'runtime',
      `${device}: ${largest.what} needs ${formatBytes(largest.bytes)} in one piece, the device allows ${formatBytes(bufferBytes)}`,
      { hint },
    );
  const all = 2 * stateBytes + peakBytes;
  if (memoryBytes !== undefined && all > memoryBytes)
    throw new FuzzError(
      'runtime',
      `${device}: a step needs ${formatBytes(all)}, the device has ${formatBytes(memoryBytes)}: ` +
        `parameters and optimiser ${formatBytes(2 * stateBytes)}, results on the way ${formatBytes(peakBytes)}, ` +
        `the largest of them ${largest.what} with ${formatBytes(largest.bytes)}`,
      { hint },
    );
}

const hint =
  'Reduce model.dimension, model.bases, batch or negatives.count, or take another device: fuzzqe devices.';

/** A count of bytes for people. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 2 ** (10 * power);
  return `${value >= 100 || power === 0 ? value.toFixed(0) : value.toFixed(1)} ${units[power]}`;
}
