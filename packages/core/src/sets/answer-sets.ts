import { FuzzError } from '../errors.ts';
import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import type { Query } from '../query/query.ts';
import { type Arrays, newArrays } from './arrays.ts';
import type { Calibration } from './calibration.ts';
import type { CertainAnswers } from './certain-answers.ts';
import { exclusivityOf, tailsOfRelation } from './exclusivity.ts';
import { expectedTails } from './expected-tails.ts';
import type { LinkCounts } from './link-counts.ts';
import { membersOf, recordedRows } from './members.ts';
import { joinNeighbours, neighbourLinks, neighbourSet, type SparseSet } from './neighbour-links.ts';
import { linkOffsets } from './partitions.ts';
import type { SetCache } from './set-cache.ts';
import { joinSets, type SetLogic } from './set-logic.ts';

/** Links (h, r) as graphs take them. Shapes: [m] each. */
export interface LinkFeeds {
  readonly heads: Int32Array;
  readonly relations: Int32Array;
  /** By `linkOffsets`. */
  readonly offsets: Float32Array;
}

/** The links of the members of a set, along one relation. */
export interface SetFeeds extends Omit<LinkFeeds, 'relations'> {
  readonly relation: number;
  /** [m] */
  readonly membership: Float32Array;
  /** [3, |E|], by `recordedRows`. */
  readonly recorded: Float32Array;
}

/** The same with what is joined with the projection that graphs compute. */
export interface ProjectionFeeds extends SetFeeds {
  /** N_r(S), by `neighbourSet`. */
  readonly neighbours: SparseSet;
}

/** What a runtime computes for the plan of queries over fuzzy sets. Sets are degrees of all entities [|E|]. */
export interface SetGraphs extends SetLogic {
  /** (9) Predicted degrees of links [m, |E|], in an array that the plan may write to. */
  links(feeds: LinkFeeds): Promise<Float32Array>;
  /** (10) without neighbours, in an array that the plan may write to. */
  projectSet(feeds: SetFeeds): Promise<Float32Array>;
}

/** The same with projections for some entities alone. */
export interface CandidateGraphs extends SetGraphs {
  /** The same for candidates, with `recorded` of these [3, c]. Shapes: candidates [c] → [c]. */
  projectSetAt(feeds: SetFeeds, candidates: Int32Array): Promise<Float32Array>;
}

/** What sets follow from beside a model's weights. */
export interface SetsState {
  readonly calibration: Calibration;
  /** z_r [|R|]. */
  readonly partitions: Float32Array;
  /** What is recorded. */
  readonly facts: KnowledgeGraph;
  /** Where links are counted, by the ids of `facts`: of a part of a graph the whole one. Default: `facts`. */
  readonly counts?: LinkCounts | undefined;
  /** Default: nothing is kept from one call to the next. */
  readonly cache?: SetCache | undefined;
  /** What sets are made of: answers are not to be read after these go back. Default: new arrays. */
  readonly arrays?: Arrays | undefined;
}

/** Hears of every set whose members are chosen, before they are, with the `expectedTails` of the relation. Shapes: [|E|] each. */
export type OnMembers = (degrees: Float32Array, expected: Float32Array) => void;

/** The fuzzy set of the answers of a query. Its arrays may be shared among queries and are not to be written to. */
export interface AnswerSet {
  /** [|E|] in [0, 1]. */
  readonly degrees: Float32Array;
  /** Of a conjunction the set of each operand, in its order; of other queries none. */
  readonly operands: readonly Float32Array[];
}

/**
 * Answers queries by fuzzy sets: the logic's operators on sets over entities, from the anchors up.
 *
 * An anchor is the set of itself. Unlike the embedding of a query, this keeps the logic's laws exactly, and what is
 * recorded stays recorded through every operator. The links from anchors of all queries are one run of `links`, each
 * of them once; `projectSet` runs once for every projection of anything else. A part that occurs again, in whichever
 * query, is computed once.
 *
 * `certainAnswers` may find that the best answers to a query that is a projection are known without it: then the set holds
 * these alone.
 *
 * @throws FuzzError `range`: an entity or a relation that the facts or partitions do not have.
 */
export async function answerSets(
  graphs: SetGraphs,
  state: SetsState,
  queries: readonly Query[],
  onMembers: OnMembers = () => {},
  certainAnswers?: CertainAnswers,
): Promise<AnswerSet[]> {
  const sets = await openSets(graphs, state, queries, onMembers);
  const answers: AnswerSet[] = [];
  for (const query of queries) {
    const certain =
      certainAnswers === undefined || query.op !== 'project' || query.from.op === 'entity'
        ? undefined
        : certainAnswers(await sets.projection(query));
    const degrees = certain ?? (await sets.degrees(query));
    answers.push({ degrees, operands: query.op === 'and' ? await sets.all(query.operands) : [] });
  }
  return answers;
}

/** A projection of a set, not of an anchor. */
export type SetProjectionQuery = Extract<Query, { readonly op: 'project' }>;

/** The fuzzy sets of the parts of some queries, each computed when it is first asked for and once. */
export interface OpenSets {
  /** [|E|], not to be written to. */
  degrees(node: Query): Promise<Float32Array>;
  all(nodes: readonly Query[]): Promise<Float32Array[]>;
  /** What a projection of a set is computed from. */
  projection(node: SetProjectionQuery): Promise<ProjectionFeeds>;
}

