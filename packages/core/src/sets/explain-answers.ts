import { FuzzError } from '../errors.ts';
import type { EntitySet } from '../kg/entity-set.ts';
import { type EntityId, inverseOf, type RelationId } from '../kg/ids.ts';
import { createAnswerer } from '../query/answers.ts';
import type { Query } from '../query/query.ts';
import { templateOf } from '../query/template.ts';
import { topK } from '../ranking/top-k.ts';
import {
  type OpenSets,
  openSets,
  type SetGraphs,
  type SetProjectionQuery,
  type SetsState,
} from './answer-sets.ts';
import { leastOfRecorded } from './members.ts';
import {
  asksNeighbours,
  joinNeighbours,
  type NameNeighbours,
  namedNeighbours,
  neighbourLinks,
  type SparseSet,
} from './neighbour-links.ts';

/** The best members of the set of a part of a query. */
export interface PartMembers {
  /** Where the part stands, as in the JSON form of queries: `$`, `$.and[1].from`. */
  readonly path: string;
  /** [n], best first, ties to the lower id; only members of a degree above 0. */
  readonly ids: Int32Array;
  /** [n] in (0, 1]. */
  readonly degrees: Float32Array;
  /** [n], 1 for what the recorded facts give by themselves, else 0. */
  readonly known: Uint8Array;
}

/** A link that leads to an entity. */
export interface SupportingLink {
  readonly head: EntityId;
  readonly relation: RelationId;
  /** Whether it is a recorded fact; else it is predicted. */
  readonly recorded: boolean;
  /** μ of (9) in [0, 1]; without ν where the head has a degree below 0.95. */
  readonly degree: number;
  /** Of a predicted link the heads that are most similar to its own and have its tail recorded, most similar first: at most 3. */
  readonly neighbours: readonly EntityId[];
}

interface Step<Op extends Query['op']> {
  readonly op: Op;
  readonly entity: EntityId;
  /** How far the entity answers this part of the query, in [0, 1]. */
  readonly degree: number;
}

/**
 * Why an entity answers a query as far as it does: a tree of the query's form, with an entity in every place.
 *
 * A projection has the link that counts most, with the head of which the derivation follows; without one, nothing leads to the
 * entity. Further members may add to the degree of a projection (10), so it can be above that of its link.
 */
export type Derivation =
  | Step<'entity'>
  | (Step<'project'> & { readonly link?: SupportingLink; readonly from?: Derivation })
  | (Step<'and' | 'or'> & { readonly operands: readonly Derivation[] })
  /** The operand's derivation is what speaks against the entity. */
  | (Step<'not'> & { readonly operand: Derivation });

/** Why entities answer a query. */
export interface Explanation {
  /** Every part of the query, from the whole of it downwards, operands in their order. */
  readonly parts: readonly PartMembers[];
  /** One for each of the answers, in their order. */
  readonly derivations: readonly Derivation[];
}

/** What is to be explained. */
export interface ExplanationOptions {
  /** Distinct entities, answers or not. */
  readonly answers: Int32Array;
  /** How many members of each part are listed at most. At least 1. */
  readonly members: number;
}

/** How many steps all derivations of an explanation may have together: those of an answer are as many as the query has parts. */
export const maxExplanationSteps = 5000;

/**
 * Explains answers by fuzzy sets: what the parts of a query hold, and the links through which each answer follows.
 *
 * Of the heads of a projection, `argmax_m κ_r(e)(S(m) ∧ p_mr(e))`, joined with S(m) ∧ ν_mr(e), over the members and `S(n)` over those with a
 * recorded link, as in (10), is where the derivation goes on; of equal ones a recorded link, then the lower id.
 * A projection of a set takes one more run of `links`.
 *
 * @throws FuzzError `cost`: more than `maxExplanationSteps` steps. `range`: as `answerSets`.
 */
