import { type Provenances, provenancesOf, type StatedProvenance } from '@fuzzqe/names';
import { createIntList } from './int-list.ts';
import { createKeyBatch } from './key-batch.ts';
import { compareTriples, foldInverses } from './sort-triples.ts';
import type { TripleNames } from './triple-names.ts';
import type { TripleFile } from './triple-sink.ts';

/** Gathers what files say of facts. */
export interface GatheredProvenance {
  /** A number of what is said, for the sink of facts: 0 says nothing. */
  numberOf(said: StatedProvenance): number;
  /** What is said of the fact of these keys, which may be stated elsewhere. */
  ofFact(head: string, relation: string, tail: string, said: StatedProvenance): void;
  /** What is said of the facts of a graph. */
  finish(graph: ProvenanceGraph): FinishedProvenance;
}

/** The facts of a graph. */
export interface ProvenanceGraph {
  /** Whose triples are along even relations. */
  readonly files: readonly Pick<TripleFile, 'triples' | 'said'>[];
  readonly names: TripleNames;
  /** Whether the graph has a fact. */
  has(head: number, relation: number, tail: number): boolean;
}

/** What is said of the facts of a graph, and what was left out. */
export interface FinishedProvenance {
  /** Absent if nothing is said. */
  readonly provenances?: Provenances;
  readonly notes: readonly string[];
}

/** Nothing yet. Memory: 16 bytes a fact of which something is said, and its keys if they came apart from the fact. */
export function gatherProvenance(): GatheredProvenance {
  const stated: StatedProvenance[] = [];
  const numbers = new Map<string, number>();
  const facts: (readonly [head: string, relation: string, tail: string, number: number])[] = [];
  const numberOf = (said: StatedProvenance): number => {
    const name = JSON.stringify(said);
    if (name === '{}') return 0;
    const number = numbers.get(name) ?? stated.push(said);
    numbers.set(name, number);
    return number;
  };
  return {
    numberOf,
    ofFact(head, relation, tail, said) {
      const number = numberOf(said);
      if (number > 0) facts.push([head, relation, tail, number]);
    },
    finish({ files, names, has }) {
      const [triples, said] = [createIntList(), createIntList()];
      const put = (from: ArrayLike<number>, at: number, number: number): void => {
        for (let i = at; i < at + 3; i++) triples.push(from[i]!);
        said.push(number);
      };
      const ids = foldInverses(idsOf(facts, names));
      facts.forEach(([, , , number], i) => {
        if (has(ids[3 * i]!, ids[3 * i + 1]!, ids[3 * i + 2]!)) put(ids, 3 * i, number);
      });
      const ofStatements = said.length;
      for (const { triples: own, said: saidOfOwn } of files)
        saidOfOwn?.forEach((number, i) => {
          if (number > 0) put(own, 3 * i, number);
        });
      const sorted = sortedProvenance(triples.values(), said.values(), { stated, numberOf, ofStatements });
      const unstated = facts.length - ofStatements;
      const notes = [
        ...(unstated > 0
          ? [`${unstated} statements are about triples that are no facts of the graph, and are left out`]
          : []),
        ...(sorted.differing > 0
          ? [
              `${sorted.differing} statements differ from an earlier statement about their fact: the first counts`,
            ]
          : []),
      ];
      const { triples: all, places } = sorted;
      const provenances = provenancesOf({ stated, triples: all, places }, () => true);
      return { notes, ...(provenances === undefined ? {} : { provenances }) };
    },
  };
}

/** The ids of facts, −1 where the graph does not name a key; flat h, r, t. */
function idsOf(
  facts: readonly (readonly [string, string, string, number])[],
  names: TripleNames,
): Int32Array {
  const batchFacts = 256;
  const triples = new Int32Array(3 * facts.length);
  const batch = createKeyBatch(2 * batchFacts);
  const ids = new Int32Array(2 * batchFacts);
  const relations = new Map<string, number>();
  const relationOf = (key: string): number => {
    const bytes = Buffer.from(key);
    const id = relations.get(key) ?? names.relation(bytes, 0, bytes.length);
    relations.set(key, id);
    return id;
  };
  for (let first = 0; first < facts.length; first += batchFacts) {
    const some = facts.slice(first, first + batchFacts);
    for (const [head, , tail] of some)
      for (const key of [head, tail]) {
        const bytes = Buffer.from(key);
        batch.push(bytes, 0, bytes.length);
      }
    names.entities(batch, ids);
    some.forEach(([, relation], i) => {
      const [head, r, tail] = [ids[2 * i]!, relationOf(relation), ids[2 * i + 1]!];
      // No graph has a fact of an entity −1.
      triples.set(Math.min(head, r, tail) < 0 ? [-1, 0, -1] : [head, r, tail], 3 * (first + i));
    });
    batch.clear();
  }
  return triples;
}

/**
 * One provenance a fact, by facts: what the first statement says, and the source that comes with the fact if the statement has none.
 */
function sortedProvenance(
  triples: Int32Array,
  said: Int32Array,
  {
    stated,
    numberOf,
    ofStatements,
  }: {
    readonly stated: readonly StatedProvenance[];
    readonly numberOf: (said: StatedProvenance) => number;
    /** How many of them come from statements: the first ones. */
    readonly ofStatements: number;
  },
): Pick<Provenances, 'triples' | 'places'> & { readonly differing: number } {
  const order = new Int32Array(said.length)
    .map((_, i) => i)
    .sort((a, b) => compareTriples(triples, 3 * a, triples, 3 * b) || a - b);
  const [facts, places] = [createIntList(), createIntList()];
  let differing = 0;
  for (let at = 0; at < order.length; ) {
    const first = order[at]!;
    let number = said[first]!;
    for (let i = 0; i < 3; i++) facts.push(triples[3 * first + i]!);
    for (at++; at < order.length; at++) {
      const next = order[at]!;
      if (compareTriples(triples, 3 * first, triples, 3 * next) !== 0) break;
      if (said[next] === number) continue;
      const isOfFact = first < ofStatements && next >= ofStatements;
      if (isOfFact) number = numberOf({ ...stated[said[next]! - 1], ...stated[number - 1] });
      else differing++;
    }
    places.push(number - 1);
  }
  return { triples: facts.values(), places: places.values(), differing };
}
