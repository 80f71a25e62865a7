import { FuzzError } from '@fuzzqe/core';
import {
  type CaseComparison,
  type Comparison,
  compareCase,
  type ParityTolerances,
  type Profile,
  type RankedAnswer,
} from '@fuzzqe/core/bundle';
import { type Query, structureNames } from '@fuzzqe/core/query';
import { type PlanKind, planKinds } from '@fuzzqe/engine';
import type { ParityCase } from '../cases/parity-case.ts';
import { type Answerer, firstLine, type ParityRuntime } from '../runtimes/runtime.ts';
import { diagnose, type Verdict } from './diagnose.ts';
import type { LargestDifference, ParityCell, ParityFailure } from './matrix.ts';
import { meanOverlaps } from './overlap.ts';

/** What is asked in one profile of a bundle, and what the answers should be. */
export interface ProfileTask {
  readonly directory: string;
  readonly profile: string;
  readonly graphs: Profile;
  readonly cases: readonly ParityCase[];
  /** What `fp32` says to fresh queries, where the profile is another. */
  readonly beside: ReadonlyMap<ParityCase, RankedAnswer>;
  readonly tolerances: ParityTolerances;
  queryText(query: Query): string;
  relation(id: number): string;
}

/** One answer beside what was expected. */
interface Compared extends Verdict {
  readonly comparison: CaseComparison | undefined;
  readonly message: string | undefined;
  readonly answer: RankedAnswer | undefined;
}

/** What was asked by one kind of plan. */
interface Asked {
  readonly compared: readonly Compared[];
  readonly refused: readonly ParityFailure[];
}

/** Opens a runtime on a bundle, and compares its answers by every kind of plan that the profile has graphs for. */
export async function compareRuntime(
  name: string,
  runtime: ParityRuntime,
  task: ProfileTask,
  onAnswers?: (count: number) => void,
): Promise<ParityCell> {
  const answerer = await runtime.open(task).catch((cause) => refusing(name, cause));
  try {
    return await compareAnswers(name, answerer, task, onAnswers);
  } finally {
    await answerer.close();
  }
}

/** A runtime that does not start for a bundle answers nothing; the others are compared all the same. */
function refusing(name: string, cause: unknown): Answerer {
  if (!(cause instanceof FuzzError && cause.code === 'runtime')) throw cause;
  return { runtime: name, rank: () => Promise.reject(cause), close: async () => {} };
}

/** Returns the kinds of plan that a profile has graphs for. */
export function planKindsOf(graphs: Pick<Profile, 'program' | 'edge'>): readonly PlanKind[] {
  return planKinds.filter((by) => (by !== 'program' && by !== 'edge') || graphs[by] !== undefined);
}

/**
 * Compares the answers to every case by every kind of plan: golden cases are asked one by one, drawn queries all together.
 *
 * A structure without a golden case fails: what is not compared is not known to be right. So do queries that are refused
 * together, though each may be answered alone.
 */
export async function compareAnswers(
  name: string,
  answerer: Answerer,
  task: ProfileTask,
  onAnswers: (count: number) => void = () => {},
): Promise<ParityCell> {
  const start = performance.now();
  const compared: Compared[] = [];
  const others = withoutGolden(task);
  for (const by of planKindsOf(task.graphs)) {
    const own = task.cases.filter(({ structure }) => structure !== null || by === 'operators');
    const asked = await askAll(answerer, own, by, task, onAnswers);
    compared.push(...asked.compared);
    others.push(...asked.refused);
  }
  return {
    runtime: name,
    profile: task.profile,
    on: answerer.runtime,
    ...summarise(compared, others, task),
    seconds: (performance.now() - start) / 1000,
  };
}

