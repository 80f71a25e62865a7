import {
  type BundleEngine,
  type BundleOptions,
  createEngine,
  createIndexedRanker,
  createLocalRanker,
  type LocalRankerOptions,
  type OpenBundle,
  openBundle,
  type Ranker,
} from '@fuzzqe/engine';
import { runAmongCandidates } from '@fuzzqe/engine/ranker';
import { folderSource } from '../bundle-source.ts';
import { nodeSessions } from '../session.ts';
import type { OpenIndex } from './open-serving-engine.ts';

/** A bundle, and the index in which its entities are found. */
export interface IndexedOptions extends BundleOptions {
  readonly directory: string;
  readonly openIndex: OpenIndex;
}

/**
 * Opens a bundle that is answered in this thread, with an index that finds candidates. Graphs open when they are first needed.
 *
 * @throws FuzzError as `openBundle` and `openIndex`.
 * @example
 * const engine = await openIndexedEngine({ directory: 'bundle', openIndex });
 */
export async function openIndexedEngine({
  directory,
  openIndex,
  ...options
}: IndexedOptions): Promise<BundleEngine> {
  const bundle = await openBundle(folderSource(directory), options);
  return createEngine(
    bundle,
    await openIndexedRanker(bundle, { sessions: nodeSessions(directory), openIndex }),
  );
}

/**
 * Opens the index of a bundle, and a ranker in this thread that asks it for candidates in both modes.
 *
 * @throws FuzzError as `openIndex`.
 */
export async function openIndexedRanker(
  bundle: OpenBundle,
  { openIndex, ...options }: LocalRankerOptions & Pick<IndexedOptions, 'openIndex'>,
): Promise<Ranker> {
  const index = await openIndex(bundle);
  const ranker = createLocalRanker({ ...bundle, run: runAmongCandidates(bundle) }, options);
  return createIndexedRanker(ranker, index, bundle.facts);
}
