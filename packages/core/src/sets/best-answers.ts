import type { EntitySet } from '../kg/entity-set.ts';
import type { LogicName } from '../logic/logic.ts';
import type { Query } from '../query/query.ts';
import { topK } from '../ranking/top-k.ts';
import {
  type AnswerSet,
  type CandidateGraphs,
  type OpenSets,
  openSets,
  type ProjectionFeeds,
  type SetProjectionQuery,
  type SetsState,
} from './answer-sets.ts';
import { type Arrays, newArrays } from './arrays.ts';
import { type Calibration, certain } from './calibration.ts';
import { certainMargin, createProjectionLimit, type ProjectionLimit } from './certain-answers.ts';
import { joinNeighbours, type SparseSet } from './neighbour-links.ts';
import { joinSets } from './set-logic.ts';

/** Which answers to a query are wanted. */
export interface WantedAnswers {
  /** How many of the best. */
  readonly count: number;
  /** What is no answer here. */
  readonly excluded?: EntitySet | undefined;
  /** What the facts alone give. */
  readonly recorded: EntitySet;
}

/**
 * The fuzzy sets of queries as far as the wanted answers need them: what is below them may be 0 instead of its degree.
 *
 * Shapes and order as `answerSets`; `arrays` are those of its state.
 */
export type BestAnswers = (
  queries: readonly Query[],
  wanted: readonly WantedAnswers[],
  arrays?: Arrays,
) => Promise<AnswerSet[]>;

/** From how many of the entities on all of them are computed: rows that are gathered cost more than rows in place. */
const mostCandidates = 1 / 4;

/**
 * Answers without computing what cannot be among the wanted answers.
 *
 * What the facts give without ¬ has the degree 1. Where that is enough, and (10) with the cap as every predicted degree
 * leaves everything else below 1, no graph runs. Elsewhere the outermost projections of sets, those with nothing but ∧, ∨
 * and ¬ above them, lie between what is recorded and that limit. The logic's operators, which are monotone, carry both ends
 * to the query; the entities that can be among the best are candidates, and the projections are computed for them alone.
 */
export function createBestAnswers(logic: LogicName, graphs: CandidateGraphs, state: SetsState): BestAnswers {
  const limit = createProjectionLimit(logic, state.calibration);
  const limitOf = createRecordedLimit(limit, state.calibration);
  return async (queries, wanted, arrays = newArrays) => {
    const known = queries.map((query, i) =>
      limitOf(query) < 1 - certainMargin ? recordedAnswers(query, wanted[i]!, arrays) : undefined,
    );
    const sets = await openSets(
      graphs,
      { ...state, arrays },
      queries.filter((_, i) => known[i] === undefined),
    );
    const answers: AnswerSet[] = [];
    const { calibration } = state;
    const join: JoinNeighbours = (degrees, neighbours) =>
      joinNeighbours(graphs, calibration, degrees, neighbours);
    const parts: Parts = { graphs, sets, arrays, limit, join };
    for (const [i, query] of queries.entries())
      answers.push(known[i] ?? (await bestOf(parts, query, wanted[i]!)));
    return answers;
  };
}

/** The answers that are recorded, where there are enough of them. */
function recordedAnswers(
  query: Query,
  { count, excluded, recorded }: WantedAnswers,
  arrays: Arrays,
): AnswerSet | undefined {
  const open = excluded === undefined ? recorded : recorded.clone().subtract(excluded);
  if (open.size < count) return undefined;
  const degrees = arrays.take(recorded.universe);
  for (const id of open) degrees[id] = 1;
  return { degrees, operands: query.op === 'and' ? query.operands.map(() => degrees) : [] };
}

/** The most that an entity can have which is no recorded answer; 1 where a negation leaves no such limit. */
function createRecordedLimit(
  limit: ProjectionLimit,
  { cap, certainMembers, predictedMembers }: Calibration,
): (query: Query) => number {
  const limitOf = (node: Query): number => {
    switch (node.op) {
      case 'entity':
        return 0;
      case 'not':
        return 1;
      case 'project': {
        if (node.from.op === 'entity') return cap;
        const inner = limitOf(node.from);
        // Beyond that, any number of members could be certain without being recorded.
        if (inner >= certain) return 1;
        const others = inner > 0 ? predictedMembers : 0;
        const memberships = Array.from({ length: certainMembers + others }, (_, i) =>
          i < certainMembers ? 1 : inner,
        );
        return limit(memberships, inner, inner * others);
      }
      default: {
        // a ∧ b is at most the larger: an entity may be recorded for all operands but one. a ∨ b grows with every operand.
        const limits = node.operands.map(limitOf);
        return node.op === 'and'
          ? Math.max(...limits)
          : Math.min(
              1,
              limits.reduce((sum, each) => sum + each),
            );
      }
    }
  };
  return limitOf;
}

