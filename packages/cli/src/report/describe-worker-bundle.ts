import { type Manifest, modesOf } from '@fuzzqe/bundle';
import { type WorkerLimit, workerLimits, workerMemory } from '@fuzzqe/export';
import { formatBytes } from './format-bytes.ts';

/** Lines on a bundle for Workers: in which modes it answers, and what it weighs compared with each limit. */
export function describeWorkerBundle(manifest: Manifest): string[] {
  return [describeModes(manifest), ...workerLimits(manifest).map(describeLimit)];
}

/** By what facts would take compared with the limit. */
function describeModes(manifest: Manifest): string {
  return modesOf(manifest).includes('sets')
    ? '  modes: sets and embedding, the facts are in the bundle'
    : `  modes: EMBEDDING ONLY, without facts: with them it would take more than the ${formatBytes(workerMemory)} of memory of a Worker`;
}

/** What is above its limit says so. */
function describeLimit({ what, amount, limit, unit, note }: WorkerLimit): string {
  const of =
    unit === 'bytes'
      ? `${formatBytes(amount)} of ${formatBytes(limit)}`
      : `${formatSeconds(amount)} of ${formatSeconds(limit)} of a processor`;
  const line = `  ${what}: ${of}${note === undefined ? '' : `; ${note}`}`;
  return amount <= limit ? line : `${line}: TOO LARGE for Workers; train with a smaller dimension`;
}

/** `0.6 s`. */
const formatSeconds = (milliseconds: number): string => `${(milliseconds / 1e3).toFixed(1)} s`;
