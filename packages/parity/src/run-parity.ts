import {
  type BundleSource,
  type Manifest,
  type ManifestOptions,
  modesOf,
  parityTolerances,
  profileGraphs,
  profileOf,
  type Ranked,
  readGolden,
  readVocabulary,
  verifyBundle,
} from '@fuzzqe/bundle';
import { asRelationId, describeValue, FuzzError, type Vocabulary } from '@fuzzqe/core';
import { formatPattern, formatQuery, formatRelation } from '@fuzzqe/core/query';
import { openBundle } from '@fuzzqe/engine';
import { bundleFolder, folderSource } from '@fuzzqe/serve';
import {
  type DrawnQuery,
  type DrawOptions,
  drawQueries,
  type ExpectedAnswer,
  goldenParityCases,
  type ParityCase,
} from './cases/parity-case.ts';
import { answersTo, compareReference, compareRuntime, type ProfileTask } from './matrix/compare-answers.ts';
import type { ParityCell, ParityMatrix, SkippedRuntime, UndecidedSets } from './matrix/matrix.ts';
import { openReference, type Reference } from './reference/reference.ts';
import { type ParityRuntimeName, parityRuntimeNames, parityRuntimes } from './runtimes/registry.ts';

/** What to compare. */
export interface ParityOptions extends DrawOptions, ManifestOptions {
  readonly bundle: string;
  /** Undefined: all that the bundle has. */
  readonly profiles?: readonly string[];
  /** Undefined: all that are present here; the others are listed as skipped. */
  readonly runtimes: readonly ParityRuntimeName[] | undefined;
  /** Hears how many answers are there, of how many that are to come, and where the next come from. */
  readonly onProgress?: (done: number, total: number, what: string) => void;
  /** Hears that a bundle is fetched from the Hub. */
  readonly onNote?: (line: string) => void;
  /** Stops the comparison after the answer under way, and ends a program that is asked elsewhere at once. */
  readonly signal?: AbortSignal;
}

/**
 * Compares a bundle's answers on the present runtimes, in its profiles, with what float64 says.
 *
 * @throws FuzzError `bundle`: the bundle is damaged, not signed as it has to be, or lacks a golden case of a structure. `usage`: it has no such profile,
 * or there is no query to ask. `runtime`: a runtime that was asked for by name is absent; a program of its own does not
 * start, or ends before all is compared. `parity`: the manifest allows more than this version does. `interrupted`: the
 * signal was raised.
 * @example
 * const matrix = await runParity({ bundle: 'bundles/mine', runtimes: ['node', 'web'], fresh: 4, trees: 30, seed: 1 });
 */
export async function runParity(options: ParityOptions): Promise<ParityMatrix> {
  checkOptions(options);
  try {
    return await compareAll(options);
  } catch (cause) {
    // A program that the signal ended is no fault of its runtime.
    if (options.signal?.aborted) throw new FuzzError('interrupted', 'parity: stopped', { cause });
    throw cause;
  }
}

async function compareAll(options: ParityOptions): Promise<ParityMatrix> {
  const { runtimes, onProgress = () => {}, onNote = () => {}, signal } = options;
  const stop = signal === undefined ? {} : { signal };
  const bundle = await bundleFolder(options.bundle, { onNote, ...stop });
  const source = folderSource(bundle);
  const manifest = await verifyBundle(source, options);
  if (!modesOf(manifest).includes('sets'))
    throw new FuzzError('usage', 'expected a bundle with facts, got one without', {
      path: options.bundle,
      hint: 'Compare the bundle of the same run for servers; a Worker compares golden cases at /readyz.',
    });
  const profiles = chooseProfiles(manifest, options.profiles);
  const tasks: TaskStart[] = [];
  for (const profile of profiles) {
    // Looking for a runtime opens a graph already.
    const { source: checked } = await openBundle(source, { profile, verify: false });
    for (const { path } of profileGraphs(profileOf(manifest, profile))) await checked.verify?.(path);
    tasks.push(await startTask(source, manifest, profile));
  }
  onProgress(0, 1, 'looking for runtimes');
  const { present, skipped } = await findRuntimes(bundle, profiles[0]!, runtimes);

  const drawn = drawQueries(manifest.model, options);
  const progress = counter(onProgress, totalOf(tasks, drawn, present.length), signal);
  const vocabulary = await readVocabulary(source, manifest);
  const cells: ParityCell[] = [];
  const reference: ParityCell[] = [];
  const undecided: UndecidedSets[] = [];
  const full = profiles.includes('fp32') ? await openReference(bundle, 'fp32', manifest) : undefined;
  try {
    for (const start of tasks) {
      const { profile } = start;
      const task = await completeTask(start, manifest, vocabulary, drawn, full, (count) =>
        progress(count, `float64, ${profile}`),
      );
      reference.push(task.reference);
      const unset = task.cases.filter(({ expected }) => expected.set === undefined).length;
      undecided.push({ profile, count: unset, queries: task.cases.length });
      for (const name of present) {
        const hear = (count: number): void => progress(count, `${name}, ${profile}`);
        hear(0);
        const cell = await compareRuntime(name, parityRuntimes[name], task, hear, signal);
        const lacks = runtimes === undefined ? deviceLacks(cell) : undefined;
        if (lacks === undefined) cells.push(cell);
        else skipped.push({ runtime: `${name}, ${profile}`, reason: lacks });
      }
    }
  } finally {
    await full?.close();
  }
  const comparedIn = (profile: string): boolean => cells.some((cell) => cell.profile === profile);
  const passed = profiles.every(comparedIn) && cells.every((cell) => cell.passed);
  return { bundle, model: manifest.name, passed, profiles, cells, reference, skipped, undecided };
}

