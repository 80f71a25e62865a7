import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ManifestOptions, readManifest } from '@fuzzqe/bundle';
import { FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import { openEngine } from '@fuzzqe/engine';
import type { TrainedFacts } from '@fuzzqe/export';
import { pathExists } from '@fuzzqe/files';
import type { OfFamily } from '@fuzzqe/model';
import {
  type AnswerMode,
  type CandidateModel,
  type EvaluationMode,
  embeddedBy,
  expectSameGraph,
  familyTitle,
  isAnswerMode,
  type OpenModel,
  openRun,
  openRunAsSets,
  openRunByAssignments,
} from '@fuzzqe/pipeline';
import { bundleFolder, folderSource, nodeSessions } from '@fuzzqe/serve';
import { readRunState } from '@fuzzqe/train';
import { bundleMatcher } from './bundle-matcher.ts';
import { bundleScorer, bundleSetsScorer } from './bundle-scorer.ts';

/** How models are opened. */
export interface ModelOptions extends ManifestOptions {
  readonly threads: number;
  /** Of a bundle; undefined: the one that an engine takes. */
  readonly profile: string | undefined;
  readonly modes: readonly EvaluationMode[];
  /** Of CQD-beam. */
  readonly beam: number | undefined;
  /** The facts that they must have been trained on. */
  readonly trained: KnowledgeGraph;
  /** Their digest. */
  readonly digest: string;
  /** The facts that are recorded where a run answers by fuzzy sets; a bundle knows its own. */
  readonly recorded: KnowledgeGraph;
  /** The facts that declared axioms entail of these. */
  readonly entailed: KnowledgeGraph | undefined;
  /** The share of the hidden facts that are recorded there. */
  readonly recordedShare: number;
  /** Hears that a bundle is fetched. */
  readonly onNote: (line: string) => void;
}

async function openBundle(
  path: string,
  folder: string,
  mode: AnswerMode,
  options: ModelOptions,
): Promise<OpenModel> {
  const { threads, digest, profile, requireSignature } = options;
  const engine = await openEngine({
    source: folderSource(folder),
    sessions: nodeSessions(folder, { threads }),
    ...(profile === undefined ? {} : { profile }),
    ...(requireSignature === undefined ? {} : { requireSignature }),
  });
  try {
    expectSameGraph(path, digest, engine.manifest.data.sha256);
  } catch (error) {
    await engine.close();
    throw error;
  }
  const close = () => engine.close();
  if (mode === 'embedding')
    return { score: bundleScorer(engine), embeds: embeddedBy(engine.manifest.model), close };
  return { score: bundleSetsScorer(engine), match: bundleMatcher(engine), close };
}

/**
 * What is to be evaluated at a path: a run, a bundle, or the runs of `fuzzqe train --seeds` in `seed-<n>` of a folder, each
 * in every mode.
 *
 * Several seeds are named `seed <n>`, in order; the name says which other mode than `embedding` it answers in. Throws, when one is opened: 'checkpoint'
 * where it was trained on another graph than the one with this digest. 'usage': a profile was named and it is no bundle, or
 * sets alone were asked of a bundle that records held-out facts; among both they are left out there.
 */
export async function openModelsAt(path: string, options: ModelOptions): Promise<readonly CandidateModel[]> {
  const folder = await bundleFolder(path, { onNote: options.onNote });
  const { threads, digest, profile, modes, beam, recorded, entailed, recordedShare, trained } = options;
  const named = (name: string, mode: EvaluationMode): string =>
    mode === 'embedding' ? name : `${name}, ${mode}`;
  if (await pathExists(join(folder, 'manifest.json'))) {
    const { training, sets, model } = await readManifest(folderSource(folder), options);
    const trainedOn = (training['facts'] as TrainedFacts | undefined)?.trainedParts ?? [];
    if (trainedOn.length > 1)
      throw new FuzzError(
        'usage',
        `the model of the bundle was trained on all facts: ${trainedOn.join(', ')}`,
        {
          path,
          hint: 'No held-out fact is left to evaluate by: evaluate the run that it was made of.',
        },
      );
    const served = modes.filter(isAnswerMode);
    if (served.length === 0)
      throw new FuzzError('usage', `mode ${modes.join(', ')}: expected a run, got a bundle`, {
        path,
        hint: 'Evaluate the run that the bundle was made of, or take --mode sets.',
      });
    if (served.length < modes.length) options.onNote('A bundle has no CQD-beam or QTO: evaluate its run.');
    // Where more is recorded than was trained on, answers in mode `sets` are remembered and not found.
    const fair = served.filter((mode) => mode === 'embedding' || training['facts'] === undefined);
    if (fair.length === 0)
      throw new FuzzError('usage', 'the bundle records held-out facts: its sets would answer from memory', {
        path,
        hint: 'Give --mode embedding, or a bundle that was exported with --facts train.',
      });
    return fair.map((mode) => ({
      ...{ name: named(titleOf(model), mode), mode, folder, isFitted: sets.fitted !== null },
      open: () => openBundle(path, folder, mode, options),
    }));
  }
  if (options.requireSignature !== undefined)
    throw new FuzzError('usage', 'only a bundle has a signature, and this is none', {
      path,
      hint: 'Leave --require-signature out, or give a bundle that fuzzqe sign signed.',
    });
  if (profile !== undefined)
    throw new FuzzError('usage', 'only a bundle has profiles, and this is none', {
      path,
      hint: 'Leave --profile out, or give a bundle that fuzzqe export wrote with that profile.',
    });
  const seeds = await listSeeds(path);
  const candidates = (mode: EvaluationMode, name: string, run: string): CandidateModel => ({
    ...{ name: named(name, mode), mode, run, folder: run },
    open: () => {
      const opening = { trained, threads, digest };
      if (mode === 'embedding') return openRun(run, opening);
      return mode === 'sets'
        ? openRunAsSets(run, { ...opening, facts: recorded, entailed, recordedShare })
        : openRunByAssignments(run, { ...opening, mode, facts: recorded, beam });
    },
  });
  // What is wrong with a run is said when it is opened.
  const title = await readRunState(path).then(
    ({ model }) => titleOf(model),
    () => 'FuzzQE',
  );
  return modes.flatMap((mode) =>
    seeds.length === 0
      ? [candidates(mode, title, path)]
      : seeds.map((seed) => candidates(mode, `seed ${seed}`, seedFolder(path, seed))),
  );
}

/** A model by its family, as papers call it. */
const titleOf = ({ relationForm }: OfFamily): string => familyTitle(relationForm).split(', ')[0]!;

/** Where in a folder of several seeds the run of one of them is. */
export function seedFolder(folder: string, seed: number): string {
  return join(folder, `seed-${seed}`);
}

/** The seeds that have a run in a folder, in order; none where there is no folder, or it is a run itself. */
export async function listSeeds(folder: string): Promise<number[]> {
  if (await pathExists(join(folder, 'state.json'))) return [];
  const names = await readdir(folder).catch(() => []);
  return names
    .flatMap((name) => /^seed-(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}
