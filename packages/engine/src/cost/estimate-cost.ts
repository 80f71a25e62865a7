import { type FactRows, FuzzError, findGroup, type KnowledgeGraph, keptBy } from '@fuzzqe/core';
import { nodesOf, type PatternPlan, type Query, type SetQuery } from '@fuzzqe/core/query';
import { extensionsPerLink, type ProjectionSettings } from '@fuzzqe/core/sets';
import { domainHeads, hasCentroids, type ModelConfig, type OfFamily, traitsOf } from '@fuzzqe/model';
import type { AnswerFilter } from '../filter/answer-filter.ts';
import type { AnswerMode } from '../ranker/ranker.ts';
import { type PatternSearch, recordedPerLink } from '../sets/pattern-mode.ts';

/** The options of an answer that its cost depends on. */
export interface CostOptions {
  readonly mode?: AnswerMode;
  readonly k?: number;
  readonly explain?: boolean;
  readonly filter?: AnswerFilter;
  /** Whether the relations are counted that lead on from the answers. Default false. */
  readonly next?: boolean;
}

/** What the cost of a query depends on in addition to the query and the options. */
export interface CostSize {
  /** |E| */
  readonly entities: number;
  /** d */
  readonly dimension: number;
  /** How many numbers of its relation a projection reads: d² of W_r, or d of its blocks. Default: d². */
  readonly ofRelation?: number;
  /** How many members a projection of a set takes along at most. */
  readonly members: number;
  /** How many rows of entities a ranking by an embedding, a link or a set reads: |E|, or fewer where an index finds candidates. */
  readonly ranked?: number;
  /** How many heads a centroid of an embedding is of. Default: 0, where there are none. */
  readonly heads?: number;
  /** How many kinds of facts an entity has at most. Default: none. */
  readonly kinds?: number;
  /** How many recorded edges a relation has: those that leave one entity, or all. */
  edgesOf(relation: number, head?: number): number;
}

/** The sizes of a bundle's model and of its recorded facts; without a model nothing is multiplied. */
export function costSizeOf(
  model: (Pick<ModelConfig, 'dimension' | 'projectionInput'> & OfFamily) | null,
  { certainMembers, predictedMembers }: Pick<ProjectionSettings, 'certainMembers' | 'predictedMembers'>,
  facts: KnowledgeGraph,
  ranked: number = facts.entityCount,
): CostSize {
  const entities = facts.entityCount;
  const dimension = model?.dimension ?? 0;
  const counts = factCounts(facts.rows);
  return {
    entities,
    dimension,
    ofRelation: model !== null && traitsOf(model).hasMatrices ? dimension ** 2 : dimension,
    members: Math.min(certainMembers + predictedMembers, entities),
    ranked: Math.min(ranked, entities),
    heads: model !== null && hasCentroids(model) ? Math.min(domainHeads, entities) : 0,
    get kinds() {
      return counts.kinds();
    },
    edgesOf: (relation, head) =>
      head === undefined ? counts.edgesOf(relation) : facts.tails(head, relation).length,
  };
}

/** What is counted of facts, when it is first asked for: anyone who opens a bundle or changes a fact waits for nothing. */
const factCounts = keptBy((rows: FactRows) => {
  const { headStarts, headEnds, groupStarts, groupEnds, relationStarts, relationEnds, relationHeads } = rows;
  const edges = new Map<number, number>();
  let kinds: number | undefined;
  return {
    edgesOf(relation: number): number {
      const known = edges.get(relation);
      if (known !== undefined) return known;
      let count = 0;
      const end = relationEnds[relation] ?? 0;
      for (let at = relationStarts[relation] ?? 0; at < end; at += 1) {
        const group = findGroup(rows, relationHeads[at]!, relation);
        count += groupEnds[group]! - groupStarts[group]!;
      }
      edges.set(relation, count);
      return count;
    },
    kinds(): number {
      if (kinds === undefined) {
        kinds = 0;
        for (let head = 0; head < headStarts.length; head += 1)
          kinds = Math.max(kinds, headEnds[head]! - headStarts[head]!);
      }
      return kinds;
    },
  };
});

