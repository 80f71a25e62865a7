import {
  createKnowledgeGraph,
  emptyKnowledgeGraph,
  FuzzError,
  type KnowledgeGraph,
  type Random,
} from '@fuzzqe/core';
import type { ModelConfig, Parameters } from '@fuzzqe/core/model';
import type { LinkCounts } from '@fuzzqe/core/sets';
import { createQueriesBuilder, queryRow, type SampledQueries } from '@fuzzqe/data';

/** A model, the facts it was trained on, and queries with hard answers. */
export interface CalibrationInput {
  readonly model: ModelConfig;
  readonly parameters: Parameters;
  readonly facts: KnowledgeGraph;
  /** Of a part of a graph: where its links are counted. */
  readonly whole?: LinkCounts;
  readonly queries: readonly SampledQueries<string>[];
}

/** How many hard answers of a query are kept, and of each link from an anchor or to an answer how many entities. */
const kept = { hard: 8, tails: 32, heads: 8 } as const;

/**
 * A part of a graph with queries that can be asked there: `size` entities, the facts among them, and their rows of the table.
 *
 * Half of the places at most are for anchors, some hard answers, and entities one recorded link away from these along the
 * relations of their query; entities drawn at random take the others. Answers elsewhere are no candidates, and a query is left out
 * where its anchors or all its hard answers are elsewhere. The order of entities stays. What (9) counts of links is counted in the
 * whole graph: with its log-partitions, degrees in the part are those of the whole. Range: size in [1, |E|].
 *
 * @throws FuzzError `data`: a structure would lose all its queries, and the numbers would be fitted without it.
 */
export function calibrationPart(input: CalibrationInput, size: number, random: Random): CalibrationInput {
  const { model, parameters, facts, queries } = input;
  const ids = Int32Array.from(chooseEntities(input, size, random)).sort();
  const { entityCount, relationCount } = facts;
  /** Place of an entity in the part, from 1. */
  const places = new Int32Array(entityCount);
  ids.forEach((id, place) => {
    places[id] = place + 1;
  });
  const inPart = (list: Int32Array): Int32Array =>
    list.filter((id) => places[id]! > 0).map((id) => places[id]! - 1);
  const d = model.dimension;
  const entities = new Float32Array(ids.length * d);
  ids.forEach((id, place) => {
    entities.set(parameters.entities.subarray(id * d, (id + 1) * d), place * d);
  });
  const triples = factsAmong(facts, ids, places);
  const left = queries.map((part) => {
    const builder = createQueriesBuilder(part.shape);
    for (let row = 0; row < part.count; row += 1) {
      const { anchors, relations, easy, hard } = queryRow(part, row);
      const query = { relations, anchors: inPart(anchors), easy: inPart(easy), hard: inPart(hard) };
      if (query.anchors.length === anchors.length && query.hard.length > 0) builder.add(query);
    }
    return builder.build();
  });
  expectEach(queries, left, size);
  return {
    model: { ...model, entities: ids.length },
    parameters: { ...parameters, entities },
    facts:
      triples.length === 0
        ? emptyKnowledgeGraph(ids.length, relationCount)
        : createKnowledgeGraph({ entityCount: ids.length, relationCount, triples }),
    whole: wholeOf(facts, ids, inPart),
    queries: left,
  };
}

function expectEach(all: CalibrationInput['queries'], left: CalibrationInput['queries'], size: number): void {
  const lost = all.flatMap(({ structure, count }, i) =>
    count > 0 && left[i]!.count === 0 ? [structure] : [],
  );
  if (lost.length === 0) return;
  throw new FuzzError(
    'data',
    `calibration: expected queries of every structure among ${size} entities, got none of ${lost.join(', ')}`,
    { hint: 'Give calibrateRun a larger entitiesOfPart, or queries of fewer structures.' },
  );
}

function chooseEntities({ facts, queries }: CalibrationInput, size: number, random: Random): Set<number> {
  const chosen = new Set<number>();
  const most = Math.ceil(size / 2);
  const add = (ids: ArrayLike<number>, count: number): void => {
    const taken = Math.min(count, ids.length);
    // Evenly spread: an ascending list begins with the entities that were read first.
    for (let i = 0; i < taken && chosen.size < most; i += 1)
      chosen.add(ids[Math.floor((i * ids.length) / taken)]!);
  };
  const longest = queries.reduce((most, { count }) => Math.max(most, count), 0);
  // Row by row of all structures: where places end, each has lost about as many.
  const rows = Array.from({ length: longest }, (_, row) =>
    queries.filter(({ count }) => row < count).map((part) => queryRow(part, row)),
  ).flat();
  for (const { anchors, hard } of rows) {
    add(anchors, anchors.length);
    add(hard, kept.hard);
  }
  for (const { anchors, relations, hard } of rows)
    for (const relation of relations) {
      for (const anchor of anchors) add(facts.tails(anchor, relation), kept.tails);
      // Relations 2k and 2k + 1 are each other's inverse.
      for (const answer of hard.subarray(0, kept.hard)) add(facts.tails(answer, relation ^ 1), kept.heads);
    }
  while (chosen.size < size) chosen.add(random.below(facts.entityCount));
  return chosen;
}

function wholeOf(
  facts: KnowledgeGraph,
  ids: Int32Array,
  inPart: (list: Int32Array) => Int32Array,
): LinkCounts {
  const { relationCount, index } = facts;
  const heads = new Map<number, Int32Array>();
  return {
    ...{ relationCount, index },
    // Those elsewhere count, too, and have no ids here.
    tails: (head, relation) => facts.tails(ids[head]!, relation),
    headsOf(relation) {
      const known = heads.get(relation) ?? inPart(facts.headsOf(relation));
      heads.set(relation, known);
      return known;
    },
  };
}

function factsAmong({ index }: KnowledgeGraph, ids: Int32Array, places: Int32Array): Int32Array {
  const { headOffsets, groupRelations, groupOffsets, tails } = index;
  const triples: number[] = [];
  ids.forEach((head, place) => {
    for (let group = headOffsets[head]!; group < headOffsets[head + 1]!; group += 1) {
      const relation = groupRelations[group]!;
      if (relation % 2 === 1) continue;
      for (let edge = groupOffsets[group]!; edge < groupOffsets[group + 1]!; edge += 1) {
        const tail = places[tails[edge]!]!;
        if (tail > 0) triples.push(place, relation, tail - 1);
      }
    }
  });
  return Int32Array.from(triples);
}