/** Computes the links from the anchors of the queries, and what follows from them when it is asked for. */
export async function openSets(
  graphs: SetGraphs,
  state: SetsState,
  queries: readonly Query[],
  onMembers: OnMembers = () => {},
): Promise<OpenSets> {
  const { calibration, partitions, facts, counts = facts, cache, arrays = newArrays } = state;
  const { entityCount, relationCount } = facts;
  if (partitions.length !== relationCount)
    throw new FuzzError('shape', `partitions: expected ${relationCount}, got ${partitions.length}`);
  const links = await anchorLinks(graphs, state, queries);

  const found = new Map<string, Promise<Float32Array>>();
  const ready = new Map<string, Promise<ProjectionFeeds>>();
  const once = <T>(kept: Map<string, Promise<T>>, node: Query, make: () => Promise<T>): Promise<T> => {
    const key = JSON.stringify(node);
    const made = kept.get(key) ?? make();
    kept.set(key, made);
    return made;
  };
  const degrees = (node: Query): Promise<Float32Array> => once(found, node, () => kept(node));
  const kept = async (node: Query): Promise<Float32Array> => {
    // Anchors take no work, and what leaves them was looked up with all other links.
    if (cache === undefined || node.op === 'entity' || (node.op === 'project' && node.from.op === 'entity'))
      return compute(node);
    const key = JSON.stringify(node);
    const known = cache.get(key);
    if (known !== undefined) return known;
    const set = await compute(node);
    cache.put(key, set);
    return set;
  };
  const compute = async (node: Query): Promise<Float32Array> => {
    switch (node.op) {
      case 'entity': {
        const set = arrays.take(entityCount);
        set[node.entity] = 1;
        return set;
      }
      case 'project': {
        if (node.from.op === 'entity') return links.get(keyOf(node.from.entity, node.relation))!;
        const asked = ready.get(JSON.stringify(node));
        const feeds = await (asked ?? feedsOf(node));
        // Nothing leads anywhere from an empty set.
        if (feeds.heads.length === 0) return arrays.take(entityCount);
        const set = await graphs.projectSet(feeds);
        joinNeighbours(graphs, calibration, set, feeds.neighbours);
        if (asked === undefined) arrays.giveBack(feeds.recorded);
        return set;
      }
      case 'not':
        return graphs.not(await degrees(node.operand), arrays.take(entityCount));
      default:
        return joinSets(graphs, node.op, await all(node.operands), arrays);
    }
  };
  const all = async (operands: readonly Query[]): Promise<Float32Array[]> => {
    const sets: Float32Array[] = [];
    // One after the other: a runtime has one session for all of them.
    for (const operand of operands) sets.push(await degrees(operand));
    return sets;
  };
  const projection = (node: SetProjectionQuery): Promise<ProjectionFeeds> =>
    once(ready, node, () => feedsOf(node));
  const feedsOf = async ({ from, relation }: SetProjectionQuery): Promise<ProjectionFeeds> => {
    const set = await degrees(from);
    const expected = expectedTails(calibration, counts, relation, entityCount, arrays);
    onMembers(set, expected);
    const members = membersOf(set, expected, calibration);
    arrays.giveBack(expected);
    const { ids: heads, degrees: membership } = members;
    const recorded = recordedRows(calibration, facts, set, members, relation, counts, arrays);
    const relations = new Int32Array(heads.length).fill(relation);
    const offsets = linkOffsets(calibration, partitions, counts, heads, relations);
    const neighbours = neighbourSet(graphs, calibration, { facts, counts }, members, relation);
    return { heads, relation, offsets, membership, recorded, neighbours };
  };
  return { degrees, all, projection };
}

const keyOf = (head: number, relation: number): string => `${head} ${relation}`;

/** The sets of all links from anchors, by head and relation. */
async function anchorLinks(
  graphs: SetGraphs,
  { calibration, partitions, facts, counts = facts, cache }: SetsState,
  queries: readonly Query[],
): Promise<ReadonlyMap<string, Float32Array>> {
  const { entityCount, relationCount } = facts;
  const found = new Map<string, readonly [head: number, relation: number]>();
  const visit = (node: Query): void => {
    if (node.op === 'entity') expectId('entity', node.entity, entityCount);
    else if (node.op === 'not') visit(node.operand);
    else if (node.op === 'project') {
      const { relation, from } = node;
      expectId('relation', relation, relationCount);
      visit(from);
      if (from.op === 'entity') found.set(keyOf(from.entity, relation), [from.entity, relation]);
    } else node.operands.forEach(visit);
  };
  queries.forEach(visit);
  const sets = new Map<string, Float32Array>();
  if (cache !== undefined)
    for (const key of found.keys()) {
      const set = cache.get(key);
      if (set !== undefined) sets.set(key, set);
    }
  const links = [...found].filter(([key]) => !sets.has(key)).map(([, link]) => link);
  if (links.length === 0) return sets;
  const heads = Int32Array.from(links, ([head]) => head);
  const relations = Int32Array.from(links, ([, relation]) => relation);
  const offsets = linkOffsets(calibration, partitions, counts, heads, relations);
  const degrees = await graphs.links({ heads, relations, offsets });
  links.forEach(([head, relation], i) => {
    const set = degrees.subarray(i * entityCount, (i + 1) * entityCount);
    const factor = exclusivityOf(calibration, counts, relation);
    if (factor < 1) for (const tail of tailsOfRelation(counts, relation)) set[tail]! *= factor;
    joinNeighbours(graphs, calibration, set, neighbourLinks(calibration, { facts, counts }, head, relation));
    for (const tail of facts.tails(head, relation)) set[tail] = 1;
    sets.set(keyOf(head, relation), set);
    cache?.put(keyOf(head, relation), set);
  });
  return sets;
}

function expectId(kind: 'entity' | 'relation', id: number, count: number): void {
  if (id >= 0 && id < count) return;
  throw new FuzzError('range', `${kind}: expected an id in [0, ${count}), got ${id}`, {
    hint: 'The query was written for another graph.',
  });
}
