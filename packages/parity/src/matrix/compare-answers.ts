import type { ParityTolerances, Profile } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { type Pattern, type Query, structureNames } from '@fuzzqe/core/query';
import type { AnswerMode } from '@fuzzqe/engine';
import type { ExpectedAnswer, ParityCase } from '../cases/parity-case.ts';
import { type Answerer, firstLine, type ParityRuntime } from '../runtimes/runtime.ts';
import { diagnose, type Verdict } from './diagnose.ts';
import type { LargestDifference, ModeTally, ParityCell, ParityFailure } from './matrix.ts';
import { meanOverlaps } from './overlap.ts';
import { type AskedBy, ask, askedWaysOf, type Found, isAsked, type Judge, modeOf } from './ways.ts';

/** What is asked in one profile of a bundle, and what the answers should be. */
export interface ProfileTask {
  readonly directory: string;
  readonly profile: string;
  readonly graphs: Profile;
  readonly cases: readonly ParityCase[];
  /** What `fp32` says to fresh queries, where the profile is another. */
  readonly beside: ReadonlyMap<ParityCase, ExpectedAnswer>;
  readonly tolerances: ParityTolerances;
  queryText(query: Query | Pattern): string;
  relation(id: number): string;
}

/** One answer next to what was expected. */
interface Compared extends Verdict {
  readonly found: Found | undefined;
  readonly message: string | undefined;
}

/** What was asked in one way. */
interface Asked {
  readonly compared: readonly Compared[];
  readonly refused: readonly ParityFailure[];
}

/**
 * Opens a runtime on a bundle, and compares its answers in every way. The signal ends a program that answers.
 *
 * @throws FuzzError `runtime`: a program of its own that does not start, or ends before all is compared: that says nothing
 * about its answers. What opening throws that is another fault than the runtime's. Whatever `onAnswers` throws.
 */
export async function compareRuntime(
  name: string,
  runtime: ParityRuntime,
  task: ProfileTask,
  onAnswers?: (count: number) => void,
  signal?: AbortSignal,
): Promise<ParityCell> {
  const answerer = await runtime.open(task, signal).catch((cause: unknown) => {
    if (runtime.isProgram && cause instanceof FuzzError && cause.code === 'runtime')
      throw new FuzzError('runtime', `${name}, ${task.profile}: does not start: ${firstLine(cause)}`, {
        ...(cause.path === undefined ? {} : { path: cause.path }),
        hint: 'Mend it, or leave it out of --runtimes.',
        cause,
      });
    return refusing(name, cause);
  });
  try {
    return await compareAnswers(name, answerer, task, onAnswers);
  } finally {
    await answerer.close();
  }
}

/** A runtime that does not start for a bundle answers nothing; the others are compared all the same. */
function refusing(name: string, cause: unknown): Answerer {
  if (!(cause instanceof FuzzError && cause.code === 'runtime')) throw cause;
  const refuse = (): Promise<never> => Promise.reject(cause);
  return { runtime: name, rank: refuse, degrees: refuse, best: refuse, match: refuse, close: async () => {} };
}

/** How many answers a runtime gives to cases of a profile. */
export function answersTo(cases: readonly ParityCase[], profile: Profile): number {
  return askedWaysOf(profile).reduce(
    (sum, by) => sum + cases.filter((entry) => isAsked(entry, by)).length,
    0,
  );
}

/**
 * Compares the answers to every case in every way: golden cases are asked one by one, drawn queries all together.
 *
 * A structure without a golden case fails: what is not compared is not known to be right. So do queries that are refused
 * together, though each may be answered alone.
 *
 * @throws FuzzError `runtime`: the answerer ended. Whatever `onAnswers` throws.
 */
export async function compareAnswers(
  name: string,
  answerer: Answerer,
  task: ProfileTask,
  onAnswers: (count: number) => void = () => {},
): Promise<ParityCell> {
  const start = performance.now();
  const { compared, refused } = await askAll(answerer, task, askedWaysOf(task.graphs), onAnswers).catch(
    (cause: unknown) => {
      const ended = answerer.ended?.();
      throw ended === undefined ? cause : hasEnded(`${name}, ${task.profile}: ${ended}`, cause);
    },
  );
  return {
    runtime: name,
    profile: task.profile,
    on: answerer.runtime,
    ...summarise(compared, refused, task),
    seconds: (performance.now() - start) / 1000,
  };
}

function hasEnded(what: string, cause: unknown): FuzzError {
  return new FuzzError('runtime', `${what}; nothing more was compared`, {
    hint: 'Was it killed, or was there no memory left? Compare again, or leave it out of --runtimes.',
    cause,
  });
}

/** Compares golden cases with what follows from the weights in the bundle, without any graph. */
export async function compareReference(
  reference: Asking,
  task: ProfileTask,
  onAnswers: (count: number) => void = () => {},
): Promise<ParityCell> {
  const golden = { ...task, cases: task.cases.filter(({ kind }) => kind === 'golden') };
  const { compared, refused } = await askAll(reference, golden, ['structure', 'sets', 'best'], onAnswers);
  const summary = summarise(compared, refused, golden);
  return { runtime: 'reference', profile: task.profile, on: 'float64', seconds: 0, ...summary };
}

/** Of every structure that has a graph there is a golden case; all have one where graphs are combined. */
function withoutGolden({ cases, graphs }: ProfileTask): ParityFailure[] {
  const golden = new Set(cases.flatMap(({ kind, structure }) => (kind === 'golden' ? [structure] : [])));
  return structureNames
    .filter((name) => graphs.structures === undefined || Object.hasOwn(graphs.structures, name))
    .filter((name) => !golden.has(name))
    .map((structure) => ({
      kind: 'golden',
      structure,
      by: 'structure',
      query: '',
      anchors: [],
      relations: [],
      message: 'there is no golden case of this structure; export the bundle again',
    }));
}

