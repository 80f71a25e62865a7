import { bundlePaths, edgeMemory, type Manifest, profileGraphs, storedFiles } from '@fuzzqe/bundle';
import { workerMemory } from './target.ts';

/** One thing that is limited on Workers. */
export interface WorkerLimit {
  readonly what: string;
  readonly amount: number;
  readonly limit: number;
  readonly unit: 'bytes' | 'milliseconds';
  /** What else there is to say of it. */
  readonly note?: string;
}

/**
 * What opening takes of a processor, in milliseconds: of the runtime whatever it opens, and of each megabyte. Measured in workerd on
 * two busy cores, with onnxruntime-web 1.30.
 */
const opening = { runtime: 300, graph: 5000, names: 250, facts: 120, weights: 8 };
/** What the script's start takes, with the compiling of the runtime: the same for every bundle, which is held to in a test of the edge package. */
const startUp = 100;
/** What a script may take to start. */
const startUpLimit = 1000;
/** What a request may take on the paid plan unless it is set higher; the free plan allows 10, which no runtime starts in. */
const requestLimit = 30_000;

/** The script with onnxruntime-web 1.30, which a test of the edge package holds to it: uncompressed. */
const scriptBytes = 14_900_000;

/**
 * What a bundle weighs on Cloudflare Workers, compared with the limits.
 *
 * Memory is an estimate, of the moment in which the weights are there twice, and so are start-up, while which nothing is opened, and the
 * first request, which opens the bundle. Limits of September 2026.
 * Source: https://developers.cloudflare.com/workers/platform/limits/
 */
export function workerLimits(manifest: Manifest): readonly WorkerLimit[] {
  const [profile] = Object.values(manifest.profiles);
  const millionBytesOf = (paths: Iterable<string>): number =>
    [...new Set(paths)].reduce((sum, path) => sum + (manifest.files[path]?.bytes ?? 0), 0) / 1e6;
  const graphs = profileGraphs(profile!);
  const milliseconds =
    opening.runtime +
    opening.graph * millionBytesOf(graphs.map(({ path }) => path)) +
    opening.weights * millionBytesOf(graphs.flatMap(({ weights }) => weights)) +
    opening.names * millionBytesOf([bundlePaths.entities, bundlePaths.relations]) +
    opening.facts * millionBytesOf([bundlePaths.facts]);
  const largest = Math.max(...Object.values(storedFiles(manifest)).map(({ bytes }) => bytes));
  return [
    { what: 'largest file', amount: largest, limit: 25 * 2 ** 20, unit: 'bytes' },
    {
      what: 'memory, about',
      amount: edgeMemory(manifest, profile!).total,
      limit: workerMemory,
      unit: 'bytes',
    },
    { what: 'script', amount: scriptBytes, limit: 64 * 2 ** 20, unit: 'bytes' },
    {
      what: 'start-up, about',
      amount: startUp,
      limit: startUpLimit,
      unit: 'milliseconds',
      note: 'nothing of the bundle is opened then',
    },
    {
      what: 'first request, about',
      amount: milliseconds,
      limit: requestLimit,
      unit: 'milliseconds',
      note: 'it opens the bundle',
    },
  ];
}
