import { FuzzError } from '@fuzzqe/core';
import type { Profile } from '@fuzzqe/core/bundle';
import type { Query } from '@fuzzqe/core/query';
import { type ParityTolerances, type PlanWay, planWays } from '@fuzzqe/engine';
import type { ParityCase } from '../cases/parity-case.ts';
import type { RankedAnswer } from '../cases/ranked-answer.ts';
import { type Answerer, firstLine, type ParityRuntime, type ParityTarget } from '../runtimes/runtime.ts';
import { besideOf, type CaseComparison, compareCase, type Gap } from './compare-case.ts';
import { diagnose, type Verdict } from './diagnose.ts';
import type { ParityCell, ParityFailure, Worst } from './matrix.ts';

/** What a runtime is asked in one profile, and what it should say. */
export interface ProfileTask {
  readonly target: ParityTarget;
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

/** Asks one runtime everything, in every way that the profile has graphs for. */
export async function compareOn(
  name: string,
  runtime: ParityRuntime,
  task: ProfileTask,
): Promise<ParityCell> {
  const start = performance.now();
  const { target, graphs } = task;
  const answerer = await runtime.open(target).catch((cause) => refusing(name, cause));
  try {
    // The reference uses no graphs, so it has one way, and its own answers to drawn queries would prove nothing.
    const isReference = name === 'reference';
    const ways = isReference
      ? (['structure'] as const)
      : planWays.filter((by) => (by !== 'program' && by !== 'edge') || graphs[by] !== undefined);
    const cases = isReference ? task.cases.filter(({ kind }) => kind === 'golden') : task.cases;
    const compared: Compared[] = [];
    for (const by of ways) {
      const own = cases.filter(({ structure }) => structure !== null || by === 'operators');
      compared.push(...(await askAll(answerer, own, by, task)));
    }
    const seconds = (performance.now() - start) / 1000;
    return {
      runtime: name,
      profile: target.profile,
      on: answerer.runtime,
      seconds,
      ...summarise(compared, task),
    };
  } finally {
    await answerer.close();
  }
}

/** A runtime that does not start for a bundle answers nothing; the others are compared all the same. */
function refusing(name: string, cause: unknown): Answerer {
  if (!(cause instanceof FuzzError && cause.code === 'runtime')) throw cause;
  return { runtime: name, rank: () => Promise.reject(cause), close: async () => {} };
}

async function askAll(
  answerer: Answerer,
  cases: readonly ParityCase[],
  by: PlanWay,
  { tolerances }: ProfileTask,
): Promise<Compared[]> {
  const compared: Compared[] = [];
  // Golden cases list as many entities as the exporter chose, drawn ones ten.
  for (const k of new Set(cases.map(({ expected }) => expected.ids.length))) {
    const group = cases.filter(({ expected }) => expected.ids.length === k);
    const answers = await rankEach(answerer, group, k, by);
    for (const [i, entry] of group.entries()) {
      const answer = answers[i]!;
      const comparison = typeof answer === 'string' ? undefined : compareCase(answer, entry, tolerances);
      const message = typeof answer === 'string' ? answer : comparison?.failure;
      compared.push({
        entry,
        by,
        failed: message !== undefined,
        answered: typeof answer !== 'string',
        comparison,
        message,
        answer: typeof answer === 'string' ? undefined : answer,
      });
    }
  }
  return compared;
}

/** The answers, or why there is none. One query that cannot be answered does not take the others with it. */
async function rankEach(
  answerer: Answerer,
  cases: readonly ParityCase[],
  k: number,
  plan: PlanWay,
): Promise<readonly (RankedAnswer | string)[]> {
  try {
    return await answerer.rank(
      cases.map(({ query }) => query),
      { k, plan },
    );
  } catch {
    const answers: (RankedAnswer | string)[] = [];
    for (const { query } of cases)
      answers.push(await answerer.rank([query], { k, plan }).then(([first]) => first!, firstLine));
    return answers;
  }
}

function summarise(
  compared: readonly Compared[],
  task: ProfileTask,
): Omit<ParityCell, 'runtime' | 'profile' | 'on' | 'seconds'> {
  const failures = compared.filter(({ failed }) => failed).map((each) => failureOf(each, task));
  return {
    passed: failures.length === 0,
    compared: compared.length,
    embedding: worstOf(compared, 'embedding'),
    score: worstOf(compared, 'score'),
    sameRanking: compared.filter(({ comparison }) => comparison?.sameRanking).length,
    beside: besideAll(compared, task),
    failures,
    diagnosis: diagnose(compared, { profile: task.graphs, relation: task.relation }),
  };
}

function failureOf({ entry, by, message }: Compared, { queryText }: ProfileTask): ParityFailure {
  const { kind, structure, anchors, relations, query } = entry;
  return { kind, structure, by, query: queryText(query), anchors, relations, message: message! };
}

function worstOf(compared: readonly Compared[], of: 'embedding' | 'score'): Worst {
  let [absolute, relative, where] = [0, 0, ''];
  for (const { entry, by, comparison } of compared) {
    const gap: Gap | undefined = comparison?.[of];
    if (gap === undefined) continue;
    relative = Math.max(relative, gap.relative);
    if (gap.absolute <= absolute) continue;
    absolute = gap.absolute;
    where = `${entry.kind} ${entry.structure ?? ''} by ${by}, element ${gap.element}`.replace('  ', ' ');
  }
  return { absolute, relative, where };
}

function besideAll(compared: readonly Compared[], { beside }: ProfileTask): ParityCell['beside'] {
  const pairs = compared.flatMap(({ entry, answer }) => {
    const expected = beside.get(entry);
    return expected === undefined || answer === undefined ? [] : [besideOf(answer, expected)];
  });
  if (pairs.length === 0) return null;
  const mean = (of: 'overlap10' | 'rbo'): number =>
    pairs.reduce((sum, pair) => sum + pair[of], 0) / pairs.length;
  return { overlap10: mean('overlap10'), rbo: mean('rbo') };
}