export async function explainAnswers(
  graphs: SetGraphs,
  state: SetsState,
  query: Query,
  { answers, members }: ExplanationOptions,
): Promise<Explanation> {
  checkExplanation(query, answers.length);
  const sets = await openSets(graphs, state, [query]);
  const heads = createHeads(graphs, state, sets);
  const known = createKnown(state);
  const parts: PartMembers[] = [];
  for (const { node, path } of partsOf(query))
    parts.push({ path, ...bestMembers(await sets.degrees(node), members, known(node)) });

  /** The derivations of some entities, each once, by id. */
  const derive = async (node: Query, ids: Iterable<number>): Promise<ReadonlyMap<number, Derivation>> => {
    const wanted = [...new Set(ids)];
    const degrees = await sets.degrees(node);
    // Ids are those of the graph.
    const stepOf = (id: number) => ({ entity: id as EntityId, degree: degrees[id]! });
    switch (node.op) {
      case 'entity':
        return new Map(wanted.map((id) => [id, { op: node.op, ...stepOf(id) }]));
      case 'not': {
        const against = await derive(node.operand, wanted);
        return new Map(wanted.map((id) => [id, { op: node.op, ...stepOf(id), operand: against.get(id)! }]));
      }
      case 'project': {
        const links = await heads(node, wanted);
        const from = await derive(
          node.from,
          [...links.values()].map(({ head }) => head),
        );
        return new Map(
          wanted.map((id) => {
            const link = links.get(id);
            const support = link === undefined ? {} : { link, from: from.get(link.head)! };
            return [id, { op: node.op, ...stepOf(id), ...support }];
          }),
        );
      }
      default: {
        const operands: ReadonlyMap<number, Derivation>[] = [];
        for (const operand of node.operands) operands.push(await derive(operand, wanted));
        const of = (id: number): Derivation[] => operands.map((operand) => operand.get(id)!);
        return new Map(wanted.map((id) => [id, { op: node.op, ...stepOf(id), operands: of(id) }]));
      }
    }
  };
  const derivations = await derive(query, answers);
  return { parts, derivations: Array.from(answers, (id) => derivations.get(id)!) };
}

/** Refuses to explain more answers than can be told: 'cost'. */
export function checkExplanation(query: Query, answers: number): void {
  const parts = partsOf(query).length;
  if (answers * parts <= maxExplanationSteps) return;
  throw new FuzzError(
    'cost',
    `explain: expected at most ${maxExplanationSteps} steps, got ${answers} answers of ${parts} steps each`,
    { path: '$.explain', hint: 'Ask for fewer answers with k, or leave explain out.' },
  );
}

interface Part {
  readonly node: Query;
  readonly path: string;
}

/** The parts of a query, from the whole of it downwards. */
export function partsOf(query: Query): Part[] {
  const parts: Part[] = [];
  const visit = (node: Query, path: string): void => {
    parts.push({ node, path });
    if (node.op === 'project') visit(node.from, `${path}.from`);
    else if (node.op === 'not') visit(node.operand, `${path}.not`);
    else if (node.op !== 'entity')
      node.operands.forEach((operand, i) => {
        visit(operand, `${path}.${node.op}[${i}]`);
      });
  };
  visit(query, '$');
  return parts;
}

function bestMembers(set: Float32Array, count: number, known: EntitySet): Omit<PartMembers, 'path'> {
  const { ids, scores } = topK(set, Math.min(count, set.length));
  let members = 0;
  while (members < ids.length && scores[members]! > 0) members += 1;
  const best = Int32Array.from(ids.subarray(0, members));
  return {
    ids: best,
    degrees: Float32Array.from(best, (id) => set[id]!),
    known: Uint8Array.from(best, (id) => (known.has(id) ? 1 : 0)),
  };
}

/** What the facts give to a part. */
function createKnown({ facts }: SetsState): (node: Query) => EntitySet {
  const answerer = createAnswerer(facts);
  return (node) => {
    const { template, anchors, relations } = templateOf(node);
    return answerer.answer(template, anchors, relations);
  };
}

type ProjectQuery = Extract<Query, { readonly op: 'project' }>;