/**
 * What each kind of work takes, in nanoseconds of one core of an AMD EPYC of the Zen 4 generation, with onnxruntime-node and fp32.
 *
 * Fitted by `bench/cost.mjs` on FB15k-237 (|E| 14 505, d 128, 64 members).
 */
const nanoseconds = {
  /** Of a query: reading, planning, names of its own. */
  query: 300_000,
  /** Of a run of a graph: one for each node at most. */
  node: 30_000,
  /** Of an element of p_e: all of them are read once for each projection of a set, and once for the links or for the ranking. */
  read: 0.08,
  /** Of an element of the row of an entity that is scored by itself: copied out of the table, then multiplied. */
  scored: 1.5,
  /** Of a row of W_r, for each of its elements: a projection of an anchor or of an embedding reads a matrix. */
  matrix: 0.4,
  /** Of a product of an element of a projected row with one of p_e. */
  product: 0.02,
  /** Of a degree of a link, from its cosine. */
  degree: 2,
  /** Of an entity in a set that is joined, negated or compared with another. */
  joined: 12,
  /** Of an entity whose degree one condition gives in the search of a pattern. */
  extended: 4,
  /** Of an entity in a set whose members are chosen for a projection. */
  chosen: 60,
  /** Of an answer with its names, and of an operand in it. */
  answer: 2_000,
  operand: 400,
  /** Of a recorded edge that is followed: 2 where heads have many, 10 where each has a head of its own. */
  edge: 5,
  /** Of an entity in a set of recorded answers, which has a bit for each. */
  bit: 0.12,
  /** Of a relation of an answer that is counted, with its facts. */
  kind: 300,
  /** Of an entity whose names a text is looked for in, and of one whose names are compared with how it is spelled: at most, on NELL995. */
  sought: 100,
  compared: 300,
} as const;

/**
 * How long a query takes where nothing is saved, in milliseconds of one core, before it is run.
 *
 * By sets: `A` links from anchors, `P` projections of sets through `m` members, `J` joins and negations. By the embedding: `A + P`
 * projections of one row.
 *
 *     sets       read·|E|d·(1 + P) + (A + mP)·(|E|(product·d + degree) + matrix·w) + |E|(joined·(J + 1) + chosen·P)
 *     embedding  read·|E|d + (A + P)·matrix·w + |E|·joined, and with centroids P·heads·d·scored
 *     both       + query + node·nodes + k·(answer + operand·operands) + recorded
 *     recorded   edge·edges + bit·|E|·nodes, in a conjunction twice
 *     next       kind·k·kinds, where an entity has facts of so many relations at most
 *     explain    the sets twice, the links of their members once more, and for each node joined·|E| + answer·k
 *
 * w is d², or d where relations are blocks. Where an index finds candidates, these stand for |E|. `edges` are those of the relation of each
 * projection; of an anchor only its own. What the facts give by themselves is found for every query, and for a filter by what is
 * recorded. A filter by the degrees of a query costs as much as that query in mode `sets`.
 *
 * Bounds often let a query take far less in mode `sets`, parts that occur twice are computed once, and queries of a batch share
 * runs: none of this is counted on. Other profiles and machines are within a factor of three.
 * Source: the formula counts what graphs do; its coefficients were measured (`bench/cost.mjs`).
 */
