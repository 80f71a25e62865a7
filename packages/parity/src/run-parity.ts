import {
  asRelationId,
  createVocabulary,
  FuzzError,
  readEntitiesTsv,
  readRelationsTsv,
  type Vocabulary,
} from '@fuzzqe/core';
import {
  type BundleSource,
  bundlePaths,
  type Manifest,
  readBundleText,
  readGolden,
  verifyBundle,
} from '@fuzzqe/core/bundle';
import { formatQuery, formatRelation } from '@fuzzqe/core/query';
import { parityTolerances } from '@fuzzqe/engine';
import { bundleFolder, folderSource } from '@fuzzqe/serve';
import { type DrawOptions, drawQueries, goldenParityCases, type ParityCase } from './cases/parity-case.ts';
import { compareOn, type ProfileTask } from './matrix/compare-on.ts';
import type { ParityCell, ParityMatrix, SkippedRuntime } from './matrix/matrix.ts';
import { openReference, type Reference } from './reference/reference.ts';
import { type ParityRuntimeName, parityRuntimeNames, parityRuntimes } from './runtimes/registry.ts';

/** What to compare. */
export interface ParityOptions extends DrawOptions {
  readonly bundle: string;
  /** Undefined: all that the bundle has. */
  readonly profiles?: readonly string[];
  /** Undefined: all that are present here; the others are listed as skipped. */
  readonly runtimes: readonly ParityRuntimeName[] | undefined;
  /** Hears what is about to be done. */
  readonly onStep?: (what: string) => void;
}

/**
 * Compares a bundle's answers on several runtimes, in its profiles, with what float64 says.
 *
 * @throws FuzzError `bundle`: the bundle is damaged. `usage`: it has no such profile. `runtime`: a runtime that was asked for by name is absent.
 * `parity`: the manifest allows more than this version does.
 */
export async function runParity(options: ParityOptions): Promise<ParityMatrix> {
  const { onStep = () => {} } = options;
  // NVIDIA's libraries read it when they are loaded: with TF32, products of matrices have three digits.
  process.env['NVIDIA_TF32_OVERRIDE'] ??= '0';
  const bundle = await bundleFolder(options.bundle);
  const source = folderSource(bundle);
  const manifest = await verifyBundle(source);
  const vocabulary = await readVocabulary(source);
  const profiles = chooseProfiles(manifest, options.profiles);
  onStep('Looking for runtimes');
  const { present, skipped } = await findRuntimes(bundle, profiles[0]!, options.runtimes);
  const cells: ParityCell[] = [];
  const drawn = drawQueries(manifest.model, options);
  const full = profiles.includes('fp32') ? await referenceOf(bundle, 'fp32', manifest) : undefined;
  try {
    for (const profile of profiles) {
      onStep(`Answering ${drawn.length} queries in float64, ${profile}`);
      const task = await profileTask(source, manifest, vocabulary, profile, drawn, full);
      for (const name of present) {
        onStep(`Comparing ${name}, ${profile}`);
        const cell = await compareOn(name, parityRuntimes[name], task);
        const lacks = options.runtimes === undefined ? deviceLacks(cell) : undefined;
        if (lacks === undefined) cells.push(cell);
        else skipped.push({ runtime: `${name}, ${profile}`, reason: lacks });
      }
    }
  } finally {
    await full?.close();
  }
  const passed = cells.every((cell) => cell.passed);
  return { bundle, model: manifest.name, passed, cells, skipped };
}

function chooseProfiles(manifest: Manifest, wanted: readonly string[] | undefined): readonly string[] {
  const present = Object.keys(manifest.profiles);
  const absent = wanted?.find((name) => !present.includes(name));
  if (absent !== undefined)
    throw new FuzzError('usage', `the bundle has no profile ${JSON.stringify(absent)}`, {
      path: '--profiles',
      hint: `choose from: ${present.join(', ')}`,
    });
  return wanted ?? present;
}

/** Why a device cannot run a profile at all; undefined where it answered anything, or failed in another way. */
function deviceLacks({ failures, compared }: ParityCell): string | undefined {
  const lacks = (message: string): boolean =>
    /the device does not support it|^tfjs \w+ cannot (?:run|hold) /.test(message);
  return failures.length === compared && failures.every(({ message }) => lacks(message))
    ? failures[0]?.message
    : undefined;
}

async function findRuntimes(
  directory: string,
  profile: string,
  wanted: readonly ParityRuntimeName[] | undefined,
): Promise<{ readonly present: ParityRuntimeName[]; readonly skipped: SkippedRuntime[] }> {
  const present: ParityRuntimeName[] = [];
  const skipped: SkippedRuntime[] = [];
  for (const name of wanted ?? parityRuntimeNames) {
    const found = await parityRuntimes[name].available({ directory, profile });
    if (found.present) present.push(name);
    else if (wanted === undefined) skipped.push({ runtime: name, reason: found.reason });
    else
      throw new FuzzError('runtime', `the runtime ${name} is not available: ${found.reason}`, {
        path: '--runtimes',
        hint: 'Install what it needs, or leave it out.',
      });
  }
  return { present, skipped };
}

/** What every runtime is compared with in one profile. */
async function profileTask(
  source: BundleSource,
  manifest: Manifest,
  vocabulary: Vocabulary,
  profile: string,
  drawn: readonly Omit<ParityCase, 'expected'>[],
  full: Reference | undefined,
): Promise<ProfileTask> {
  const tolerances = parityTolerances(manifest, profile);
  const golden = await readGolden(source, manifest, profile);
  const k = Math.min(10, manifest.model.entities);
  const reference = await referenceOf(source.location, profile, manifest);
  const cases = goldenParityCases(golden);
  const beside = new Map<ParityCase, ParityCase['expected']>();
  try {
    for (const entry of drawn) {
      const whole = { ...entry, expected: await reference.rank(entry.query, k) };
      cases.push(whole);
      if (profile !== 'fp32' && full !== undefined && entry.kind === 'fresh')
        beside.set(whole, await full.rank(entry.query, k));
    }
  } finally {
    await reference.close();
  }
  return {
    target: { directory: source.location, profile },
    graphs: manifest.profiles[profile]!,
    cases,
    beside,
    tolerances,
    queryText: (query) => formatQuery(query, vocabulary),
    relation: (id) => formatRelation(asRelationId(id), vocabulary),
  };
}

function referenceOf(bundle: string, profile: string, { model }: Manifest): Promise<Reference> {
  return openReference(bundle, profile, model);
}

async function readVocabulary(source: BundleSource): Promise<Vocabulary> {
  const { entities, relations } = bundlePaths;
  return createVocabulary({
    entities: readEntitiesTsv(await readBundleText(source, entities), entities),
    relations: readRelationsTsv(await readBundleText(source, relations), relations),
  });
}
