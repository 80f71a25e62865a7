import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Profile, type ProfileQuality, tolerancesOf } from '@fuzzqe/bundle';
import { createSetLogic, type SetsState } from '@fuzzqe/core/sets';
import { createLinkDegrees, createRuleIndex, entailedGraph } from '@fuzzqe/evidence';
import { type FolderWriter, folderWriter } from '../files/folder-writer.ts';
import { profileFolder, weightsFile, writeGraphs } from '../files/graph-files.ts';
import { float64Scores } from '../golden/float64-scores.ts';
import { goldenCases } from '../golden/golden-cases.ts';
import { fp32 } from '../profiles/float-profiles.ts';
import type { ProfileName } from '../profiles/profile.ts';
import { profiles } from '../profiles/profiles.ts';
import { targets } from '../targets/target.ts';
import { openWeights, type WeightsReader } from '../weights/weights-reader.ts';
import { weightsLayout } from '../weights/weights-writer.ts';
import { throwIfAborted, type WeightsTarget, writeWeights } from '../weights/write-weights.ts';
import type { ExportOptions, ExportProgress } from './export-options.ts';
import { compareProfiles, type ProfileRankings, rankWithProfile } from './measure-quality.ts';

/** Where float32 weights lie while they are needed, if the bundle has none. */
const scratchFolder = '.reference';

/**
 * Writes graphs, weights and golden cases of the profiles, and measures how each ranks compared with `fp32`.
 *
 * Where `fp32` is not among the profiles, its weights are written for that and removed again.
 */
export async function writeProfiles(
  temporary: string,
  writer: FolderWriter,
  options: ExportOptions,
): Promise<Record<string, Profile>> {
  const { config, signal, onProgress, profiles: names = ['fp32'] } = options;
  const { combined, codes } = targets[options.target ?? 'node'];
  const stateOf = createState(options);
  const scratch = folderWriter(join(temporary, scratchFolder));
  try {
    const hasReference = names.includes('fp32') || !measurable(options);
    const written: WeightsTarget[] = await Promise.all(
      names.map(async (name) => ({
        profile: profiles[name],
        file: await writer.open(weightsPath(name)),
        codes,
      })),
    );
    if (!hasReference) written.push({ profile: fp32, file: await scratch.open(weightsFile) });
    await writeWeights(config, options, written, {
      check: () => throwIfAborted(signal),
      step: (done) => onProgress?.({ stage: 'weights', done, total: config.relations }),
    });

    // A reader keeps the tables of its profile, so there is one at a time.
    const reading: Reading = async (name, work) => {
      const kept = name !== 'fp32' || hasReference ? weightsPath(name) : join(scratchFolder, weightsFile);
      const reader = await openWeights(join(temporary, kept), profiles[name], config, codes);
      try {
        return await work(reader);
      } finally {
        await reader.close();
      }
    };
    const goldenOf = async (name: ProfileName): Promise<void> => {
      throwIfAborted(signal);
      const golden = await reading(name, (reader) =>
        goldenCases(config, reader, options.goldenQueries, options.k, stateOf(reader)),
      );
      await writer.write(goldenPath(name), `${JSON.stringify(golden)}\n`);
    };
    for (const [i, name] of names.entries()) {
      await goldenOf(name);
      onProgress?.({ stage: 'golden', done: i + 1, total: names.length });
    }
    // Validation queries ask for what is held out: recorded, it would be answered from memory.
    const measured = createState(options, options.validationFacts ?? options.graph);
    const quality = await measure(options, measured, names, reading);

    const described: Record<string, Profile> = {};
    for (const name of names) {
      const profile = profiles[name];
      const layout = weightsLayout(profile, config, codes);
      const graphs = await writeGraphs(writer, config, profile.model(config, codes), {
        profile: name,
        layout,
        combined,
      });
      described[name] = {
        ...graphs,
        bytes: bytesBelow(writer, `${profileFolder(name)}/`),
        golden: goldenPath(name),
        tolerances: tolerancesOf(name),
        quality: quality.get(name)!,
      };
    }
    return described;
  } finally {
    await scratch.abandon();
    await rm(join(temporary, scratchFolder), { recursive: true, force: true });
  }
}

/** What sets are computed from, with the scores of a profile in float64. */
function createState(
  options: ExportOptions,
  facts = options.recorded?.graph ?? options.graph,
): (weights: WeightsReader) => SetsState {
  const { config, sets } = options;
  const rules = createRuleIndex(sets.rules);
  const entailed = entailedGraph(facts, options.vocabulary);
  return (weights) => ({
    links: createLinkDegrees({
      facts,
      entailed,
      rules,
      weights: sets.weights,
      scores: float64Scores(config, weights),
    }),
    logic: createSetLogic(config.logic),
    projection: sets.projection,
    facts,
  });
}

const weightsPath = (name: ProfileName): string => `${profileFolder(name)}/${weightsFile}`;
const goldenPath = (name: ProfileName): string => `${profileFolder(name)}/golden.json`;

/** Whether there are validation queries, and profiles next to `fp32` to be measured on them. */
function measurable({ validation = [], profiles: names = ['fp32'] }: ExportOptions): boolean {
  return validation.length > 0 && names.some((name) => name !== 'fp32');
}

function bytesBelow({ files }: FolderWriter, folder: string): number {
  return Object.entries(files).reduce(
    (sum, [path, { bytes }]) => sum + (path.startsWith(folder) ? bytes : 0),
    0,
  );
}

/** Works on the weights of a profile; those of `fp32` are there wherever others are measured next to them. */
type Reading = <T>(name: ProfileName, work: (weights: WeightsReader) => Promise<T>) => Promise<T>;

async function measure(
  options: ExportOptions,
  stateOf: (weights: WeightsReader) => SetsState,
  names: readonly ProfileName[],
  reading: Reading,
): Promise<ReadonlyMap<ProfileName, ProfileQuality>> {
  const { config, validation = [], validationBySets = 2, signal, onProgress } = options;
  const asked = { queries: validation, bySets: validationBySets };
  const quality = new Map<ProfileName, ProfileQuality>();
  const others = names.filter((name) => name !== 'fp32');
  const total = validation.length * (others.length + 1);
  let done = 0;
  const step = (queries: number): void => {
    throwIfAborted(signal);
    done += queries;
    onProgress?.({ stage: 'quality', done, total } satisfies ExportProgress);
  };
  const rank = (name: ProfileName): Promise<ProfileRankings> =>
    reading(name, (weights) => rankWithProfile(config, weights, asked, stateOf(weights), step));
  const reference = measurable(options) ? await rank('fp32') : undefined;
  for (const name of names)
    if (name === 'fp32') quality.set(name, { reason: 'the others are measured against this profile' });
    else if (reference === undefined) quality.set(name, { reason: 'there were no validation queries' });
    else quality.set(name, compareProfiles(reference, await rank(name)));
  return quality;
}