type Asking = Pick<Answerer, 'rank' | 'degrees' | 'best' | 'match' | 'ended'>;

async function askAll(
  answerer: Asking,
  task: ProfileTask,
  ways: readonly AskedBy[],
  onAnswers: (count: number) => void,
): Promise<Asked> {
  const compared: Compared[] = [];
  const refused = withoutGolden(task);
  for (const by of ways) {
    const own = task.cases.filter((entry) => isAsked(entry, by));
    const asked = await askIn(answerer, own, by, task, onAnswers);
    compared.push(...asked.compared);
    refused.push(...asked.refused);
  }
  return { compared, refused };
}

async function askIn(
  answerer: Asking,
  cases: readonly ParityCase[],
  by: AskedBy,
  { tolerances }: ProfileTask,
  onAnswers: (count: number) => void,
): Promise<Asked> {
  const compared: Compared[] = [];
  const refused: ParityFailure[] = [];
  const add = (entry: ParityCase, judge: Judge | string): void => {
    const found = typeof judge === 'string' ? undefined : judge(entry, tolerances);
    const message = typeof judge === 'string' ? judge : found!.failure;
    const failed = message !== undefined;
    compared.push({ entry, by, failed, answered: found !== undefined, found, message });
    onAnswers(1);
  };
  const refusal = (cause: unknown): string => {
    if (answerer.ended?.() !== undefined) throw cause;
    return firstLine(cause);
  };
  const addAlone = async (entry: ParityCase): Promise<void> =>
    add(entry, await askTogether(answerer, [entry], by).then(([judge]) => judge!, refusal));
  for (const entry of cases) if (entry.kind === 'golden') await addAlone(entry);
  const drawn = cases.filter(({ kind }) => kind !== 'golden');
  if (drawn.length === 0) return { compared, refused };
  const together = await askTogether(answerer, drawn, by).catch(refusal);
  if (typeof together === 'string') {
    refused.push({
      kind: 'batch',
      structure: null,
      by,
      query: '',
      anchors: [],
      relations: [],
      message: together,
    });
    // Each alone, only to say which of them the runtime refuses: the batch has failed.
    for (const entry of drawn) await addAlone(entry);
  } else for (const [i, entry] of drawn.entries()) add(entry, together[i]!);
  return { compared, refused };
}

async function askTogether(answerer: Asking, cases: readonly ParityCase[], by: AskedBy): Promise<Judge[]> {
  const answers = await ask(answerer, cases, by);
  if (answers.length !== cases.length)
    throw new FuzzError('runtime', `expected ${cases.length} answers, got ${answers.length}`);
  return answers;
}

function summarise(
  compared: readonly Compared[],
  others: readonly ParityFailure[],
  task: ProfileTask,
): Omit<ParityCell, 'runtime' | 'profile' | 'on' | 'seconds'> {
  const failed = compared.filter((each) => each.failed).map((each) => failureOf(each, task));
  const failures = [...others, ...failed];
  const diagnosis = diagnose(compared, { profile: task.graphs, relation: task.relation });
  const refusesBatches = others.some(({ kind }) => kind === 'batch');
  const modes = { embedding: tallyOf(compared, 'embedding', task), sets: tallyOf(compared, 'sets', task) };
  return {
    passed: modes.embedding.compared > 0 && modes.sets.compared > 0 && failures.length === 0,
    compared: compared.length,
    modes,
    embedding: worstOf(compared, 'embedding'),
    score: worstOf(compared, 'score'),
    degree: worstOf(compared, 'degree'),
    failures,
    diagnosis:
      refusesBatches && failed.length === 0
        ? ['The runtime refuses queries that are asked together, and answers each of them alone.']
        : diagnosis,
  };
}

/** What was compared in a mode, and how alike it is to `fp32`. */
function tallyOf(compared: readonly Compared[], mode: AnswerMode, { beside }: ProfileTask): ModeTally {
  const own = compared.filter(({ by }) => modeOf(by) === mode);
  const answers = own
    .filter(({ by }) => by !== 'exclusion' && by !== 'best')
    .map(({ entry, found }) => ({ entry, ranked: found?.ranked }));
  return {
    compared: own.length,
    sameRanking: own.filter(({ found }) => found?.sameRanking).length,
    beside: meanOverlaps(answers, (entry) => {
      const full = beside.get(entry);
      return mode === 'sets' ? full?.set : full;
    }),
  };
}

function failureOf({ entry, by, message }: Compared, { queryText }: ProfileTask): ParityFailure {
  const { kind, structure, anchors, relations, query } = entry;
  return { kind, structure, by, query: queryText(query), anchors, relations, message: message! };
}

function worstOf(compared: readonly Compared[], of: keyof ParityTolerances): LargestDifference {
  let [absolute, relative, share, where] = [0, 0, 0, ''];
  for (const { entry, by, found } of compared) {
    const numbers = found?.numbers[of];
    if (numbers === undefined) continue;
    relative = Math.max(relative, numbers.relative);
    share = Math.max(share, numbers.share);
    if (numbers.absolute <= absolute) continue;
    absolute = numbers.absolute;
    where = `${entry.kind} ${entry.structure ?? ''} by ${by}, element ${numbers.element}`.replace('  ', ' ');
  }
  return { absolute, relative, share, where };
}
