import type { Profile } from '@fuzzqe/bundle';
import { domainShape, type ModelConfig, type OfFamily, traitsOf } from '@fuzzqe/model';
import { numbersAtOnce, rowsWithin } from '../sessions/rows-within.ts';
import type { TensorValue } from '../sessions/session.ts';
import { chunksOf, rowsOf, stack } from '../sessions/tensor-values.ts';
import { anchorRows } from './anchor-rows.ts';
import type { EmbeddingContext } from './embed-plans.ts';
import { appendSteps, lastTurn, type OperatorStep } from './operator-steps.ts';
import type { Plan } from './plan.ts';

/** How many bytes of matrices one run of projections gathers, so that what it reads next is still in the processor's cache. */
const gatheredAtOnce = 512 * 1024;
/** How many rows a run projects at most. */
const mostProjected = 32;
/** How many rows the element-wise operators take in one run. */
const joinedAtOnce = 64;

/**
 * How many rows one run projects: the graph gathers a matrix for each, or a row of blocks.
 *
 * Returns 8 to 32: fewer would pay for a run what they save.
 */
export function rowsOfProjection(
  { bytes }: Pick<Profile, 'bytes'>,
  model: Pick<ModelConfig, 'relations'> & OfFamily,
): number {
  if (!traitsOf(model).hasMatrices) return mostProjected;
  // Most of a profile is its matrices.
  return Math.min(mostProjected, Math.max(8, Math.round((gatheredAtOnce * model.relations) / bytes)));
}

/** How many rows one run finds the centroids of, each of which gathers the heads of its relation; undefined where a profile has none. */
export function rowsOfCentroids(
  { operators }: Pick<Profile, 'operators'>,
  model: Pick<ModelConfig, 'entities' | 'relations' | 'dimension'>,
): number | undefined {
  if (operators.centroid === undefined) return undefined;
  return rowsWithin(numbersAtOnce, domainShape(model)[1] * model.dimension, joinedAtOnce);
}

/**
 * Embeds queries of any shapes by operator graphs, over all their trees together: all first projections, what joins them, then
 * all second ones, so that runs are as few as the longest path has projections.
 *
 * Projections of a depth are sorted by relation, so that a matrix is read once for its neighbours, and run a few at a
 * time: no run grows with the number of queries. A row's vector does not depend on its neighbours.
 * Shapes: plans [n] → [d] each.
 */
export async function runOperators(
  context: EmbeddingContext,
  plans: readonly Plan[],
): Promise<Float32Array[]> {
  const steps: OperatorStep[] = [];
  const roots = plans.map((plan) => appendSteps(steps, plan));
  const vectors: Float32Array[] = [];
  const atOnce: Partial<Record<OperatorStep['operator'], number>> = {
    project: Math.min(context.projectedAtOnce, context.batchSize),
    ...(context.centroidsAtOnce === undefined ? {} : { centroid: context.centroidsAtOnce }),
  };
  for (const [operator, places] of groupsOf(steps)) {
    for (const chunk of chunksOf(places, atOnce[operator] ?? joinedAtOnce))
      (await runStep(context, operator, chunk, { steps, vectors })).forEach((row, i) => {
        vectors[chunk[i]!] = row;
      });
  }
  return roots.map((place) => vectors[place]!);
}

/** The steps of each operator in each turn of each depth, in the order in which they are due; projections by relation. */
function groupsOf(steps: readonly OperatorStep[]): [OperatorStep['operator'], number[]][] {
  const turns = new Map<number, Map<OperatorStep['operator'], number[]>>();
  steps.forEach(({ operator, depth, turn }, place) => {
    const due = depth * (lastTurn + 1) + turn;
    const groups = turns.get(due) ?? new Map<OperatorStep['operator'], number[]>();
    turns.set(due, groups);
    const group = groups.get(operator);
    if (group === undefined) groups.set(operator, [place]);
    else group.push(place);
  });
  const groups = [...turns].sort(([a], [b]) => a - b).flatMap(([, turn]) => [...turn]);
  for (const [operator, places] of groups)
    if (operator === 'project') places.sort((a, b) => steps[a]!.id - steps[b]!.id);
  return groups;
}

/** Runs one operator on some steps of it, and gives a vector for each. */
async function runStep(
  context: EmbeddingContext,
  operator: OperatorStep['operator'],
  places: readonly number[],
  { steps, vectors }: { readonly steps: readonly OperatorStep[]; readonly vectors: readonly Float32Array[] },
): Promise<Float32Array[]> {
  const ids = Int32Array.from(places, (place) => steps[place]!.id);
  if (operator === 'anchor') return anchorRows(context, ids);
  const relations: TensorValue = { dims: [ids.length], data: ids };
  const operand = (which: number): TensorValue =>
    stack(places.map((place) => vectors[steps[place]!.from[which]!]!));
  const first = operand(0);
  const joins = steps[places[0]!]!.from.length > 1;
  const feeds = joins
    ? { left: first, right: operand(1) }
    : { operand: first, ...(operator === 'negation' ? {} : { relations }) };
  // Without a graph for centroids nobody plans them.
  const session = await context.sessions.get(context.profile.operators[operator]!);
  return rowsOf(await session.run(feeds), 'embedding', places.length);
}
