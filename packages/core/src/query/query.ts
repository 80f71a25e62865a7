import type { EntityId, RelationId } from '../kg/ids.ts';
import { nodesOf } from './nodes.ts';

/** The set that holds one entity: an anchor of the query (the paper's e). */
export interface EntityQuery {
  readonly op: 'entity';
  readonly entity: EntityId;
}

/** Everything that `relation` leads to from the answers of `from` (the paper's P_r). */
export interface ProjectQuery<Leaf = never> {
  readonly op: 'project';
  readonly relation: RelationId;
  readonly from: Query<Leaf>;
}

/** What answers every operand (the paper's C). At least two operands. */
export interface AndQuery<Leaf = never> {
  readonly op: 'and';
  readonly operands: readonly Query<Leaf>[];
}

/** What answers at least one operand (the paper's D). At least two operands. */
export interface OrQuery<Leaf = never> {
  readonly op: 'or';
  readonly operands: readonly Query<Leaf>[];
}

/** What does not answer the operand (the paper's N). */
export interface NotQuery<Leaf = never> {
  readonly op: 'not';
  readonly operand: Query<Leaf>;
}

/** A logical query as a tree whose root is the target variable and whose leaves are anchors, or sets of another kind. */
export type Query<Leaf = never> =
  | EntityQuery
  | ProjectQuery<Leaf>
  | AndQuery<Leaf>
  | OrQuery<Leaf>
  | NotQuery<Leaf>
  | Leaf;

/** The signs of repetition: at most once, any number of times, at least once. */
export const repeats = ['?', '*', '+'] as const;

/** How often a relation is followed if not once. */
export type Repeat = (typeof repeats)[number];

/**
 * Everything that a relation leads to from the answers of `from` in so many steps: recorded facts, and one link that may be predicted.
 *
 * With C_r for all that recorded facts of r lead to in any number of steps, the start included:
 * `r+(q) = C_r(P_r(C_r(q)))`, `r*(q) = q ∨ r+(q)` and `r?(q) = q ∨ P_r(q)`.
 */
export interface ReachQuery {
  readonly op: 'reach';
  readonly relation: RelationId;
  readonly repeat: Repeat;
  readonly from: SetQuery;
}

/** The set of all entities, a fuzzy set that is given by its name, or what a relation leads to in several steps. */
export type SetLeaf = { readonly op: 'any' } | { readonly op: 'given'; readonly name: string } | ReachQuery;

/** A tree whose leaves may be sets that no anchor gives: mode `sets` alone answers such a tree. */
export type SetQuery = Query<SetLeaf>;

/** The anchor `entity`. */
export function entity(id: EntityId): EntityQuery {
  return { op: 'entity', entity: id };
}

/** The projection of `from` along `relation`. */
export function project(relation: RelationId, from: Query): ProjectQuery {
  return { op: 'project', relation, from };
}

/** The conjunction of two or more queries. */
export function and(...operands: readonly [Query, Query, ...Query[]]): AndQuery {
  return { op: 'and', operands };
}

/** The disjunction of two or more queries. */
export function or(...operands: readonly [Query, Query, ...Query[]]): OrQuery {
  return { op: 'or', operands };
}

/** The negation of a query. */
export function not(operand: Query): NotQuery {
  return { op: 'not', operand };
}

/** Operands that hold together or of which any holds; a single operand stands by itself. */
export function joined<Node>(
  op: 'and' | 'or',
  operands: readonly Node[],
): Node | { readonly op: 'and' | 'or'; readonly operands: readonly Node[] } {
  return operands.length === 1 ? operands[0]! : { op, operands };
}

/** A tree without leaves of another kind than anchors; undefined if it has such leaves. */
export function plainQuery(query: SetQuery): Query | undefined {
  // It was looked at.
  return nodesOf(query).some(isSetLeaf) ? undefined : (query as Query);
}

/** Whether a node of a tree is a leaf of mode `sets`. */
export function isSetLeaf(node: SetQuery): node is SetLeaf {
  return node.op === 'any' || node.op === 'given' || node.op === 'reach';
}
