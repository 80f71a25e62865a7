import { edgeMemory, type Manifest, storedFiles } from '@fuzzqe/core/bundle';

/** One thing that is limited on Workers, in bytes. */
export interface WorkerLimit {
  readonly what: string;
  readonly bytes: number;
  readonly limit: number;
}

/** The script with onnxruntime-web 1.30, which a test of the edge package holds to it: uncompressed. */
const scriptBytes = 14_900_000;

/**
 * What a bundle weighs on Cloudflare Workers, beside what it may.
 *
 * Memory is an estimate, of the moment in which the weights are there twice. Limits of September 2026.
 * Source: https://developers.cloudflare.com/workers/platform/limits/
 */
export function workerLimits(manifest: Manifest): readonly WorkerLimit[] {
  const [profile] = Object.values(manifest.profiles);
  const largest = Math.max(...Object.values(storedFiles(manifest)).map(({ bytes }) => bytes));
  return [
    { what: 'largest file', bytes: largest, limit: 25 * 2 ** 20 },
    { what: 'memory, about', bytes: edgeMemory(manifest, profile!).total, limit: 128e6 },
    { what: 'script', bytes: scriptBytes, limit: 64 * 2 ** 20 },
  ];
}
