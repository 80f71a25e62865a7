import type { EntityId, RelationId } from '../kg/ids.ts';

/** The set that holds one entity: an anchor of the query (the paper's e). */
export interface EntityQuery {
  readonly op: 'entity';
  readonly entity: EntityId;
}

/** Everything that `relation` leads to from the answers of `from` (the paper's P_r). */
export interface ProjectQuery {
  readonly op: 'project';
  readonly relation: RelationId;
  readonly from: Query;
}

/** What answers every operand (the paper's C). At least two operands. */
export interface AndQuery {
  readonly op: 'and';
  readonly operands: readonly Query[];
}

/** What answers at least one operand (the paper's D). At least two operands. */
export interface OrQuery {
  readonly op: 'or';
  readonly operands: readonly Query[];
}

/** What does not answer the operand (the paper's N). */
export interface NotQuery {
  readonly op: 'not';
  readonly operand: Query;
}

/** A logical query as a tree whose root is the target variable and whose leaves are anchors. */
export type Query = EntityQuery | ProjectQuery | AndQuery | OrQuery | NotQuery;

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
