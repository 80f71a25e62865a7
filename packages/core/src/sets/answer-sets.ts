import { FuzzError } from '../errors.ts';
import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import type { Query } from '../query/query.ts';
import { type Arrays, newArrays } from './arrays.ts';
import { expectedTails } from './expected-tails.ts';
import type { LinkDegrees } from './link-degrees.ts';
import { type Members, membersOf } from './members.ts';
import { projectSet } from './project-set.ts';
import type { ProjectionSettings } from './projection-settings.ts';
import type { SetCache } from './set-cache.ts';
import { joinSets, type SetLogic } from './set-logic.ts';

/** What queries over fuzzy sets are answered with. */
export interface SetsState {
  /** (9) */
  readonly links: LinkDegrees;
  readonly logic: SetLogic;
  /** The numbers of (10). */
  readonly projection: ProjectionSettings;
  /** What is recorded. */
  readonly facts: KnowledgeGraph;
  /** Default: nothing is kept from one call to the next. */
  readonly cache?: SetCache | undefined;
  /** Arrays that sets are made of: answers are not to be read after the arrays go back. Default: new arrays. */
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
 * recorded stays recorded through every operator. The links from anchors of all queries are one call of `rows`, each
 * of them once; every projection of anything else is a call of its own. A part that occurs again, in whichever
 * query, is computed once.
 *
 * @throws FuzzError `range`: an entity or a relation that the facts do not have.
 * @example
 * const [answer] = await answerSets(state, [query]);
 * answer?.degrees; // [|E|]
 */
export async function answerSets(
  state: SetsState,
  queries: readonly Query[],
  onMembers: OnMembers = () => {},
): Promise<AnswerSet[]> {
  const sets = await openSets(state, queries, onMembers);
  const answers: AnswerSet[] = [];
  for (const query of queries)
    answers.push({
      degrees: await sets.degrees(query),
      operands: query.op === 'and' ? await sets.all(query.operands) : [],
    });
  return answers;
}

/** A projection of a set, not of an anchor. */
export type SetProjectionQuery = Extract<Query, { readonly op: 'project' }>;

/** The fuzzy sets of the parts of some queries, each computed when it is first asked for and once. */
export interface OpenSets {
  /** [|E|], not to be written to. */
  degrees(node: Query): Promise<Float32Array>;
  all(nodes: readonly Query[]): Promise<Float32Array[]>;
  /** The members that the projection of a set goes through. */
  members(node: SetProjectionQuery): Promise<Members>;
}

/** Computes the links from the anchors of the queries, and what follows from them when it is asked for. */
export async function openSets(
  state: SetsState,
  queries: readonly Query[],
  onMembers: OnMembers = () => {},
): Promise<OpenSets> {
  const { links, logic, projection, facts, cache, arrays = newArrays } = state;
  const { entityCount } = facts;
  const anchored = await anchorLinks(state, queries);
  const found = new Map<string, Promise<Float32Array>>();
  const degrees = (node: Query): Promise<Float32Array> => {
    const key = JSON.stringify(node);
    const made = found.get(key) ?? kept(node, key);
    found.set(key, made);
    return made;
  };
  const kept = async (node: Query, key: string): Promise<Float32Array> => {
    // Anchors take no work, and the links that leave an anchor were looked up together.
    if (cache === undefined || node.op === 'entity' || isAnchored(node)) return compute(node);
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
        const { from, relation } = node;
        if (from.op === 'entity') return anchored.get(keyOf(from.entity, relation))!;
        const members = await membersFor(node, onMembers);
        // Nothing leads anywhere from an empty set.
        if (members.ids.length === 0) return arrays.take(entityCount);
        const rows = await links.rows(members.ids, new Int32Array(members.ids.length).fill(relation));
        return projectSet(
          logic,
          projection,
          facts,
          { set: await degrees(from), members, rows, relation },
          arrays,
        );
      }
      case 'not':
        return logic.not(await degrees(node.operand), arrays.take(entityCount));
      default:
        return joinSets(logic, node.op, await all(node.operands), arrays);
    }
  };
  const all = async (operands: readonly Query[]): Promise<Float32Array[]> => {
    const sets: Float32Array[] = [];
    // One after the other: a runtime has one session for all of them.
    for (const operand of operands) sets.push(await degrees(operand));
    return sets;
  };
  const membersFor = async (
    { from, relation }: SetProjectionQuery,
    hear: OnMembers = () => {},
  ): Promise<Members> => {
    const set = await degrees(from);
    const expected = expectedTails(facts, relation, arrays);
    hear(set, expected);
    const members = membersOf(set, expected, projection);
    arrays.giveBack(expected);
    return members;
  };
  return { degrees, all, members: (node) => membersFor(node) };
}

const isAnchored = (node: Query): boolean => node.op === 'project' && node.from.op === 'entity';
const keyOf = (head: number, relation: number): string => `${head} ${relation}`;

/** The sets of all links from anchors, by head and relation. */
async function anchorLinks(
  { links, facts, cache }: SetsState,
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
  const wanted = [...found].filter(([key]) => !sets.has(key));
  if (wanted.length === 0) return sets;
  const heads = Int32Array.from(wanted, ([, [head]]) => head);
  const relations = Int32Array.from(wanted, ([, [, relation]]) => relation);
  const rows = await links.rows(heads, relations);
  wanted.forEach(([key], i) => {
    const set = rows.subarray(i * entityCount, (i + 1) * entityCount);
    sets.set(key, set);
    cache?.put(key, set);
  });
  return sets;
}

function expectId(kind: 'entity' | 'relation', id: number, count: number): void {
  if (id >= 0 && id < count) return;
  throw new FuzzError('range', `${kind}: expected an id in [0, ${count}), got ${id}`, {
    hint: 'The query was written for another graph.',
  });
}
