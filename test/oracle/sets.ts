import { linkDegrees, type OracleEvidence, tailsOf } from './evidence.ts';
import {
  conjunction,
  disjunction,
  negation,
  type OracleModel,
  type OracleTables,
  projection,
} from './model.ts';
import type { OracleQuery } from './query.ts';

/** `sets.projection` of a manifest. */
export interface OracleProjection {
  readonly support: number;
  readonly certainMembers: number;
  readonly predictedMembers: number;
}

/** What answers by sets need beside the tables. */
export interface OracleSets extends OracleEvidence {
  readonly projection: OracleProjection;
  /** Hears of members that are so close that rounding chooses them. */
  readonly onClose?: () => void;
}

type Vector = number[];

/** cos(P_r(p_h), p_e) for every e; with blocks Σ_i (2 P_r(p_h)(i) − 1)(d p_e(i) − 1), up to what p_e does not sum to 1. */
function scoresOfLink(model: OracleModel, tables: OracleTables, head: number, relation: number): Vector {
  const x = projection(model, tables.relation(relation), [...tables.entities[head]!]);
  const length = (vector: readonly number[]): number => {
    let squares = 1e-12;
    for (const value of vector) squares += value * value;
    return Math.sqrt(squares);
  };
  const d = model.dimension;
  if (model.relationForm === 'blocks') {
    let mean = 0;
    for (const value of x) mean += value / d;
    return tables.entities.map((entity) => {
      let product = 0;
      for (let i = 0; i < d; i += 1) product += (x[i]! - mean) * entity[i]!;
      return 2 * d * product;
    });
  }
  return tables.entities.map((entity) => {
    let product = 0;
    for (let i = 0; i < model.dimension; i += 1) product += x[i]! * entity[i]!;
    // A vector of length 1 is its own direction.
    const own = model.entityNormalisation === 'l2' ? 1 : length(entity);
    return product / (length(x) * own);
  });
}

/** Equation (9). */
function degreesOfLink(
  model: OracleModel,
  tables: OracleTables,
  sets: OracleSets,
  head: number,
  relation: number,
): Vector {
  const scores = sets.temperature === null ? undefined : scoresOfLink(model, tables, head, relation);
  return linkDegrees(sets, scores, head, relation, model.entities);
}

/** The entities of `some` with the highest values, of equal values the lowest ids. */
function bestOf(values: readonly number[], some: readonly number[], count: number): number[] {
  const left = [...some];
  const chosen: number[] = [];
  while (chosen.length < count && left.length > 0) {
    let at = 0;
    for (let i = 1; i < left.length; i += 1) if (values[left[i]!]! > values[left[at]!]!) at = i;
    chosen.push(left[at]!);
    left.splice(at, 1);
  }
  return chosen;
}

/** Equation (10): the projection of a set. */
function projectedSet(
  model: OracleModel,
  tables: OracleTables,
  sets: OracleSets,
  set: Vector,
  relation: number,
): Vector {
  const { support, certainMembers, predictedMembers } = sets.projection;
  const ids = set.map((_, id) => id);
  const promise = set.map((degree, id) => {
    const recorded = tailsOf(sets.facts, id, relation).length;
    return degree * Math.fround(Math.min(0.3, 0.1 * Math.max(recorded, 0.1)));
  });
  const certain = ids.filter((id) => set[id]! >= 0.95);
  const others = ids.filter((id) => set[id]! < 0.95 && set[id]! > 0);
  const members: number[] = [];
  for (const [group, count] of [
    [certain, certainMembers],
    [others, predictedMembers],
  ] as const) {
    const kept = bestOf(promise, group, count);
    const least = Math.min(...kept.map((id) => promise[id]!));
    // In single precision Łukasiewicz's a ∧ 1 is a only up to rounding, which parts equal members.
    const equalMayPart = (id: number): boolean => model.logic === 'lukasiewicz' && set[id]! < 1;
    const isClose = (id: number): boolean =>
      least - promise[id]! <= 1e-6 && (promise[id] !== least || equalMayPart(id));
    if (group.some((id) => !kept.includes(id) && isClose(id))) sets.onClose?.();
    members.push(...kept);
  }
  if (set.some((degree) => Math.abs(degree - 0.95) <= 1e-5)) sets.onClose?.();
  const highest = set.map(() => 0);
  const total = set.map(() => 0);
  if (members.length === 0) return highest;
  for (const member of members)
    degreesOfLink(model, tables, sets, member, relation).forEach((degree, e) => {
      const [reached] = conjunction(model.logic, [set[member]!], [degree]);
      highest[e] = Math.max(highest[e]!, reached!);
      total[e]! += reached!;
    });
  for (const other of ids.filter((id) => set[id]! > 0 && !members.includes(id)))
    for (const e of tailsOf(sets.facts, other, relation)) {
      highest[e] = Math.max(highest[e]!, set[other]!);
      if (set[other]! >= 0.95) total[e]! += set[other]!;
    }
  return highest.map((most, e) => {
    if (most === 1) return 1;
    const more = Math.max(total[e]! - most, 0);
    const [either] = disjunction(model.logic, [most], [1 - Math.exp(-support * more)]);
    return Math.max(most, Math.min(0.999, either!));
  });
}

/** The set of a query: a degree for every entity, rounded to float32 between operators. */
export function setOf(
  model: OracleModel,
  tables: OracleTables,
  sets: OracleSets,
  query: OracleQuery,
): Vector {
  const inner = (operand: OracleQuery): Vector => setOf(model, tables, sets, operand);
  const rounded = (vector: readonly number[]): Vector => vector.map(Math.fround);
  if ('entity' in query) return tables.entities.map((_, e) => (e === query.entity ? 1 : 0));
  if ('project' in query) {
    const { project, from } = query;
    if ('entity' in from) return rounded(degreesOfLink(model, tables, sets, from.entity, project));
    return rounded(projectedSet(model, tables, sets, inner(from), project));
  }
  if ('not' in query) return rounded(negation(inner(query.not)));
  const join = 'and' in query ? conjunction : disjunction;
  const [first, ...rest] = ('and' in query ? query.and : query.or).map(inner);
  let value = first!;
  for (const operand of rest) value = rounded(join(model.logic, value, operand));
  return value;
}
