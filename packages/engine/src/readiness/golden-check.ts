import {
  compareCase,
  compareNumbers,
  compareRanking,
  type GoldenCase,
  hasGoldenSet,
  modesOf,
  type ParityTolerances,
  parityTolerances,
  type Ranked,
  readGolden,
} from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { instantiate, type StructureName, structureNames, structures } from '@fuzzqe/core/query';
import type { PlanChoice } from '../embedding/plan.ts';
import type { RankedBundle } from '../ranker/local-ranker.ts';
import type { AnswerMode, Ranker, RankRequest, RankResult, SetsResult } from '../ranker/ranker.ts';
import { rowsWithin } from '../sessions/rows-within.ts';
import { chunksOf } from '../sessions/tensor-values.ts';

/**
 * Asks a ranker for golden cases of its bundle: one of each structure by every kind of graph that it has open, and one by
 * fuzzy sets. Asked for are answers by the facts as opened, if the ranker still has them.
 *
 * @throws FuzzError `parity`: an answer that is further off than the bundle's tolerances. What the ranker throws.
 */
export type GoldenCheck = (ranker: Ranker) => Promise<void>;

/** Which golden cases are asked for. */
export interface GoldenChoice {
  /** Default: all. */
  readonly structures?: readonly StructureName[];
  /** Default: those of the bundle. */
  readonly mode?: AnswerMode;
}

/**
 * Reads the golden cases of a bundle for checks of rankers before they answer anybody.
 *
 * @throws FuzzError `bundle`: the file is missing or damaged.
 */
export async function createGoldenCheck(
  bundle: RankedBundle & { readonly profileName: string },
  { structures: wanted = structureNames, mode }: GoldenChoice = {},
): Promise<GoldenCheck> {
  const { source, manifest, profileName, rankAll } = bundle;
  const modes = mode === undefined ? modesOf(manifest) : [mode];
  const { k, cases } = await readGolden(source, manifest, profileName);
  const tolerances = parityTolerances(manifest, profileName);
  const first = new Map<StructureName, GoldenCase>();
  for (const each of cases)
    if (wanted.includes(each.structure) && !first.has(each.structure)) first.set(each.structure, each);
  return async (ranker) => {
    const asked = [...first.values()].flatMap((golden) =>
      requestsFor(golden, k, ranker.plan)
        .filter(({ task }) => modes.includes(task === 'sets' ? 'sets' : 'embedding'))
        // What is compared with nothing takes as long as what is.
        .filter(({ task }) => task !== 'sets' || hasGoldenSet(golden.structure, manifest.model.entities))
        .map((request) => ({ golden, request })),
    );
    // Where queries that leave nothing out have a graph of their own, none of these asks the one with a mask.
    const [golden] = first.values();
    if (rankAll !== undefined && golden !== undefined && modes.includes('embedding'))
      asked.push(amongItsBest(golden, plansOf(ranker.plan).at(-1)!));
    const results: RankResult[] = [];
    for (const some of chunksOf(asked, rowsWithin(scoresAtOnce, manifest.model.entities, asked.length)))
      results.push(...(await ranker.rank(some.map(({ request }) => request))));
    for (const [i, { golden }] of asked.entries()) {
      const result = results[i]!;
      const failure = goldenFailure(result, golden, tolerances);
      if (failure === undefined) continue;
      throw new FuzzError('parity', `the golden case of ${golden.structure}, ${result.task}: ${failure}`, {
        path: source.location,
        hint: `Compare ${ranker.runtime} with the reference by \`fuzzqe parity\`.`,
      });
    }
  };
}

/** How many numbers over entities the answers of one call to the ranker may have, of which there are a few each. */
const scoresAtOnce = 2 ** 19;

function requestsFor(
  { structure, anchors, relations }: GoldenCase,
  k: number,
  plan: PlanChoice,
): RankRequest[] {
  const query = instantiate(structures[structure].template, anchors, relations);
  return [
    ...plansOf(plan).map((each) => ({
      task: 'embedding' as const,
      query,
      k,
      plan: each,
      withEmbedding: true,
      epoch: 0,
    })),
    { task: 'sets', query, k, epoch: 0 },
  ];
}

/** Asks for the better half of the answers of a golden case with all else left out: they come in the order of the case. */
function amongItsBest(golden: GoldenCase, plan: PlanChoice): { golden: GoldenCase; request: RankRequest } {
  const { structure, anchors, relations } = golden;
  const k = Math.ceil(golden.ids.length / 2);
  const [ids, scores] = [golden.ids.slice(0, k), golden.scores.slice(0, k)];
  const query = instantiate(structures[structure].template, anchors, relations);
  const allowed = Int32Array.from(ids).sort();
  return {
    golden: { ...golden, ids, scores },
    request: { task: 'embedding', query, k, plan, allowed, withEmbedding: true, epoch: 0 },
  };
}

/** The plans whose graphs a ranker has open. */
function plansOf(plan: PlanChoice): readonly PlanChoice[] {
  if (plan === 'auto') return ['structure', 'program', 'operators'];
  return plan === 'edge' || plan === 'operators' ? [plan] : [plan, 'operators'];
}

/**
 * A ranking by degrees with what it leaves out, since answers have degrees above 0 alone: a golden case of few entities has some of
 * degree 0, and lists as many whatever they have.
 */
function withUnreached({ ids, degrees }: SetsResult, expected: readonly number[]): Ranked {
  const reached = new Set(ids);
  const others = expected
    .filter((id) => !reached.has(id))
    .slice(0, Math.max(0, expected.length - ids.length));
  return { ids: [...ids, ...others], scores: [...degrees, ...others.map(() => 0)] };
}

/** Why a result is not that of a golden case; undefined where it is. */
export function goldenFailure(
  result: RankResult,
  expected: GoldenCase,
  tolerances: ParityTolerances,
): string | undefined {
  switch (result.task) {
    case 'embedding': {
      const { embedding = expected.embedding } = result;
      return compareCase({ ...result, embedding }, expected, tolerances).failure;
    }
    case 'embed':
      return compareNumbers(result.embedding, expected.embedding, tolerances.embedding).failure;
    case 'sets':
    case 'degrees':
    case 'explain': {
      // There are none where rounding decides who is a member.
      if (expected.sets === null) return undefined;
      const { ids, degrees: scores } = expected.sets;
      const actual =
        result.task === 'sets'
          ? withUnreached(result, ids)
          : {
              ids,
              scores:
                result.task === 'explain'
                  ? result.derivations.map(({ degree }) => degree)
                  : Array.from(ids, (id) => result.degrees[id]!),
            };
      return compareRanking(actual, { ids, scores }, tolerances.degree, 'degree').failure;
    }
    case 'recorded':
    case 'pattern':
    case 'fold':
      // Golden cases are of structures and of the model.
      return undefined;
    case 'score':
      return compareNumbers(result.scores, expected.scores, tolerances.score).failure;
  }
}
