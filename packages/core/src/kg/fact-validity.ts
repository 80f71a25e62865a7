import { allocateIn } from './adjacency.ts';
import { compareEdges, findEdge } from './fact-confidences.ts';
import { forwardFact } from './ids.ts';

/** When recorded facts hold; facts without bounds are left out. */
export interface FactValidity {
  /** [3 × n]: flat h, r, t with even r, in ascending order, each once. */
  readonly triples: Int32Array;
  /** [2 × n]: the first moment at which each fact holds, and the first at which it no longer holds; −∞ and ∞ are no bounds. */
  readonly moments: Float64Array;
}

/** What changes of facts say of validity. */
export interface ValidityChanges {
  /** Edges of which the validity before no longer counts, in either direction; flat h, r, t. */
  readonly edges: readonly Int32Array[];
  /** The facts that come as they were given; of several of one fact the last one counts. */
  readonly triples: Int32Array;
  /** Of `triples`, flat begin, end. Default: no bounds. */
  readonly given: ArrayLike<number> | undefined;
}

/** Whether a recorded fact has bounds, whichever way round. */
export function hasValidity(
  validity: FactValidity | undefined,
  head: number,
  relation: number,
  tail: number,
): boolean {
  return validity !== undefined && findEdge(validity.triples, ...forwardFact(head, relation, tail)) >= 0;
}

/**
 * The validity after a change: that before itself if nothing of it changes, and undefined if no fact has bounds.
 *
 * Time: binary searches for each fact of the change, and all facts with bounds once if any changes.
 */
export function changedValidity(
  before: FactValidity | undefined,
  { edges, triples, given }: ValidityChanges,
  isShared: boolean,
): FactValidity | undefined {
  const old = before ?? { triples: new Int32Array(), moments: new Float64Array() };
  const gone = new Set<number>();
  for (const each of before === undefined ? [] : edges)
    for (let i = 0; i < each.length; i += 3)
      gone.add(findEdge(old.triples, ...forwardFact(each[i]!, each[i + 1]!, each[i + 2]!)));
  gone.delete(-1);
  const news = newValidity(triples, given);
  if (gone.size === 0 && news.moments.length === 0) return before;
  const [facts, moments]: [number[], number[]] = [[], []];
  const put = (from: FactValidity, place: number): void => {
    facts.push(from.triples[3 * place]!, from.triples[3 * place + 1]!, from.triples[3 * place + 2]!);
    moments.push(from.moments[2 * place]!, from.moments[2 * place + 1]!);
  };
  const [oldCount, newCount] = [old.moments.length / 2, news.moments.length / 2];
  for (let [a, b] = [0, 0]; a < oldCount || b < newCount; ) {
    if (gone.has(a)) a += 1;
    else if (b === newCount || (a < oldCount && compareEdges(old.triples, a, news.triples, b) < 0))
      put(old, a++);
    else put(news, b++);
  }
  if (isEqual(facts, old.triples) && isEqual(moments, old.moments)) return before;
  if (moments.length === 0) return undefined;
  const allocate = allocateIn(isShared);
  const made = {
    triples: allocate(facts.length),
    moments: new Float64Array(allocate(2 * moments.length).buffer),
  };
  made.triples.set(facts);
  made.moments.set(moments);
  return made;
}

/** The bounds that a change gives; of several of one fact the last one counts. */
function newValidity(triples: Int32Array, given: ArrayLike<number> = []): FactValidity {
  const count = given.length / 2;
  const forwards = new Int32Array(3 * count);
  for (let i = 0; i < count; i += 1)
    forwards.set(forwardFact(triples[3 * i]!, triples[3 * i + 1]!, triples[3 * i + 2]!), 3 * i);
  const compare = (a: number, b: number): number => compareEdges(forwards, a, forwards, b);
  // Stable, so that what is said last of a fact stands last.
  const order = new Uint32Array(count).map((_, i) => i).sort((a, b) => compare(a, b) || a - b);
  const left = order.filter((place, i) => {
    const isLast = i + 1 === count || compare(place, order[i + 1]!) !== 0;
    const hasBounds =
      given[2 * place] !== Number.NEGATIVE_INFINITY || given[2 * place + 1] !== Number.POSITIVE_INFINITY;
    return isLast && hasBounds;
  });
  const made = { triples: new Int32Array(3 * left.length), moments: new Float64Array(2 * left.length) };
  left.forEach((place, i) => {
    made.triples.set(forwards.subarray(3 * place, 3 * place + 3), 3 * i);
    made.moments.set([given[2 * place]!, given[2 * place + 1]!], 2 * i);
  });
  return made;
}

function isEqual(some: ArrayLike<number>, others: ArrayLike<number>): boolean {
  if (some.length !== others.length) return false;
  for (let i = 0; i < some.length; i += 1) if (some[i] !== others[i]) return false;
  return true;
}