export function estimateCost(
  query: Query,
  { mode = 'sets', k = 10, filter, explain = false, next = false }: CostOptions,
  size: CostSize,
): number {
  const { entities, dimension, ofRelation = dimension ** 2, members, ranked = entities } = size;
  const { heads = 0 } = size;
  const { nodes, links, projections, joins } = countNodes(query);
  const operands = query.op === 'and' && mode === 'sets' ? query.operands.length : 0;
  const of = nanoseconds;
  const matrix = of.matrix * ofRelation;
  const bySets = (): number => {
    const runs = 1 + projections;
    const rows = links + members * projections;
    const row = ranked * (of.product * dimension + of.degree) + matrix;
    const sets =
      of.read * ranked * dimension * runs +
      rows * row +
      ranked * (of.joined * (joins + 1) + of.chosen * projections);
    if (!explain) return sets;
    return 2 * sets + rows * row + nodes * (of.joined * ranked + of.answer * Math.min(k, entities));
  };
  const byEmbedding = (): number =>
    of.read * ranked * dimension +
    (links + projections) * matrix +
    ranked * of.joined +
    projections * heads * dimension * of.scored;
  const answers = Math.min(k, entities) * (of.answer + of.operand * operands);
  const recorded = recordedNanoseconds(query, size) * (query.op === 'and' ? 2 : 1);
  const counted = next ? of.kind * (size.kinds ?? 0) * Math.min(k, entities) : 0;
  const total =
    of.query + of.node * nodes + answers + counted + recorded + (mode === 'sets' ? bySets() : byEmbedding());
  if (filter?.query === undefined) return total / 1e6;
  const filtered =
    filter.minDegree === undefined
      ? estimateRecordedCost(filter.query, size)
      : estimateCost(filter.query, { k: 1 }, size);
  return total / 1e6 + filtered;
}

/** How long it takes to find what the facts give to a query by themselves, in milliseconds of one core. */
export function estimateRecordedCost(query: Query, size: CostSize): number {
  return recordedNanoseconds(query, size) / 1e6;
}

/** How long it takes to score so many chosen entities by an embedding, in milliseconds of one core. */
export function estimateScoringCost(entities: number, { dimension }: CostSize): number {
  return (nanoseconds.node + entities * dimension * nanoseconds.scored) / 1e6;
}

/** How long it takes to give so many entities their names and to write them, in milliseconds of one core. */
export function estimateNamingCost(entities: number): number {
  return (nanoseconds.answer * entities) / 1e6;
}

/**
 * How long it takes to look through the names of so many entities or relations, in milliseconds of one core: for those that have a text
 * in them, or for those that are spelled like it as well.
 */
export function estimateSearchCost(names: number, misspelt = true): number {
  return ((misspelt ? nanoseconds.compared : nanoseconds.sought) * names) / 1e6;
}

/**
 * How long a pattern takes at most, in milliseconds of one core.
 *
 *     Σ sets of the steps + links·(|E|(product·d + degree) + matrix·w) + ((2·links + 1)·|E|·extended·(conditions + 1), 5 times where recorded tuples are searched + k·answer·answers
 *
 * A search that ends before its links are spent takes less.
 */
export function estimatePatternCost(
  { steps, answers }: PatternPlan,
  { k, links, count, exclude }: Pick<PatternSearch, 'k' | 'links' | 'count' | 'exclude'>,
  size: CostSize,
): number {
  const { entities, dimension, ofRelation = dimension ** 2, members } = size;
  const of = nanoseconds;
  const row = entities * (of.product * dimension + of.degree) + of.matrix * ofRelation;
  let runs = 1;
  let rows = 0;
  let joined = 0;
  let chosen = 0;
  let joins = 0;
  let extended = 0;
  const add = (query: SetQuery): void => {
    const counts = countNodes(query);
    runs += counts.projections;
    rows += counts.links + members * counts.projections;
    joined += counts.joins + 1;
    chosen += counts.projections;
  };
  for (const { set, conditions } of steps) {
    if (set !== undefined) add(set);
    for (const condition of conditions.flatMap((each) => nodesOf(each))) {
      joins += 1;
      if (condition.op === 'member') add(condition.query);
    }
  }
  const isSearch = steps.length > 1 || joins > 0;
  if (isSearch) {
    rows += links;
    const more = count !== undefined || exclude === 'known' ? 1 + recordedPerLink : 1;
    extended = more * (extensionsPerLink * links + 1) * (joins / Math.max(1, steps.length - 1) + 1);
  }
  const sets =
    of.read * entities * dimension * runs +
    rows * row +
    entities * (of.joined * joined + of.extended * extended + of.chosen * chosen);
  return (of.query + sets + k * Math.max(1, answers.length) * of.answer) / 1e6;
}

