import { FuzzError } from '@fuzzqe/core';
import type { ProgramCost } from './program-cost.ts';

/** What a device allows, in bytes; nothing is said where nothing is known. */
export interface DeviceLimits {
  /** Everything together. */
  readonly memoryBytes?: number;
  /** One tensor. */
  readonly bufferBytes?: number;
}

/** What a device takes in addition to what is counted. */
interface Overhead {
  /** How many copies of the state there are. */
  readonly states: number;
  /** Bytes that are taken for each byte of results that are needed at once. */
  readonly results: number;
  /** Bytes of a process that trains nothing yet. */
  readonly process: number;
}

/** A state as it was and as it will be, and results freed as soon as they can be. */
const leastOverhead: Overhead = { states: 2, results: 1, process: 0 };

/**
 * In main memory the state is there once as AdamW's kernel updates it, once as it began or was last saved, and once more
 * while it is read to be saved. ONNX Runtime takes results from an arena that doubles as it grows and gives nothing
 * back, and a step has two, one for each of its sessions, with what crosses between them in both. Measured on a random
 * graph of the size of FB15k-237, 512 queries, 128 negatives of each query's own, over three steps and a reading of the
 * state: in addition to the process and three states, 1.2, 1.5 and 1.7 bytes for each byte counted with d=200, K=50; d=400,
 * K=50; and d=800, K=150, which took 7.4 GiB.
 */
const overheads: Readonly<Record<string, Overhead>> = {
  cpu: { states: 3, results: 1.7, process: 2 ** 28 },
};

/**
 * Refuses a step that cannot run on a device, before anything is trained.
 *
 * What is needed is the process, the copies of the state, and intermediate results with what the runtime keeps
 * in reserve; on devices other than `cpu` the least that any runtime needs.
 *
 * @throws FuzzError `runtime`, with what needs how many bytes and what to reduce.
 */
export function expectFit(
  device: string,
  { memoryBytes, bufferBytes }: DeviceLimits,
  cost: ProgramCost,
): void {
  const { largest, stateBytes, peakBytes, inPlaceBytes = 0 } = cost;
  if (bufferBytes !== undefined && largest.bytes > bufferBytes)
    throw new FuzzError(
      'runtime',
      `${device}: ${largest.what} needs ${formatBytes(largest.bytes)} in one piece, the device allows ${formatBytes(bufferBytes)}`,
      { hint },
    );
  const { states, results, process } = overheads[device] ?? leastOverhead;
  const copied = states * (stateBytes - inPlaceBytes) + inPlaceBytes;
  const all = process + copied + results * peakBytes;
  if (memoryBytes !== undefined && all > memoryBytes)
    throw new FuzzError(
      'runtime',
      `${device}: a step needs ${formatBytes(all)}, the device has ${formatBytes(memoryBytes)}: ` +
        `parameters and optimiser ${formatBytes(copied)}, intermediate results ${formatBytes(results * peakBytes)}, ` +
        `the largest of them ${largest.what} with ${formatBytes(largest.bytes)}` +
        (process === 0 ? '' : `, the process itself ${formatBytes(process)}`),
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
