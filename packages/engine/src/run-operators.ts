import { FuzzError } from '@fuzzqe/core';
import { appendSteps, type OperatorStep } from './operator-steps.ts';
import type { Plan } from './plan.ts';
import type { PlanContext } from './run-plan.ts';
import type { TensorValue, TensorValues } from './session.ts';
import { outputOf, vector } from './tensor-values.ts';

/**
 * How many rows are projected in one run: the graph reads a matrix for each, and eight of 800 × 800 in int8 stay in a
 * processor's cache.
 */
const projectedAtOnce = 8;
/** How many rows the element-wise operators take in one run. */
const joinedAtOnce = 64;

/**
 * Answers queries of any shapes by operator graphs, level by level over all their trees.
 *
 * A level's projections are sorted by relation, so that a matrix is read once for its neighbours, and run a few at a
 * time, as the ranking does: no run grows with the number of queries. A row's vector does not depend on its neighbours.
 * Shapes: plans [n] → ids and scores [n, k], embedding [n, d].
 */
export async function runOperators(
  context: PlanContext,
  plans: readonly Plan[],
  k: number,
): Promise<TensorValues> {
  const { batchSize } = context;
  const steps: OperatorStep[] = [];
  const roots = plans.map((plan) => appendSteps(steps, plan));
  const vectors: Float32Array[] = [];
  const projected = Math.min(projectedAtOnce, batchSize);
  for (const [operator, places] of groupsOf(steps)) {
    for (const chunk of chunksOf(places, operator === 'project' ? projected : joinedAtOnce))
      (await runStep(context, operator, chunk, { steps, vectors })).forEach((row, i) => {
        vectors[chunk[i]!] = row;
      });
  }

  const score = await context.sessions.get(context.profile.rank);
  const ids = new Int32Array(plans.length * k);
  const scores = new Float32Array(plans.length * k);
  let done = 0;
  for (const chunk of chunksOf(roots, batchSize)) {
    const ranked = await score.run({
      embedding: stack(vectors, chunk),
      allowed: everyone(chunk.length, context.entityCount),
      k: vector([k]),
    });
    for (const [name, all] of Object.entries({ ids, scores })) {
      const { dims, data } = outputOf(ranked, name);
      if (data.length !== chunk.length * k) throw misshapen(name, [chunk.length, k], dims);
      all.set(data, done * k);
    }
    done += chunk.length;
  }
  return {
    ids: { dims: [plans.length, k], data: ids },
    scores: { dims: [plans.length, k], data: scores },
    embedding: stack(vectors, roots),
  };
}

/** The steps of each operator in each level, lowest level first; projections by relation. */
function groupsOf(steps: readonly OperatorStep[]): [OperatorStep['operator'], number[]][] {
  const levels: Map<OperatorStep['operator'], number[]>[] = [];
  steps.forEach(({ operator, level }, place) => {
    levels[level] ??= new Map();
    const group = levels[level].get(operator);
    if (group === undefined) levels[level].set(operator, [place]);
    else group.push(place);
  });
  const groups = levels.flatMap((level) => [...level]);
  for (const [operator, places] of groups)
    if (operator === 'project') places.sort((a, b) => steps[a]!.id - steps[b]!.id);
  return groups;
}

/** Runs one operator on some steps of it, and gives a vector for each. */
async function runStep(
  { profile, sessions }: PlanContext,
  operator: OperatorStep['operator'],
  places: readonly number[],
  { steps, vectors }: { readonly steps: readonly OperatorStep[]; readonly vectors: readonly Float32Array[] },
): Promise<Float32Array[]> {
  const ids = vector(places.map((place) => steps[place]!.id));
  const operand = (which: number): TensorValue =>
    stack(
      vectors,
      places.map((place) => steps[place]!.from[which]!),
    );
  const feeds = {
    anchor: () => ({ entities: ids }),
    project: () => ({ operand: operand(0), relations: ids }),
    conjunction: () => ({ left: operand(0), right: operand(1) }),
    disjunction: () => ({ left: operand(0), right: operand(1) }),
    negation: () => ({ operand: operand(0) }),
  }[operator]();
  const session = await sessions.get(profile.operators[operator]);
  const { dims, data } = outputOf(await session.run(feeds), 'embedding');
  const width = data.length / places.length;
  if (!(data instanceof Float32Array) || !Number.isInteger(width))
    throw misshapen('embedding', [places.length, 'd'], dims);
  return places.map((_, row) => data.subarray(row * width, (row + 1) * width));
}

/** All entities may be answers. Shape: [rows, |E|]. */
function everyone(rows: number, entityCount: number): TensorValue {
  return { dims: [rows, entityCount], data: new Float32Array(rows * entityCount).fill(1) };
}

/** Vectors as rows. Shape: [n, d]. */
function stack(vectors: readonly Float32Array[], places: readonly number[]): TensorValue {
  const width = vectors[places[0]!]!.length;
  const data = new Float32Array(places.length * width);
  places.forEach((place, row) => {
    data.set(vectors[place]!, row * width);
  });
  return { dims: [places.length, width], data };
}

function* chunksOf<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}

function misshapen(name: string, expected: readonly (number | string)[], got: readonly number[]): FuzzError {
  return new FuzzError('runtime', `${name}: expected [${expected.join(', ')}], got [${got}]`, {
    hint: 'The graphs do not belong to this bundle; export it again.',
  });
}
