import type { OracleFact } from './answers.ts';
import type { OracleQuery } from './query.ts';

/** `model` of a manifest, as docs/bundle-format.md lists it. */
export interface OracleModel {
  readonly entities: number;
  readonly relations: number;
  readonly dimension: number;
  readonly relationForm?: 'bases' | 'blocks';
  readonly bases: number;
  readonly logic: 'product' | 'godel' | 'lukasiewicz';
  readonly mapping: 'logistic' | 'boundedRectifier';
  readonly entityMapping: 'logistic' | 'boundedRectifier';
  readonly entityNormalisation: 'l1' | 'l2';
  readonly projectionInput: 'raw' | 'l2' | 'lengthened' | 'domain';
  /** λ of (7) in embeddings; 0 where it is not there. */
  readonly negationLambda?: number;
  readonly score?: 'innerProduct' | 'cosine';
}

/** The trained tensors of docs/checkpoint-format.md, row by row; with blocks there are no bases. */
export interface OracleParameters {
  readonly entities: ArrayLike<number>;
  readonly coefficients: ArrayLike<number>;
  readonly bases?: ArrayLike<number>;
  readonly biasBases?: ArrayLike<number>;
}

type Vector = number[];

/** W_r, input axis first, and b_r. */
export interface OracleRelation {
  readonly weights: readonly Vector[];
  readonly bias: Vector;
}

/** The recorded heads of a relation, and how many tails each has. */
export interface OracleDomain {
  readonly heads: readonly number[];
  readonly tails: readonly number[];
}

/** What queries are answered from: p_e of every entity; W_r and b_r of a relation, and its domain. */
export interface OracleTables {
  readonly entities: readonly Vector[];
  readonly relation: (id: number) => OracleRelation;
  readonly domain: (id: number) => OracleDomain;
}

/** Equation (1): m(x), or with blocks σ(x), divided by its norm plus 1e-12. */
export function entityVector(model: OracleModel, parameters: OracleParameters, entity: number): Vector {
  const mapped: Vector = [];
  for (let i = 0; i < model.dimension; i += 1) {
    const x = parameters.entities[entity * model.dimension + i]!;
    if (model.relationForm === 'blocks') mapped.push(logistic(x));
    else mapped.push(model.entityMapping === 'logistic' ? logistic(8 * x - 4) : bounded(x));
  }
  let total = 0;
  for (const value of mapped) total += model.entityNormalisation === 'l1' ? value : value * value;
  const norm = (model.entityNormalisation === 'l1' ? total : Math.sqrt(total)) + 1e-12;
  return mapped.map((value) => value / norm);
}

/** Equation (2): W_r = Σ_j α_rj M_j and b_r = Σ_j α_rj v_j; with blocks W_r with four numbers for each pair of elements. */
export function relationOf(
  model: OracleModel,
  parameters: OracleParameters,
  relation: number,
): OracleRelation {
  const { dimension: d, bases } = model;
  const weights = Array.from({ length: d }, () => zeros(d));
  const bias = zeros(d);
  if (model.relationForm === 'blocks') {
    const half = d / 2;
    for (let i = 0; i < half; i += 1) {
      const [c, s] = [
        parameters.coefficients[relation * d + i]!,
        parameters.coefficients[relation * d + half + i]!,
      ];
      weights[i]![i] = c;
      weights[i]![half + i] = s;
      weights[half + i]![i] = -s;
      weights[half + i]![half + i] = c;
    }
    return { weights, bias };
  }
  for (let k = 0; k < bases; k += 1) {
    const share = parameters.coefficients[relation * bases + k]!;
    for (let i = 0; i < d; i += 1)
      for (let j = 0; j < d; j += 1) weights[i]![j]! += share * parameters.bases![(k * d + i) * d + j]!;
    for (let j = 0; j < d; j += 1) bias[j]! += share * parameters.biasBases![k * d + j]!;
  }
  return { weights, bias };
}

/** The tables of a trained model. */
export function oracleTables(
  model: OracleModel,
  parameters: OracleParameters,
  facts: readonly OracleFact[],
): OracleTables {
  const entities = Array.from({ length: model.entities }, (_, e) => entityVector(model, parameters, e));
  const relations = new Map<number, OracleRelation>();
  return {
    entities,
    relation(id) {
      const known = relations.get(id) ?? relationOf(model, parameters, id);
      relations.set(id, known);
      return known;
    },
    domain: (id) => domainOf(model, facts, id),
  };
}

/** The 256 heads of most tails, most first and of equal ones the lower id; without any the entities of most edges, with one tail each. */
export function domainOf(model: OracleModel, facts: readonly OracleFact[], relation: number): OracleDomain {
  const tails = Array.from({ length: model.entities }, () => new Set<number>());
  const edges = Array.from({ length: model.entities }, () => new Set<string>());
  for (const [head, along, tail] of facts)
    for (const [from, r, to] of [[head, along, tail] as const, [tail, along ^ 1, head] as const]) {
      if (r === relation) tails[from]!.add(to);
      edges[from]!.add(`${r} ${to}`);
    }
  const mostFirst = (counts: readonly number[]): number[] => best(counts, model.entities).slice(0, 256);
  const counts = tails.map((of) => of.size);
  if (counts.every((count) => count === 0)) {
    const heads = mostFirst(edges.map((of) => of.size));
    return { heads, tails: heads.map(() => 1) };
  }
  const heads = mostFirst(counts).filter((head) => counts[head]! > 0);
  return { heads, tails: heads.map((head) => counts[head]!) };
}

