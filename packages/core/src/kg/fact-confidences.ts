import { allocateIn } from './adjacency.ts';
import { keptBy } from './kept-by.ts';

/** The recorded facts that are less than certain, and the links that somebody rejected, in both directions. */
export interface FactConfidences {
  /** [3 × n]: flat h, r, t in ascending order. */
  readonly edges: Int32Array;
  /** [n], in [0, 1): the degree of each edge. A recorded fact has a degree above 0. A rejected link has 0, and is not recorded. */
  readonly degrees: Float32Array;
}

/** Where the edges of a head along a relation stand, and whether there are any. */
export interface ConfidenceRange {
  readonly from: number;
  readonly to: number;
}

/** A recorded fact keeps a degree above 0 in single precision. */
const lowest = 2 ** -126;

const empty: ConfidenceRange = { from: 0, to: 0 };

/** The edges of (h, r) that are less than certain or rejected: two binary searches. */
export function confidencesOf(
  confidences: FactConfidences | undefined,
  head: number,
  relation: number,
): ConfidenceRange {
  if (confidences === undefined) return empty;
  const from = placeFrom(confidences.edges, head, relation, -1);
  return { from, to: placeFrom(confidences.edges, head, relation, Number.POSITIVE_INFINITY) };
}

/** The degree of a recorded fact, in (0, 1], 1 unless it has a confidence; 0 of a rejected link. */
export function confidenceOf(
  confidences: FactConfidences | undefined,
  head: number,
  relation: number,
  tail: number,
): number {
  if (confidences === undefined) return 1;
  const { edges, degrees } = confidences;
  const place = findEdge(edges, head, relation, tail);
  return place < 0 ? 1 : degrees[place]!;
}

/** Whether somebody rejected a link. */
export function isRejected(
  confidences: FactConfidences | undefined,
  head: number,
  relation: number,
  tail: number,
): boolean {
  return confidenceOf(confidences, head, relation, tail) === 0;
}

/** The tails that are rejected for a link (h, r), ascending. */
export function rejectedTails(
  confidences: FactConfidences | undefined,
  head: number,
  relation: number,
): number[] {
  const { from, to } = confidencesOf(confidences, head, relation);
  const tails: number[] = [];
  for (let place = from; place < to; place += 1)
    if (confidences!.degrees[place] === 0) tails.push(confidences!.edges[3 * place + 2]!);
  return tails;
}

/** The relations along which some fact is less than certain. */
export const unsureRelations: (confidences: FactConfidences) => ReadonlySet<number> = keptBy(
  ({ edges, degrees }) => {
    const relations = new Set<number>();
    degrees.forEach((degree, place) => {
      if (degree > 0) relations.add(edges[3 * place + 1]!);
    });
    return relations;
  },
);

/** What changes of facts say of confidences. */
export interface ConfidenceChanges {
  /** Edges that come or are rejected, in both directions, ascending and each once; flat h, r, t. */
  readonly judged: Int32Array;
  /** Edges of which nothing is known afterwards, as `judged`; `judged` wins. */
  readonly removed: Int32Array;
  /** The facts that come as they were given; of several of one fact the last one counts. */
  readonly triples: Int32Array;
  /** Whether `judged` has edges that do not come, which are rejected. */
  readonly rejects: boolean;
  /** Of `triples`, in (0, 1]. Default: 1 each. */
  readonly given: ArrayLike<number> | undefined;
}

/**
 * The confidences after a change: those before themselves where nothing of them changes, and undefined where every fact is certain.
 *
 * Time: binary searches for each edge of the change, and all confidences once where any changes.
 */
export function changedConfidences(
  before: FactConfidences | undefined,
  { judged, removed, triples, rejects, given }: ConfidenceChanges,
  isShared: boolean,
): FactConfidences | undefined {
  const degrees = new Float32Array(judged.length / 3).fill(rejects ? 0 : 1);
  const isRated = rejects || given !== undefined;
  for (let i = 0; isRated && i < triples.length / 3; i += 1) {
    const [head, relation, tail] = [triples[3 * i]!, triples[3 * i + 1]!, triples[3 * i + 2]!];
    const degree = Math.max(given?.[i] ?? 1, lowest);
    degrees[placeFrom(judged, head, relation, tail)] = degree;
    degrees[placeFrom(judged, tail, relation ^ 1, head)] = degree;
  }
  if (before === undefined && degrees.every((degree) => degree === 1)) return undefined;
  const degreeNow = (head: number, relation: number, tail: number, now: number): number => {
    const place = placeFrom(judged, head, relation, tail);
    if (isEdge(judged, place, head, relation, tail)) return degrees[place]!;
    return isEdge(removed, placeFrom(removed, head, relation, tail), head, relation, tail) ? 1 : now;
  };
  const differs = (edges: Int32Array): boolean => {
    for (let i = 0; i < edges.length; i += 3) {
      const [head, relation, tail] = [edges[i]!, edges[i + 1]!, edges[i + 2]!];
      const now = confidenceOf(before, head, relation, tail);
      if (degreeNow(head, relation, tail, now) !== now) return true;
    }
    return false;
  };
  if (!differs(judged) && (before === undefined || !differs(removed))) return before;
  const old = before ?? { edges: new Int32Array(), degrees: new Float32Array() };
  const [edges, values]: [number[], number[]] = [[], []];
  const put = (from: Int32Array, place: number, degree: number): void => {
    if (degree === 1) return;
    edges.push(from[3 * place]!, from[3 * place + 1]!, from[3 * place + 2]!);
    values.push(degree);
  };
  for (let [a, b] = [0, 0]; a < degrees.length || b < old.degrees.length; ) {
    const order =
      a === degrees.length ? 1 : b === old.degrees.length ? -1 : compareEdges(judged, a, old.edges, b);
    if (order <= 0) put(judged, a, degrees[a]!);
    else {
      const [head, relation, tail] = [old.edges[3 * b]!, old.edges[3 * b + 1]!, old.edges[3 * b + 2]!];
      put(old.edges, b, degreeNow(head, relation, tail, old.degrees[b]!));
    }
    if (order <= 0) a += 1;
    if (order >= 0) b += 1;
  }
  if (values.length === 0) return undefined;
  const to = allocateIn(isShared);
  const made = { edges: to(edges.length), degrees: new Float32Array(to(values.length).buffer) };
  made.edges.set(edges);
  made.degrees.set(values);
  return made;
}

/** The place of an edge among edges in ascending order, flat h, r, t; −1 if it is not there. Time: one binary search. */
export function findEdge(edges: Int32Array, head: number, relation: number, tail: number): number {
  const place = placeFrom(edges, head, relation, tail);
  return isEdge(edges, place, head, relation, tail) ? place : -1;
}

/** The first place whose edge is not below an edge. */
function placeFrom(edges: Int32Array, head: number, relation: number, tail: number): number {
  let [low, high] = [0, edges.length / 3];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order =
      edges[3 * middle]! - head || edges[3 * middle + 1]! - relation || edges[3 * middle + 2]! - tail;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isEdge(edges: Int32Array, place: number, head: number, relation: number, tail: number): boolean {
  return edges[3 * place] === head && edges[3 * place + 1] === relation && edges[3 * place + 2] === tail;
}

/** Below 0, 0 or above 0, as an edge comes before another one. */
export function compareEdges(left: Int32Array, i: number, right: Int32Array, j: number): number {
  for (let at = 0; at < 3; at += 1) {
    const order = left[3 * i + at]! - right[3 * j + at]!;
    if (order !== 0) return order;
  }
  return 0;
}