function recordedNanoseconds(query: Query, { entities, edgesOf }: CostSize): number {
  const nodes = nodesOf(query);
  let edges = 0;
  for (const node of nodes)
    if (node.op === 'project') {
      const { relation, from } = node;
      edges += from.op === 'entity' ? edgesOf(relation, from.entity) : edgesOf(relation);
    }
  return nanoseconds.edge * edges + nanoseconds.bit * entities * nodes.length;
}

/**
 * Refuses a query that would take too long, before it is run.
 *
 * Ranges: both in milliseconds, as `estimateCost` gives them.
 *
 * @throws FuzzError `cost`.
 */
export function checkCost(query: Query, cost: number, limit: number, path = '$.query'): void {
  if (cost <= limit) return;
  const { nodes, projections } = countNodes(query);
  throw tooDear(['query', cost, limit], `with ${nodes} nodes, ${projections} of them projections of sets`, {
    path,
    hint: 'Use fewer nested projections (also in the filter), a smaller k, or mode embedding; or raise costLimit.',
  });
}

/**
 * Refuses a query of a batch that would take the batch over what all of it may cost.
 *
 * Ranges: all in milliseconds, as `estimateCost` gives them; `before`: of the queries before it.
 *
 * @throws FuzzError `cost`.
 */
export function checkBatchCost(cost: number, before: number, limit: number): void {
  if (before + cost <= limit) return;
  throw tooDear(['batch', before + cost, limit], 'with this query', {
    path: '$.query',
    hint: 'Send the rest as another batch.',
  });
}

/**
 * Refuses links that would take too long together, as `checkCost` does a query.
 *
 * @throws FuzzError `cost`.
 */
export function checkLinksCost(links: number, cost: number, limit: number): void {
  if (cost <= limit) return;
  throw tooDear(['entity', cost, limit], `for ${links} relations`, {
    path: '$.limit',
    hint: 'Ask for fewer relations and go on by offset, or leave predictions out.',
  });
}

/**
 * Refuses a search among so many names that would take too long.
 *
 * @throws FuzzError `cost`.
 */
export function checkSearchCost(names: number, cost: number, limit: number): void {
  if (cost <= limit) return;
  throw tooDear(['search', cost, limit], `among the names of ${names}`, {
    path: 'q',
    hint: 'Name them by their keys, or raise costLimit.',
  });
}

function tooDear(
  [what, cost, limit]: readonly [what: string, cost: number, limit: number],
  why: string,
  where: { readonly path: string; readonly hint: string },
): FuzzError {
  return new FuzzError(
    'cost',
    `${what}: expected a cost of at most ${figure(limit)} ms, got ${figure(cost)} ms ${why}`,
    where,
  );
}

const figure = (milliseconds: number): string => `${Math.round(milliseconds * 100) / 100}`;

interface Counts {
  readonly nodes: number;
  /** Projections of anchors. */
  readonly links: number;
  /** Projections of anything else. */
  readonly projections: number;
  /** How many sets are joined to another or negated. */
  readonly joins: number;
}

function countNodes(query: SetQuery): Counts {
  const nodes = nodesOf(query);
  const counts = { nodes: nodes.length, links: 0, projections: 0, joins: 0 };
  for (const node of nodes)
    if (node.op === 'project') counts[node.from.op === 'entity' ? 'links' : 'projections'] += 1;
    else if (node.op === 'reach') {
      // A walk over facts at either end of the projection takes about as long as a set that is joined.
      counts.projections += 1;
      counts.joins += 3;
    } else if (node.op === 'not') counts.joins += 1;
    else if ('operands' in node) counts.joins += node.operands.length - 1;
  return counts;
}
