import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import { pathExists } from '@fuzzqe/data';
import { openEngine } from '@fuzzqe/engine';
import {
  type CandidateModel,
  expectSameGraph,
  type OpenModel,
  openRun,
  openRunAsSets,
} from '@fuzzqe/pipeline';
import { bundleFolder, folderSource, nodeSessions } from '@fuzzqe/serve';
import { bundleScorer } from './bundle-scorer.ts';

/** How models are opened. */
export interface ModelOptions {
  readonly threads: number;
  /** Of the graph that they must have been trained on. */
  readonly digest: string;
  /** Of a bundle; undefined: the one that an engine takes. */
  readonly profile: string | undefined;
  /** The facts that are recorded: a run answers by fuzzy sets with them. Undefined: by embedding the query. */
  readonly recorded: KnowledgeGraph | undefined;
}

async function openBundle(path: string, folder: string, options: ModelOptions): Promise<OpenModel> {
  const { threads, digest, profile } = options;
  const engine = await openEngine({
    source: folderSource(folder),
    sessions: nodeSessions(folder, { threads }),
    ...(profile === undefined ? {} : { profile }),
  });
  try {
    expectSameGraph(path, digest, engine.manifest.data.sha256);
  } catch (error) {
    await engine.close();
    throw error;
  }
  return { score: bundleScorer(engine), close: () => engine.close() };
}

/**
 * What is to be evaluated at a path: a run, a bundle, or the runs of `fuzzqe train --seeds` in `seed-<n>` of a folder.
 *
 * Several seeds are named `seed <n>`, in order. Throws, when one is opened: 'checkpoint' where it was trained on another
 * graph than the one with this digest. 'usage': a profile was named and it is no bundle, or sets were asked of a bundle.
 */
export async function openModelsAt(path: string, options: ModelOptions): Promise<readonly CandidateModel[]> {
  const folder = await bundleFolder(path);
  const { threads, digest, profile, recorded } = options;
  if (await pathExists(join(folder, 'manifest.json'))) {
    if (recorded === undefined) return [{ name: 'FuzzQE', open: () => openBundle(path, folder, options) }];
    throw new FuzzError('usage', 'a bundle answers by the embedding of a query; fuzzy sets need a run', {
      path,
      hint: 'Give the folder of the run, or leave --mode out.',
    });
  }
  if (profile !== undefined)
    throw new FuzzError('usage', 'only a bundle has profiles, and this is none', {
      path,
      hint: 'Leave --profile out, or give a bundle that fuzzqe export wrote with that profile.',
    });
  const seeds = (await pathExists(join(path, 'state.json'))) ? [] : await listSeeds(path);
  // Only what a bundle answers by is kept for its model card.
  const candidate = (name: string, run: string): CandidateModel =>
    recorded === undefined
      ? { name, run, open: () => openRun(run, threads, digest) }
      : { name, open: () => openRunAsSets(run, recorded, threads, digest) };
  if (seeds.length === 0) return [candidate(recorded === undefined ? 'FuzzQE' : 'FuzzQE, sets', path)];
  return seeds.map((seed) => candidate(`seed ${seed}`, seedFolder(path, seed)));
}

/** Where in a folder of several seeds the run of one of them is. */
export function seedFolder(folder: string, seed: number): string {
  return join(folder, `seed-${seed}`);
}

/** The seeds that have a run in a folder, in order; none where there is no folder. */
export async function listSeeds(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .flatMap((name) => /^seed-(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}