/** Finds for a projection the links that count most for some entities; an entity to which nothing leads has none. */
function createHeads(graphs: SetGraphs, { calibration, facts, counts }: SetsState, sets: OpenSets) {
  const ofSet = async (
    node: SetProjectionQuery,
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, SupportingLink>> => {
    const { heads, offsets, membership, recorded } = await sets.projection(node);
    if (heads.length === 0) return new Map();
    const { entityCount } = facts;
    const { relation } = node;
    const set = await sets.degrees(node.from);
    const least = leastOfRecorded(calibration);
    const relations = new Int32Array(heads.length).fill(relation);
    const predicted = await graphs.links({ heads, relations, offsets });
    const at = (row: number, m: number): number => row * heads.length + m;
    /** A number for every pair of an entity in question and a member. */
    const pairs = (of: (id: number, m: number) => number): Float32Array =>
      Float32Array.from({ length: ids.length * heads.length }, (_, pair) =>
        of(ids[Math.floor(pair / heads.length)]!, pair % heads.length),
      );
    const asked = new Map<number, NameNeighbours>();
    const neighboursOf = (head: number): NameNeighbours => {
      const known = asked.get(head) ?? namedNeighbours(calibration, facts, head, relation);
      asked.set(head, known);
      return known;
    };
    const factorOf = (id: number): number => recorded[2 * entityCount + id]!;
    const votes = Array.from(heads, (head, m) =>
      asksNeighbours(membership[m]!)
        ? votesOf(neighbourLinks(calibration, { facts, counts }, head, relation))
        : undefined,
    );
    const voted = pairs((id, m) => votes[m]?.get(id) ?? 0);
    const memberships = pairs((_, m) => membership[m]!);
    const predictions = pairs((id, m) => predicted[m * entityCount + id]!);
    const joined = (degrees: Float32Array, neighbours: Float32Array): Float32Array => {
      const result = degrees.map((degree, pair) => degree * factorOf(ids[Math.floor(pair / heads.length)]!));
      joinNeighbours(graphs, calibration, result, {
        ids: Int32Array.from(neighbours.keys()),
        degrees: neighbours,
      });
      return result;
    };
    const degrees = joined(predictions, voted);
    const reached = joined(graphs.and(memberships, predictions), graphs.and(memberships, voted));
    const links = new Map<number, SupportingLink>();
    ids.forEach((id, row) => {
      let best: { value: number; link: Omit<SupportingLink, 'neighbours'> } | undefined;
      const offer = (value: number, head: number, isRecorded: boolean, degree: number): void => {
        if (!(value > (best?.value ?? 0))) return;
        // Heads are entities of the graph.
        best = { value, link: { head: head as EntityId, relation, recorded: isRecorded, degree } };
      };
      // The best first, so that of equal ones what is recorded, and then the lower id, stays.
      for (const head of facts.tails(id, inverseOf(relation)))
        if (set[head]! >= least) offer(set[head]!, head, true, 1);
      const order = Array.from(heads, (head, m) => [head, m] as const).sort(([a], [b]) => a - b);
      for (const [head, m] of order) {
        offer(reached[at(row, m)]!, head, false, degrees[at(row, m)]!);
      }
      if (best === undefined) return;
      const { link } = best;
      const isVoted = !link.recorded && asksNeighbours(set[link.head]!);
      links.set(id, { ...link, neighbours: isVoted ? neighboursOf(link.head)(id) : [] });
    });
    return links;
  };
  return async (node: ProjectQuery, ids: readonly number[]): Promise<ReadonlyMap<number, SupportingLink>> => {
    const { from, relation } = node;
    if (from.op !== 'entity') return ofSet({ ...node, from }, ids);
    const head = from.entity;
    const degrees = await sets.degrees(node);
    const neighboursOf = namedNeighbours(calibration, facts, head, relation);
    return new Map(
      ids
        .filter((id) => degrees[id]! > 0)
        .map((id) => {
          const recorded = facts.has(head, relation, id);
          const neighbours = recorded ? [] : neighboursOf(id);
          return [id, { head, relation, recorded, degree: degrees[id]!, neighbours }];
        }),
    );
  };
}

/** Degrees by ids. */
const votesOf = ({ ids, degrees }: SparseSet): ReadonlyMap<number, number> =>
  new Map(Array.from(ids, (id, i) => [id, degrees[i]!]));
