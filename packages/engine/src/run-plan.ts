import { FuzzError } from '@fuzzqe/core';
import { edgeSlots, type Profile } from '@fuzzqe/core/bundle';
import { planProgram, structureNames } from '@fuzzqe/core/query';
import type { Batch } from './batch.ts';
import type { Plan, PlanKind } from './plan.ts';
import { runOperators } from './run-operators.ts';
import type { TensorValues } from './session.ts';
import type { SessionCache } from './session-cache.ts';
import { matrix, outputOf, vector } from './tensor-values.ts';

/** What the model says about one query, before names and known facts. */
export interface Ranking {
  /** S_q, [d]. */
  readonly embedding: Float32Array;
  /** [k], best first, ties to the lower id. */
  readonly ids: Int32Array;
  /** φ(q, e) of `ids`, [k]. */
  readonly scores: Float32Array;
}

/** What a plan runs on. */
export interface PlanContext {
  readonly profile: Profile;
  readonly sessions: SessionCache;
  readonly entityCount: number;
  /** How many rows a run takes at most. */
  readonly batchSize: number;
}

/**
 * Answers the queries of one batch.
 *
 * Shapes: plans [n], of equal `shape` unless `kind` is `program`; k in [1, entityCount] → n rankings of k entities.
 * @throws FuzzError `runtime`: a graph fails, or gives what is no ranking.
 */
export async function runPlans(
  context: PlanContext,
  { kind, plans, k }: Pick<Batch, 'kind' | 'plans' | 'k'>,
): Promise<Ranking[]> {
  const outputs = await runners[kind](context, plans, k);
  return splitRows(outputs, plans.length, k, context.entityCount);
}

type Plans = readonly [Plan, ...Plan[]];

/** How each kind runs. */
const runners: Readonly<
  Record<PlanKind, (context: PlanContext, plans: Plans, k: number) => Promise<TensorValues>>
> = { structure: runStructure, operators: runOperators, program: runProgram, edge: runEdge };

async function runStructure(
  { profile, sessions }: PlanContext,
  plans: Plans,
  k: number,
): Promise<TensorValues> {
  const session = await sessions.get(profile.structures[plans[0].structure!.name]);
  return session.run({
    anchors: matrix(plans.map((plan) => plan.anchors)),
    relations: matrix(plans.map((plan) => plan.relations)),
    k: vector([k]),
  });
}

async function runProgram(
  { profile, sessions }: PlanContext,
  plans: Plans,
  k: number,
): Promise<TensorValues> {
  const graph = profile.program!; // plans are made for the graphs that the profile has
  const program: Readonly<Record<string, Int32Array>> = {
    ...planProgram(
      plans.map(({ structure, anchors, relations }) => ({ structure: structure!.name, anchors, relations })),
    ),
    k: Int32Array.of(k),
  };
  const session = await sessions.get(graph);
  return session.run(
    Object.fromEntries(
      graph.inputs.map(({ name, shape: [, ...rest] }) => {
        const data = program[name]!;
        const inner = rest.map(Number); // only the number of rows is known at the run alone
        const rows = data.length / inner.reduce((product, dim) => product * dim, 1);
        return [name, { dims: [rows, ...inner], data }];
      }),
    ),
  );
}

async function runEdge({ profile, sessions }: PlanContext, plans: Plans, k: number): Promise<TensorValues> {
  const session = await sessions.get(profile.edge!);
  const filled = (slots: readonly number[]): number[] =>
    Array.from({ length: edgeSlots }, (_, slot) => slots[slot] ?? 0);
  return session.run({
    structure: vector([structureNames.indexOf(plans[0].structure!.name)]),
    anchors: matrix(plans.map((plan) => filled(plan.anchors))),
    relations: matrix(plans.map((plan) => filled(plan.relations))),
    k: vector([k]),
  });
}

function splitRows(outputs: TensorValues, rows: number, k: number, entityCount: number): Ranking[] {
  const embedding = outputOf(outputs, 'embedding');
  const ids = outputOf(outputs, 'ids');
  const scores = outputOf(outputs, 'scores');
  const width = embedding.data.length / rows;
  if (ids.data.length !== rows * k || scores.data.length !== rows * k || !Number.isInteger(width)) {
    throw new FuzzError(
      'runtime',
      `ranking: expected ids and scores [${rows}, ${k}], got [${ids.dims}] and [${scores.dims}]`,
      { hint: 'The graphs do not belong to this bundle; export it again.' },
    );
  }
  return Array.from({ length: rows }, (_, row) => {
    const from = row * k;
    return {
      embedding: Float32Array.from(embedding.data.subarray(row * width, (row + 1) * width)),
      ...orderRanking(ids.data.subarray(from, from + k), scores.data.subarray(from, from + k), entityCount),
    };
  });
}

/** Best first, ties to the lower id: runtimes on a GPU leave the order of equal scores open. */
function orderRanking(
  ids: ArrayLike<number>,
  scores: ArrayLike<number>,
  entityCount: number,
): Pick<Ranking, 'ids' | 'scores'> {
  const places = Array.from({ length: ids.length }, (_, i) => i);
  const seen = new Set<number>();
  for (const i of places) {
    const id = ids[i]!;
    if (id < 0 || id >= entityCount || seen.has(id) || !Number.isFinite(scores[i])) {
      throw new FuzzError(
        'runtime',
        `ranking: expected distinct entities with finite scores, got ${id} with ${scores[i]}`,
        {
          hint: 'Check the bundle with `fuzzqe parity`; its weights or this runtime are at fault.',
        },
      );
    }
    seen.add(id);
  }
  places.sort((a, b) => scores[b]! - scores[a]! || ids[a]! - ids[b]!);
  return {
    ids: Int32Array.from(places, (i) => ids[i]!),
    scores: Float32Array.from(places, (i) => scores[i]!),
  };
}
