import { datedGraph, findEdge, forwardFact, type KnowledgeGraph, ratedGraph } from '@fuzzqe/core';
import { momentsOf } from './validity.ts';

/** What data say of a fact: where it comes from, how sure it is and when it holds. */
export interface StatedProvenance {
  /** Where the fact comes from, kept as given. */
  readonly source?: string;
  /** When the source says so, kept as given. */
  readonly date?: string;
  /** How sure the source is, in (0, 1): the degree of the fact. Default: 1. */
  readonly confidence?: number;
  /** The first moment at which the fact holds. Default: it always held. */
  readonly from?: string;
  /** The first moment at which the fact no longer holds. Default: it holds for ever. */
  readonly until?: string;
}

/** What data say of the facts of a graph. */
export interface Provenances {
  readonly stated: readonly StatedProvenance[];
  /** The facts of which something is said [3 × n]: flat h, r, t with even r, in ascending order, each once. */
  readonly triples: Int32Array;
  /** Of each of these facts, the place in `stated` [n]. */
  readonly places: Int32Array;
}

/** The fields of a provenance, in the order of `provenance.tsv`. */
export const provenanceFields = ['source', 'date', 'confidence', 'from', 'until'] as const;
export type ProvenanceField = (typeof provenanceFields)[number];

/** What is said of a fact, whichever way round; undefined if nothing is. Time: one binary search. */
export function statedOf(
  { stated, triples, places }: Provenances,
  head: number,
  relation: number,
  tail: number,
): StatedProvenance | undefined {
  const place = findEdge(triples, ...forwardFact(head, relation, tail));
  return place < 0 ? undefined : stated[places[place]!];
}

/** The provenances of those facts for which a predicate holds; undefined if no fact is left. */
export function provenancesOf(
  { stated, triples, places }: Provenances,
  isKept: (head: number, relation: number, tail: number) => boolean,
): Provenances | undefined {
  const numbers = new Map<number, number>();
  const [left, facts] = [new Int32Array(places.length), new Int32Array(triples.length)];
  let count = 0;
  places.forEach((place, i) => {
    const [head, relation, tail] = [triples[3 * i]!, triples[3 * i + 1]!, triples[3 * i + 2]!];
    if (!isKept(head, relation, tail)) return;
    facts.set([head, relation, tail], 3 * count);
    const number = numbers.get(place) ?? numbers.size;
    numbers.set(place, number);
    left[count++] = number;
  });
  if (count === 0) return undefined;
  return {
    stated: Array.from(numbers.keys(), (place) => stated[place]!),
    triples: facts.slice(0, 3 * count),
    places: left.slice(0, count),
  };
}

/** The graph in which the facts have the confidences and the validity that the data say; itself if nothing of it is said. Facts that the graph lacks do not come. */
export function withProvenances(
  graph: KnowledgeGraph,
  { stated, triples, places }: Provenances,
): KnowledgeGraph {
  const [rated, confidences]: [number[], number[]] = [[], []];
  const [dated, moments]: [number[], number[]] = [[], []];
  const spans = stated.map(momentsOf);
  places.forEach((place, i) => {
    const { confidence, from, until } = stated[place]!;
    const [head, relation, tail] = [triples[3 * i]!, triples[3 * i + 1]!, triples[3 * i + 2]!];
    if ((confidence ?? from ?? until) === undefined || !graph.has(head, relation, tail)) return;
    if (confidence !== undefined) {
      rated.push(head, relation, tail);
      confidences.push(confidence);
    }
    if ((from ?? until) !== undefined) {
      dated.push(head, relation, tail);
      moments.push(...spans[place]!);
    }
  });
  return datedGraph(ratedGraph(graph, Int32Array.from(rated), confidences), Int32Array.from(dated), moments);
}
