import { FuzzError } from '../errors.ts';
import type { EntitySet } from '../kg/entity-set.ts';
import { confidenceOf } from '../kg/fact-confidences.ts';
import { type EntityId, inverseOf, type RelationId } from '../kg/ids.ts';
import { createAnswerer } from '../query/answers.ts';
import type { Query } from '../query/query.ts';
import { templateOf } from '../query/template.ts';
import { topK } from '../ranking/top-k.ts';
import { type OpenSets, openSets, type SetProjectionQuery, type SetsState } from './answer-sets.ts';
import { degreesAt } from './listed-set.ts';
import { createScalarJoin } from './scalar-join.ts';

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
  /** μ of (9) in [0, 1]. */
  readonly degree: number;
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
 * Of the heads of a projection, `argmax S(m) ∧ μ_mr(e)` over the members and `S(n) ∧ μ_nr(e)` over heads with a recorded link, as in (10), is where the
 * derivation continues; of equal heads one with a recorded link, then the lower id. A projection of a set takes one more call of `rows`.
 *
 * @throws FuzzError `cost`: more than `maxExplanationSteps` steps. `range`: as `answerSets`.
 * @example
 * const explanation = await explainAnswers(state, query, { answers: Int32Array.of(7), members: 3 });
 */
export async function explainAnswers(
  state: SetsState,
  query: Query,
  { answers, members }: ExplanationOptions,
): Promise<Explanation> {
  checkExplanation(query, answers.length);
  const sets = await openSets(state, [query]);
  const heads = createHeads(state, sets);
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
  const best = ids.slice(0, members);
  return {
    ids: best,
    degrees: degreesAt(set, best),
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

/** Finds for a projection the links that count most for some entities; an entity to which nothing leads has no link. */
function createHeads({ links, logic, facts }: SetsState, sets: OpenSets) {
  const { entityCount } = facts;
  const both = createScalarJoin(logic.and);
  const ofSet = async (
    node: SetProjectionQuery,
    wanted: readonly number[],
  ): Promise<ReadonlyMap<number, SupportingLink>> => {
    const { relation } = node;
    const { ids: heads, degrees: membership } = await sets.members(node);
    if (heads.length === 0) return new Map();
    const set = await sets.degrees(node.from);
    const rows = await links.rows(heads, new Int32Array(heads.length).fill(relation));
    const order = Array.from(heads.keys()).sort((a, b) => heads[a]! - heads[b]!);
    const found = new Map<number, SupportingLink>();
    for (const id of wanted) {
      let best: { value: number; link: SupportingLink } | undefined;
      const offer = (value: number, head: number, recorded: boolean, degree: number): void => {
        if (!(value > (best?.value ?? 0))) return;
        // Heads are entities of the graph.
        best = { value, link: { head: head as EntityId, relation, recorded, degree } };
      };
      // The best first, so that of equal heads one with a recorded link, and then the lower id, stays.
      for (const head of facts.tails(id, inverseOf(relation))) {
        const degree = confidenceOf(facts.confidences, head, relation, id);
        offer(degree === 1 ? set[head]! : both(set[head]!, degree), head, true, degree);
      }
      const degrees = Float32Array.from(heads, (_, m) => rows[m * entityCount + id]!);
      const reached = logic.and(membership, degrees);
      // a ∧ 1 may be a digit more than a: a recorded link is not offered as a predicted one.
      for (const m of order)
        if (!facts.has(heads[m]!, relation, id)) offer(reached[m]!, heads[m]!, false, degrees[m]!);
      if (best !== undefined) found.set(id, best.link);
    }
    return found;
  };
  return async (
    node: ProjectQuery,
    wanted: readonly number[],
  ): Promise<ReadonlyMap<number, SupportingLink>> => {
    const { from, relation } = node;
    if (from.op !== 'entity') return ofSet({ ...node, from }, wanted);
    const head = from.entity;
    const degrees = await sets.degrees(node);
    return new Map(
      wanted
        .filter((id) => degrees[id]! > 0)
        .map((id) => [id, { head, relation, recorded: facts.has(head, relation, id), degree: degrees[id]! }]),
    );
  };
}