/** `joinNeighbours` of a logic and a calibration. */
type JoinNeighbours = (degrees: Float32Array, neighbours: SparseSet) => void;

interface Interval {
  readonly low: Float32Array;
  readonly high: Float32Array;
}

/** What answers are found with. */
interface Parts {
  readonly graphs: CandidateGraphs;
  readonly sets: OpenSets;
  readonly arrays: Arrays;
  readonly limit: ProjectionLimit;
  readonly join: JoinNeighbours;
}

async function bestOf(parts: Parts, query: Query, wanted: WantedAnswers): Promise<AnswerSet> {
  const { graphs, sets, arrays, join } = parts;
  const whole = async (): Promise<AnswerSet> => ({
    degrees: await sets.degrees(query),
    operands: query.op === 'and' ? await sets.all(query.operands) : [],
  });
  const outermost = projectionsIn(query);
  if (outermost.length === 0) return whole();
  const between = new Map<Query, Interval>();
  for (const node of outermost) {
    const feeds = await sets.projection(node);
    if (node === query && !canLeaveOut(parts, feeds, wanted)) return whole();
    between.set(node, intervalOf(parts, feeds));
  }
  const ends = await intervals(parts, between)(query);
  const least = leastWanted(ends.low, wanted, arrays);
  if (least === undefined) return whole();
  const candidates = candidatesOf(ends.high, least, wanted);
  const isKnown = ({ low, high }: Interval): boolean => candidates.every((id) => low[id] === high[id]);
  const isWorthIt = candidates.length <= mostCandidates * ends.low.length;
  if (!isWorthIt && ![...between.values()].every(isKnown)) return whole();

  const computed = new Map<Query, Interval>();
  for (const node of outermost) {
    const interval = between.get(node)!;
    const { low } = interval;
    const feeds = await sets.projection(node);
    const exact = isKnown(interval)
      ? Float32Array.from(candidates, (id) => low[id]!)
      : await graphs.projectSetAt({ ...feeds, recorded: columnsOf(feeds.recorded, candidates) }, candidates);
    const set = arrays.take(low.length);
    candidates.forEach((id, i) => {
      set[id] = exact[i]!;
    });
    if (!isKnown(interval)) join(set, feeds.neighbours);
    computed.set(node, { low: set, high: set });
  }
  const exactly = intervals(parts, computed);
  const { low: all } = await exactly(query);
  const degrees = arrays.take(all.length);
  for (const id of candidates) degrees[id] = all[id]!;
  const operands: Float32Array[] = [];
  if (query.op === 'and') for (const operand of query.operands) operands.push((await exactly(operand)).low);
  return { degrees, operands };
}

/** Whether entities without a recorded link can be left out: as many as are wanted have one, and are above what others can have. */
function canLeaveOut(
  { arrays, limit, join }: Parts,
  { membership, recorded, neighbours }: ProjectionFeeds,
  wanted: WantedAnswers,
): boolean {
  const low = lowOf(recorded);
  if (!hasEnough(low, wanted)) return false;
  const least = leastWanted(low, wanted, arrays);
  if (least === undefined) return false;
  if (membership.length === 0) return true;
  const others = arrays.take(low.length).fill(limit(membership, 0, 0));
  join(others, neighbours);
  const areLess = others.every((most, id) => low[id]! > 0 || most < least);
  arrays.giveBack(others);
  return areLess;
}

/** Whether as many answers as are wanted have a recorded link. */
function hasEnough(low: Float32Array, { count, excluded }: WantedAnswers): boolean {
  let found = 0;
  for (let id = 0; id < low.length && found < count; id += 1)
    if (low[id]! > 0 && (excluded === undefined || !excluded.has(id))) found += 1;
  return found === count;
}