/** What is asked for must be able to fail: no empty lists, and batches of each structure. */
function checkOptions({ fresh, trees, runtimes, profiles }: ParityOptions): void {
  if (!Number.isInteger(fresh) || fresh < 2)
    throw new FuzzError('usage', `fresh: expected at least 2 queries of each structure, got ${fresh}`, {
      hint: 'Golden cases are asked one by one; one fresh query is no batch of a structure.',
    });
  if (!Number.isInteger(trees) || trees < 0)
    throw new FuzzError('usage', `trees: expected a whole number of drawn trees, got ${trees}`, {
      hint: 'Ask for 0 to compare none.',
    });
  if (runtimes?.length === 0)
    throw new FuzzError('usage', 'runtimes: expected at least one, got none', {
      hint: `choose from: ${parityRuntimeNames.join(', ')}`,
    });
  const areNames = (names: unknown): boolean =>
    Array.isArray(names) && names.every((name) => parityRuntimeNames.includes(name));
  if (runtimes !== undefined && !areNames(runtimes))
    throw new FuzzError('usage', `runtimes: expected names of them, got ${describeValue(runtimes)}`, {
      path: '$.runtimes',
      hint: `choose from: ${parityRuntimeNames.join(', ')}`,
    });
  if (profiles?.length === 0)
    throw new FuzzError('usage', 'profiles: expected at least one, got none', {
      hint: 'Leave the option out for all that the bundle has.',
    });
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

/** Why a device cannot run a profile at all; undefined where it gave any embedding, or failed otherwise. */
function deviceLacks({ failures, modes }: ParityCell): string | undefined {
  const lacks = (message: string): boolean =>
    /the device does not support it|^tfjs \w+ cannot (?:run|hold) /.test(message);
  // The set of an anchor needs no graph.
  const embeddings = failures.filter(({ kind, by }) => kind !== 'batch' && by !== 'sets');
  return embeddings.length === modes.embedding.compared && failures.every(({ message }) => lacks(message))
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

/** What is known of a profile before anything is computed: a bundle that cannot be judged is refused at once. */
type TaskStart = Pick<ProfileTask, 'directory' | 'profile' | 'graphs' | 'tolerances'> & {
  readonly golden: readonly ParityCase[];
};

async function startTask(source: BundleSource, manifest: Manifest, profile: string): Promise<TaskStart> {
  return {
    directory: source.location,
    profile,
    graphs: profileOf(manifest, profile),
    tolerances: parityTolerances(manifest, profile),
    golden: goldenParityCases(await readGolden(source, manifest, profile)),
  };
}

/** Answers everything in float64: what every runtime is compared with in one profile, and the golden cases first. */
async function completeTask(
  { golden, ...start }: TaskStart,
  manifest: Manifest,
  vocabulary: Vocabulary,
  drawn: readonly DrawnQuery[],
  full: Reference | undefined,
  onAnswers: (count: number) => void,
): Promise<ProfileTask & { readonly reference: ParityCell }> {
  const { directory, profile } = start;
  const k = Math.min(10, manifest.model.entities);
  const cases = [...golden];
  const beside = new Map<ParityCase, ExpectedAnswer>();
  const reference = await openReference(directory, profile, manifest);
  try {
    for (const entry of drawn) {
      const whole = { ...entry, expected: await reference.expect(entry.query, k) };
      cases.push(whole);
      if (profile !== 'fp32' && full !== undefined && entry.kind === 'fresh')
        beside.set(whole, await full.expect(entry.query, k));
      onAnswers(1);
    }
    const task: ProfileTask = {
      ...start,
      cases,
      beside,
      queryText: (query) =>
        'where' in query ? formatPattern(query, vocabulary) : formatQuery(query, vocabulary),
      relation: (id) => formatRelation(asRelationId(id), vocabulary),
    };
    return { ...task, reference: await compareReference(reference, task, onAnswers) };
  } finally {
    await reference.close();
  }
}

/** How many answers there will be at most: in float64 those to golden cases and one of each query, on a runtime each. */
function totalOf(tasks: readonly TaskStart[], drawn: readonly DrawnQuery[], runtimes: number): number {
  // What float64 says of a drawn query is not known yet: as if it were compared in every way.
  const whole: ExpectedAnswer = { embedding: [], ids: [], scores: [], open: nothing, set: nothing };
  const asked = drawn.map((entry) => ({ ...entry, expected: whole }));
  return tasks.reduce(
    (sum, { golden, graphs }) =>
      sum + 2 * golden.length + drawn.length + runtimes * answersTo([...golden, ...asked], graphs),
    0,
  );
}

const nothing: Ranked = { ids: [], scores: [] };

function counter(
  onProgress: NonNullable<ParityOptions['onProgress']>,
  total: number,
  signal: AbortSignal | undefined,
): (count: number, what: string) => void {
  let done = 0;
  return (count, what) => {
    signal?.throwIfAborted();
    done += count;
    onProgress(done, total, what);
  };
}
