import { FuzzError, type KnowledgeGraph, type Random } from '@fuzzqe/core';

/** The kinds of negatives: all entities, a sample shared by the batch, a sample of each query's own (the paper). */
export const negativesNames = ['all', 'shared', 'own'] as const;
export type NegativesName = (typeof negativesNames)[number];

/** Which entities an answer is compared with. */
export interface NegativesConfig {
  readonly kind: NegativesName;
  /** Size of the sample, of |E| at most; ignored for `all`. */
  readonly count: number;
  /** Share of the sample that is drawn by degree: an entity as often as it has facts. In [0, 1]; ignored for `all`. */
  readonly byDegree: number;
  /** From which share of the run on all entities take its place. In [0, 1]; 1 is never. */
  readonly allFrom: number;
}

/** A kind of negatives: whose they are, and how they are drawn. */
export interface Negatives {
  /** All entities in order; one sample [M] for the whole batch; or a sample for each query [B, M]. */
  readonly scope: 'all' | 'batch' | 'query';
  /** Prepares drawing from a graph; the result draws the ids for so many queries, row after row where each has its own. */
  open(sample: Sample, graph: KnowledgeGraph): (queries: number, random: Random) => Int32Array;
}

type Sample = Pick<NegativesConfig, 'count' | 'byDegree'>;

/** Draws with replacement from `q(e) = s·deg(e)/Σdeg + (1 − s)/|E|`. */
function proposal({ byDegree }: Sample, graph: KnowledgeGraph): (size: number, random: Random) => Int32Array {
  const { entityCount, edgeCount, index } = graph;
  if (byDegree === 0)
    return (size, random) => Int32Array.from({ length: size }, () => random.below(entityCount));
  // Every edge ends at an entity once, so the end of an edge drawn at random is an entity by degree.
  return (size, random) =>
    Int32Array.from({ length: size }, () =>
      random.uniform() < byDegree ? index.tails[random.below(edgeCount)]! : random.below(entityCount),
    );
}

/** Whether the entities of a sample are not equally likely. */
export function isWeightedSample({ kind, byDegree }: Pick<NegativesConfig, 'kind' | 'byDegree'>): boolean {
  return negativesOf({ kind }).scope !== 'all' && byDegree > 0;
}

/**
 * What a softmax over a sample adds to each entity's score so that the sample stands for all: `−ln(M q(e))`.
 *
 * The sum over the sample then has the sum over all entities as its mean. Undefined where all are equally likely. Shapes: [|E|]. Source: Bengio and Senécal, "Adaptive Importance Sampling", 2008.
 */
export function logProposals(
  config: Sample & Pick<NegativesConfig, 'kind'>,
  graph: KnowledgeGraph,
): Float32Array | undefined {
  if (!isWeightedSample(config)) return undefined;
  const { count, byDegree } = config;
  const { entityCount, edgeCount } = graph;
  return Float32Array.from({ length: entityCount }, (_, entity) => {
    const likely = (byDegree * graph.degree(entity)) / edgeCount + (1 - byDegree) / entityCount;
    return -Math.log(count * likely);
  });
}

const kinds: Readonly<Record<NegativesName, Negatives>> = {
  all: { scope: 'all', open: () => () => new Int32Array(0) },
  shared: {
    scope: 'batch',
    open(sample, graph) {
      const draw = proposal(sample, graph);
      return (_, random) => draw(sample.count, random);
    },
  },
  own: {
    scope: 'query',
    open(sample, graph) {
      const draw = proposal(sample, graph);
      return (queries, random) => draw(queries * sample.count, random);
    },
  },
};

/** The kind that a configuration names. */
export function negativesOf({ kind }: Pick<NegativesConfig, 'kind'>): Negatives {
  return kinds[kind];
}

/**
 * How many entities each answer is compared with, M.
 *
 * @throws FuzzError `config`: a sample would be larger than the graph.
 */
export function negativesWidth(config: Pick<NegativesConfig, 'kind' | 'count'>, entities: number): number {
  if (negativesOf(config).scope === 'all') return entities;
  if (config.count > entities)
    throw new FuzzError('config', `expected at most |E| = ${entities} negatives, got ${config.count}`, {
      path: '$.negatives.count',
      hint: 'lower it, or compare with all entities: "negatives": {"kind": "all"}',
    });
  return config.count;
}

/**
 * Puts the rejected tails of queries in the place of drawn entities, in `ids`, as many as there is room for; gives their places.
 *
 * All entities have them anyway. Shapes: rejected [B], ids [M] or [B × M].
 */
export function placeRejected(
  scope: Negatives['scope'],
  rejected: readonly (Int32Array | undefined)[],
  ids: Int32Array,
  width: number,
): ReadonlySet<number> {
  const places = new Set<number>();
  if (scope === 'all') return places;
  const samples =
    scope === 'query'
      ? rejected
      : [Int32Array.from(new Set(rejected.flatMap((tails) => Array.from(tails ?? []))))];
  samples.forEach((tails, row) => {
    tails?.slice(0, width).forEach((id, column) => {
      ids[row * width + column] = id;
      places.add(row * width + column);
    });
  });
  return places;
}

/** Which of the compared entities answer each query: [B, M] truth values. */
export function maskAnswers(
  scope: Negatives['scope'],
  answers: readonly Int32Array[],
  ids: Int32Array,
  { width, entities }: { readonly width: number; readonly entities: number },
): Uint8Array {
  const masked = new Uint8Array(answers.length * width);
  switch (scope) {
    case 'all':
      answers.forEach((each, row) => {
        for (const id of each) masked[row * width + id] = 1;
      });
      break;
    case 'batch': {
      const columns = columnsOf(ids, entities);
      answers.forEach((each, row) => {
        for (const id of each)
          for (let at = columns.first[id]!; at >= 0; at = columns.next[at]!) masked[row * width + at] = 1;
      });
      break;
    }
    case 'query': {
      // Marks one query's answers in a table of all entities, looks its negatives up, and clears the marks again.
      const marks = new Uint8Array(entities);
      answers.forEach((each, row) => {
        for (const id of each) marks[id] = 1;
        for (let i = row * width; i < (row + 1) * width; i += 1) masked[i] = marks[ids[i]!]!;
        for (const id of each) marks[id] = 0;
      });
    }
  }
  return masked;
}

/** The columns in which each entity stands, as lists: its first column, and from each column the next; −1 ends one. */
function columnsOf(
  ids: Int32Array,
  entities: number,
): { readonly first: Int32Array; readonly next: Int32Array } {
  const first = new Int32Array(entities).fill(-1);
  const next = new Int32Array(ids.length);
  ids.forEach((entity, column) => {
    next[column] = first[entity]!;
    first[entity] = column;
  });
  return { first, next };
}
