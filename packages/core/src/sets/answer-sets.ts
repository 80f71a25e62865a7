import { FuzzError } from '../errors.ts';
import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import { nodesOf } from '../query/nodes.ts';
import type { ProjectQuery, Query, SetLeaf, SetQuery } from '../query/query.ts';
import { type Arrays, newArrays } from './arrays.ts';
import { closeSet } from './close-set.ts';
import { expectedTails } from './expected-tails.ts';
import type { LinkDegrees } from './link-degrees.ts';
import { type Members, membersOf } from './members.ts';
import { type ProjectedSet, projectSet } from './project-set.ts';
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
  /** (10) of a set through the links of its members. Default: `projectSet` of their rows. */
  readonly project?: ((of: Omit<ProjectedSet, 'rows'>) => Promise<Float32Array>) | undefined;
  /** The sets that leaves of queries name. Default: no leaf names a set. */
  readonly given?: ReadonlyMap<string, GivenMembers> | undefined;
  /** Default: nothing is kept from one call to the next. */
  readonly cache?: SetCache | undefined;
  /** Arrays that sets are made of: answers are not to be read after the arrays go back. Default: new arrays. */
  readonly arrays?: Arrays | undefined;
}

/** The members of a set that is given. Shapes: [n] each; every other entity has degree 0. */
export interface GivenMembers {
  readonly ids: Int32Array;
  /** In (0, 1]. */
  readonly degrees: Float32Array;
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
export type SetProjectionQuery = ProjectQuery<SetLeaf>;

/** The fuzzy sets of the parts of some queries, each computed when it is first asked for and once. */
export interface OpenSets {
  /** [|E|], not to be written to. */
  degrees(node: SetQuery): Promise<Float32Array>;
  all(nodes: readonly SetQuery[]): Promise<Float32Array[]>;
  /** The members that the projection of a set goes through. */
  members(node: SetProjectionQuery): Promise<Members>;
}

/** Computes the links from the anchors of the queries, and what follows from them when it is asked for. */
export async function openSets(
  state: SetsState,
  queries: readonly SetQuery[],
  onMembers: OnMembers = () => {},
): Promise<OpenSets> {
  const { logic, projection, facts, project, given, cache, arrays = newArrays } = state;
  const { entityCount } = facts;
  const anchored = await anchorLinks(state, queries);
  const found = new Map<string, Promise<Float32Array>>();
  const degrees = (node: SetQuery): Promise<Float32Array> => {
    const key = JSON.stringify(node);
    const made = found.get(key) ?? kept(node, key);
    found.set(key, made);
    return made;
  };
  const kept = async (node: SetQuery, key: string): Promise<Float32Array> => {
    // Leaves take no work, the links that leave an anchor were looked up together, and another call may give other sets.
    if (cache === undefined || given !== undefined || isLeaf(node) || isAnchored(node)) return compute(node);
    const known = cache.get(key);
    if (known !== undefined) return known;
    const set = await compute(node);
    cache.put(key, set);
    return set;
  };
  const compute = async (node: SetQuery): Promise<Float32Array> => {
    switch (node.op) {
      case 'any':
        return arrays.take(entityCount).fill(1);
      case 'given': {
        const set = arrays.take(entityCount);
        const { ids, degrees: ofIds } = given!.get(node.name)!;
        for (let i = 0; i < ids.length; i += 1) set[ids[i]!] = ofIds[i]!;
        return set;
      }
      case 'entity': {
        const set = arrays.take(entityCount);
        set[node.entity] = 1;
        return set;
      }
      case 'project': {
        const { from, relation } = node;
        if (from.op === 'entity') return anchored.get(keyOf(from.entity, relation))!;
        return projectFrom(await degrees(from), relation);
      }
      case 'reach': {
        const { relation, repeat } = node;
        const from = await degrees(node.from);
        const starts = repeat === '?' ? from : closeSet(logic, facts, from, relation, arrays);
        const step = await projectFrom(starts, relation);
        const reached = repeat === '?' ? step : closeSet(logic, facts, step, relation, arrays);
        return repeat === '+' ? reached : logic.or(from, reached, reached);
      }
      case 'not':
        return logic.not(await degrees(node.operand), arrays.take(entityCount));
      default:
        return joinSets(logic, node.op, await all(node.operands), arrays);
    }
  };
  const all = async (operands: readonly SetQuery[]): Promise<Float32Array[]> => {
    const sets: Float32Array[] = [];
    // One after the other: a runtime has one session for all of them.
    for (const operand of operands) sets.push(await degrees(operand));
    return sets;
  };
  const projectFrom = async (set: Float32Array, relation: number): Promise<Float32Array> => {
    const members = membersFor(set, relation, onMembers);
    // Nothing leads anywhere from an empty set.
    if (members.ids.length === 0) return arrays.take(entityCount);
    if (project !== undefined) return project({ set, members, relation });
    const found = await linkSets(
      state,
      [...members.ids].map((id) => [id, relation] as const),
    );
    const rows = [...found.values()];
    return projectSet(logic, projection, facts, { set, members, rows, relation }, arrays);
  };
  const membersFor = (set: Float32Array, relation: number, hear: OnMembers = () => {}): Members => {
    const expected = expectedTails(facts, relation, arrays);
    hear(set, expected);
    const members = membersOf(set, expected, projection);
    arrays.giveBack(expected);
    return members;
  };
  return {
    degrees,
    all,
    members: async ({ from, relation }) => membersFor(await degrees(from), relation),
  };
}

const isLeaf = (node: SetQuery): boolean => node.op === 'entity' || node.op === 'any' || node.op === 'given';
const isAnchored = (node: SetQuery): boolean => node.op === 'project' && node.from.op === 'entity';
/** The key of the links (h, r). */
export const keyOf = (head: number, relation: number): string => `${head} ${relation}`;

/** The sets of all links from anchors, by head and relation. */
async function anchorLinks(
  state: SetsState,
  queries: readonly SetQuery[],
): Promise<ReadonlyMap<string, Float32Array>> {
  const { entityCount, relationCount } = state.facts;
  const found = new Map<string, readonly [head: number, relation: number]>();
  for (const node of queries.flatMap((query) => nodesOf(query))) {
    if (node.op === 'entity') expectId('entity', node.entity, entityCount);
    if (!('from' in node)) continue;
    const { op, relation, from } = node;
    expectId('relation', relation, relationCount);
    if (op === 'project' && from.op === 'entity')
      found.set(keyOf(from.entity, relation), [from.entity, relation]);
  }
  return linkSets(state, [...found.values()]);
}

/** The sets of links, by `keyOf`, in the order of the links: the kept sets, and in one call all others. The links are to be distinct. */
export async function linkSets(
  { links, facts, cache }: Pick<SetsState, 'links' | 'facts' | 'cache'>,
  wanted: readonly (readonly [head: number, relation: number])[],
): Promise<Map<string, Float32Array>> {
  const sets = new Map<string, Float32Array>();
  const others: (readonly [key: string, head: number, relation: number])[] = [];
  for (const link of wanted) {
    const key = keyOf(...link);
    const set = cache?.get(key);
    if (set === undefined) others.push([key, ...link]);
    // A place for each link, so that the order stays.
    sets.set(key, set ?? nothing);
  }
  if (others.length === 0) return sets;
  const rows = await links.rows(
    Int32Array.from(others, ([, head]) => head),
    Int32Array.from(others, ([, , relation]) => relation),
  );
  others.forEach(([key], i) => {
    const set = rows.subarray(i * facts.entityCount, (i + 1) * facts.entityCount);
    sets.set(key, set);
    cache?.put(key, set);
  });
  return sets;
}

const nothing = new Float32Array();

function expectId(kind: 'entity' | 'relation', id: number, count: number): void {
  if (id >= 0 && id < count) return;
  throw new FuzzError('range', `${kind}: expected an id in [0, ${count}), got ${id}`, {
    hint: 'The query was written for another graph.',
  });
}