/** Compares golden cases with what follows from the weights in the bundle, without any graph. */
export async function compareReference(
  reference: { rank(query: Query, k: number): Promise<RankedAnswer> },
  task: ProfileTask,
  onAnswers: (count: number) => void = () => {},
): Promise<ParityCell> {
  const golden = { ...task, cases: task.cases.filter(({ kind }) => kind === 'golden') };
  const answerer: Answerer = {
    runtime: 'float64',
    rank: (queries, { k }) => Promise.all(queries.map((query) => reference.rank(query, k))),
    close: async () => {},
  };
  const { compared, refused } = await askAll(answerer, golden.cases, 'structure', golden, onAnswers);
  const summary = summarise(compared, [...withoutGolden(golden), ...refused], golden);
  return { runtime: 'reference', profile: task.profile, on: answerer.runtime, seconds: 0, ...summary };
}

function withoutGolden({ cases }: ProfileTask): ParityFailure[] {
  const golden = new Set(cases.flatMap(({ kind, structure }) => (kind === 'golden' ? [structure] : [])));
  return structureNames
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

async function askAll(
  answerer: Answerer,
  cases: readonly ParityCase[],
  by: PlanKind,
  { tolerances }: ProfileTask,
  onAnswers: (count: number) => void,
): Promise<Asked> {
  const compared: Compared[] = [];
  const refused: ParityFailure[] = [];
  const add = (entry: ParityCase, answer: RankedAnswer | string): void => {
    const answered = typeof answer !== 'string';
    const comparison = answered ? compareCase(answer, entry.expected, tolerances) : undefined;
    const message = answered ? comparison?.failure : answer;
    compared.push({
      entry,
      by,
      failed: message !== undefined,
      answered,
      comparison,
      message,
      answer: answered ? answer : undefined,
    });
    onAnswers(1);
  };
  const golden = cases.filter(({ kind }) => kind === 'golden');
  for (const entry of golden) add(entry, await rankOne(answerer, entry, by));
  const drawn = cases.filter(({ kind }) => kind !== 'golden');
  if (drawn.length === 0) return { compared, refused };
  const together = await rank(answerer, drawn, by).catch(firstLine);
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
    for (const entry of drawn) add(entry, await rankOne(answerer, entry, by));
  } else for (const [i, entry] of drawn.entries()) add(entry, together[i]!);
  return { compared, refused };
}

function rankOne(answerer: Answerer, entry: ParityCase, by: PlanKind): Promise<RankedAnswer | string> {
  return rank(answerer, [entry], by).then(([answer]) => answer!, firstLine);
}

async function rank(
  answerer: Answerer,
  cases: readonly ParityCase[],
  plan: PlanKind,
): Promise<readonly RankedAnswer[]> {
  const k = cases[0]!.expected.ids.length;
  const queries = cases.map(({ query }) => query);
  const answers = await answerer.rank(queries, { k, plan });
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
  return {
    passed: compared.length > 0 && failures.length === 0,
    compared: compared.length,
    embedding: worstOf(compared, 'embedding'),
    score: worstOf(compared, 'score'),
    sameRanking: compared.filter(({ comparison }) => comparison?.sameRanking).length,
    beside: meanOverlaps(compared, task.beside),
    failures,
    diagnosis:
      refusesBatches && failed.length === 0
        ? ['The runtime refuses queries that are asked together, and answers each of them alone.']
        : diagnosis,
  };
}

function failureOf({ entry, by, message }: Compared, { queryText }: ProfileTask): ParityFailure {
  const { kind, structure, anchors, relations, query } = entry;
  return { kind, structure, by, query: queryText(query), anchors, relations, message: message! };
}

function worstOf(compared: readonly Compared[], of: 'embedding' | 'score'): LargestDifference {
  let [absolute, relative, share, where] = [0, 0, 0, ''];
  for (const { entry, by, comparison } of compared) {
    const found: Comparison | undefined = comparison?.[of];
    if (found === undefined) continue;
    relative = Math.max(relative, found.relative);
    share = Math.max(share, found.share);
    if (found.absolute <= absolute) continue;
    absolute = found.absolute;
    where = `${entry.kind} ${entry.structure ?? ''} by ${by}, element ${found.element}`.replace('  ', ' ');
  }
  return { absolute, relative, share, where };
}