/** The projections of sets that have nothing but ∧, ∨ and ¬ above them. */
function projectionsIn(node: Query): SetProjectionQuery[] {
  switch (node.op) {
    case 'entity':
      return [];
    case 'project':
      return node.from.op === 'entity' ? [] : [node];
    case 'not':
      return projectionsIn(node.operand);
    default:
      return node.operands.flatMap(projectionsIn);
  }
}

/** The first of the rows of `recordedRows`: what is recorded. */
const lowOf = (recorded: Float32Array): Float32Array => recorded.subarray(0, recorded.length / 3);

/** Between what is recorded and what (10) gives at most. */
function intervalOf(
  { arrays, limit, join }: Parts,
  { membership: members, recorded, neighbours }: ProjectionFeeds,
): Interval {
  const count = recorded.length / 3;
  const [low, high] = [arrays.take(count), arrays.take(count)];
  low.set(lowOf(recorded));
  if (members.length === 0) return { low, high };
  // Of those with a recorded link, the ones with a certain member and the others have a limit each.
  const best = [0, 0];
  const total = [0, 0];
  const groupOf = (degree: number): 0 | 1 => (degree >= certain ? 1 : 0);
  for (let id = 0; id < count; id += 1) {
    const degree = low[id]!;
    if (degree === 0 || degree === 1) continue;
    const group = groupOf(degree);
    best[group] = Math.max(best[group]!, degree);
    total[group] = Math.max(total[group]!, recorded[count + id]!);
  }
  high.fill(limit(members, 0, 0));
  const limits = best.map((degree, group) => (degree === 0 ? 0 : limit(members, degree, total[group]!)));
  for (let id = 0; id < count; id += 1) {
    const degree = low[id]!;
    if (degree > 0) high[id] = degree === 1 ? 1 : limits[groupOf(degree)]!;
  }
  join(low, neighbours);
  join(high, neighbours);
  return { low, high };
}

/** Both ends of every part of a query, from those of its outermost projections. */
function intervals(
  { graphs, sets, arrays }: Parts,
  given: ReadonlyMap<Query, Interval>,
): (node: Query) => Promise<Interval> {
  const both = (
    [low, high]: readonly [low: Float32Array[], high: Float32Array[]],
    join: (sets: Float32Array[]) => Float32Array,
  ): Interval => {
    const lowest = join(low);
    return { low: lowest, high: low.every((set, i) => set === high[i]) ? lowest : join(high) };
  };
  const of = async (node: Query): Promise<Interval> => {
    const known = given.get(node);
    if (known !== undefined) return known;
    if (node.op === 'entity' || node.op === 'project') {
      const set = await sets.degrees(node);
      return { low: set, high: set };
    }
    if (node.op === 'not') {
      const { low, high } = await of(node.operand);
      return both([[high], [low]], ([set]) => graphs.not(set!, arrays.take(set!.length)));
    }
    const operands: Interval[] = [];
    for (const operand of node.operands) operands.push(await of(operand));
    return both([operands.map(({ low }) => low), operands.map(({ high }) => high)], (sets) =>
      joinSets(graphs, node.op, sets, arrays),
    );
  };
  return of;
}

/** What one of the wanted has at least; undefined where nobody knows. */
function leastWanted(
  low: Float32Array,
  { count, excluded }: WantedAnswers,
  arrays: Arrays,
): number | undefined {
  const open = arrays.take(low.length);
  open.set(low);
  for (const id of excluded ?? []) open[id] = -1;
  const worst = topK(open, count).scores[count - 1]!;
  arrays.giveBack(open);
  // Both ends are of single precision.
  return worst > 0 ? worst * (1 - 1e-5) - 1e-6 : undefined;
}

/** The entities that can be among the wanted. */
function candidatesOf(high: Float32Array, least: number, { excluded }: WantedAnswers): Int32Array {
  const ids: number[] = [];
  for (let id = 0; id < high.length; id += 1)
    if (high[id]! >= least && (excluded === undefined || !excluded.has(id))) ids.push(id);
  return Int32Array.from(ids);
}

/** Columns of three rows. Shapes: [3, |E|] → [3, c]. */
function columnsOf(rows: Float32Array, ids: Int32Array): Float32Array {
  const [width, count] = [rows.length / 3, ids.length];
  const columns = new Float32Array(3 * count);
  ids.forEach((id, i) => {
    for (let row = 0; row < 3; row += 1) columns[row * count + i] = rows[row * width + id]!;
  });
  return columns;
}