/** Equations (3) and (4): g(LN(u(x) W_r + b_r)); with blocks σ(u(x) W_r). */
export function projection(model: OracleModel, { weights, bias }: OracleRelation, x: Vector): Vector {
  const d = model.dimension;
  if (model.relationForm === 'blocks') {
    let sum = 0;
    for (const value of x) sum += value;
    let beyond = x.map((value) => value / (sum / d + 1e-12) - 1);
    if (model.projectionInput === 'lengthened') {
      let squares = 0;
      for (const value of beyond) squares += value * value;
      const least = 8 * Math.sqrt(squares / d + 1e-6);
      if (least < 1) beyond = beyond.map((value) => value / least);
    }
    return weights.map((_, j) => {
      let y = 0;
      for (let i = 0; i < d; i += 1) y += beyond[i]! * weights[i]![j]!;
      return logistic(y);
    });
  }
  let squares = 1e-12;
  for (const value of x) squares += value * value;
  const scale = model.projectionInput === 'l2' ? Math.sqrt(squares) : 1;
  const y: Vector = [];
  for (let j = 0; j < d; j += 1) {
    let sum = bias[j]!;
    for (let i = 0; i < d; i += 1) sum += (x[i]! / scale) * weights[i]![j]!;
    y.push(sum);
  }
  let mean = 0;
  for (const value of y) mean += value / d;
  let variance = 0;
  for (const value of y) variance += ((value - mean) * (value - mean)) / d;
  return y.map((value) => {
    const normalised = (value - mean) / Math.sqrt(variance + 1e-5);
    return model.mapping === 'logistic' ? logistic(normalised) : bounded(normalised);
  });
}

/** Equation (5). */
export function conjunction(logic: OracleModel['logic'], a: Vector, b: Vector): Vector {
  return a.map((left, i) => {
    const right = b[i]!;
    if (logic === 'product') return left * right;
    return logic === 'godel' ? Math.min(left, right) : Math.max(left + right - 1, 0);
  });
}

/** Equation (6). */
export function disjunction(logic: OracleModel['logic'], a: Vector, b: Vector): Vector {
  return a.map((left, i) => {
    const right = b[i]!;
    if (logic === 'product') return left + right - left * right;
    return logic === 'godel' ? Math.max(left, right) : Math.min(left + right, 1);
  });
}

/** Equation (7), by Sugeno's λ. */
export function negation(a: Vector, lambda = 0): Vector {
  return a.map((value) => (1 - value) / (1 + lambda * value));
}

/** S_q of any query tree; operands of ∧ and ∨ are taken from left to right. */
export function embedding(model: OracleModel, tables: OracleTables, query: OracleQuery): Vector {
  const inner = (operand: OracleQuery): Vector => embedding(model, tables, operand);
  if ('entity' in query) return [...tables.entities[query.entity]!];
  if ('project' in query) {
    const from = inner(query.from);
    const isMoved = model.projectionInput === 'domain' && !('entity' in query.from);
    const start = isMoved ? centroid(model, tables, query.project, from) : from;
    return projection(model, tables.relation(query.project), start);
  }
  if ('not' in query) return negation(inner(query.not), model.negationLambda);
  const join = 'and' in query ? conjunction : disjunction;
  const [first, ...rest] = ('and' in query ? query.and : query.or).map(inner);
  let value = first!;
  for (const operand of rest) value = join(model.logic, value, operand);
  return value;
}

/** Equation (3): the mean of the heads of a relation, each by its tails and the eighth power of where its score lies between the others'. */
export function centroid(
  model: OracleModel,
  tables: OracleTables,
  relation: number,
  embedded: Vector,
): Vector {
  let mean = 0;
  for (const value of embedded) mean += value / embedded.length;
  // Entities sum to 1: what each score has of the mean says nothing, and costs digits.
  const scores = scoresOf(
    model,
    tables,
    embedded.map((value) => value - mean),
  );
  const { heads, tails } = tables.domain(relation);
  const own = heads.map((head) => scores[head]!);
  const [most, least] = [Math.max(...own), Math.min(...own)];
  const range = most - least + 1 / (32 * embedded.length);
  const weights = own.map((score, i) => tails[i]! * (((score - least) / range) ** 8 + 1e-9));
  let total = 0;
  for (const weight of weights) total += weight;
  return embedded.map((_, i) => {
    let value = 0;
    for (const [place, head] of heads.entries())
      value += (weights[place]! / total) * tables.entities[head]![i]!;
    return value;
  });
}

/** Equation (8): the score of every entity. */
export function scoresOf(model: OracleModel, tables: OracleTables, embedded: Vector): Vector {
  return tables.entities.map((entity) => {
    let product = 0;
    let squares = 1e-12;
    for (let i = 0; i < model.dimension; i += 1) {
      product += embedded[i]! * entity[i]!;
      squares += entity[i]! * entity[i]!;
    }
    return model.score === 'cosine' ? product / Math.sqrt(squares) : product;
  });
}

/** The k entities with the largest scores, largest first; of equal scores the lower id. */
export function best(scores: readonly number[], k: number): number[] {
  const left = scores.map((_, id) => id);
  const chosen: number[] = [];
  while (chosen.length < k) {
    let at = 0;
    for (let i = 1; i < left.length; i += 1) if (scores[left[i]!]! > scores[left[at]!]!) at = i;
    chosen.push(left[at]!);
    left.splice(at, 1);
  }
  return chosen;
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

function bounded(x: number): number {
  return Math.min(Math.max(x, 0), 1);
}

function zeros(count: number): Vector {
  return Array.from({ length: count }, () => 0);
}
