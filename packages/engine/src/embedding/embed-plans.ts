import { edgeSlots, type Profile } from '@fuzzqe/bundle';
import { planProgram, structureNames } from '@fuzzqe/core/query';
import type { TensorValues } from '../sessions/session.ts';
import type { SessionCache } from '../sessions/session-cache.ts';
import { matrix, rowsOf, vector } from '../sessions/tensor-values.ts';
import { type Batch, gatherBatches } from './batch.ts';
import type { NewEntities } from './new-entities.ts';
import type { Plan, PlanKind } from './plan.ts';
import { runOperators } from './run-operators.ts';

/** What plans run on. */
export interface EmbeddingContext {
  readonly profile: Profile;
  readonly sessions: SessionCache;
  /** How many rows a run takes at most. */
  readonly batchSize: number;
  /** How many rows a run of projections takes at most, by `rowsOfProjection`. */
  readonly projectedAtOnce: number;
  /** How many rows a run takes at most that finds centroids on the way, by `rowsOfCentroids`; undefined where none does. */
  readonly centroidsAtOnce?: number | undefined;
  /** The entities that came after the model, which only composed operators take as anchors. Default: none. */
  readonly more?: NewEntities | undefined;
}

/**
 * Embeds queries, with one run for those that a graph can take together.
 *
 * Shapes: plans [n] → S_q [d] each, in their order.
 *
 * @throws FuzzError `runtime`: a graph fails, or gives what is no embedding.
 */
export async function embedPlans(context: EmbeddingContext, plans: readonly Plan[]): Promise<Float32Array[]> {
  const embeddings: Float32Array[] = new Array(plans.length);
  const { batchSize, centroidsAtOnce = batchSize } = context;
  for (const batch of gatherBatches(plans, Math.min(batchSize, centroidsAtOnce))) {
    const rows = await embedBatch(context, batch);
    batch.places.forEach((place, row) => {
      embeddings[place] = rows[row]!;
    });
  }
  return embeddings;
}

async function embedBatch(context: EmbeddingContext, { kind, plans }: Batch): Promise<Float32Array[]> {
  if (kind === 'operators') return runOperators(context, plans);
  return rowsOf(await runners[kind](context, plans), 'embedding', plans.length);
}

type Plans = Batch['plans'];

/** How each kind of graph runs. */
const runners: Readonly<
  Record<Exclude<PlanKind, 'operators'>, (context: EmbeddingContext, plans: Plans) => Promise<TensorValues>>
> = { structure: runStructure, program: runProgram, edge: runEdge };

async function runStructure({ profile, sessions }: EmbeddingContext, plans: Plans): Promise<TensorValues> {
  // Without a graph for each structure nobody plans so.
  const session = await sessions.get(profile.structures![plans[0].structure!.name]);
  return session.run({
    anchors: matrix(plans.map((plan) => plan.anchors)),
    relations: matrix(plans.map((plan) => plan.relations)),
  });
}

async function runProgram(
  { profile: { program }, sessions }: EmbeddingContext,
  plans: Plans,
): Promise<TensorValues> {
  // Without one nobody plans so.
  const graph = program!;
  const feeds: Readonly<Record<string, Int32Array>> = {
    ...planProgram(
      plans.map(({ structure, anchors, relations }) => ({ structure: structure!.name, anchors, relations })),
    ),
  };
  const session = await sessions.get(graph);
  return session.run(
    Object.fromEntries(
      graph.inputs.map(({ name, shape: [, ...rest] }) => {
        const data = feeds[name]!;
        const inner = rest.map(Number); // only the number of rows is known at the run alone
        const rows = data.length / inner.reduce((product, dim) => product * dim, 1);
        return [name, { dims: [rows, ...inner], data }];
      }),
    ),
  );
}

async function runEdge({ profile, sessions }: EmbeddingContext, plans: Plans): Promise<TensorValues> {
  const session = await sessions.get(profile.edge);
  const filled = (slots: readonly number[]): number[] =>
    Array.from({ length: edgeSlots }, (_, slot) => slots[slot] ?? 0);
  return session.run({
    structure: vector([structureNames.indexOf(plans[0].structure!.name)]),
    anchors: matrix(plans.map((plan) => filled(plan.anchors))),
    relations: matrix(plans.map((plan) => filled(plan.relations))),
  });
}
