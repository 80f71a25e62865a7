import type { OracleFact } from './answers.ts';
import {
  conjunction,
  disjunction,
  negation,
  type OracleModel,
  type OracleTables,
  projection,
} from './model.ts';
import type { OracleQuery } from './query.ts';

/** `sets.calibration` of a manifest. */
export interface OracleCalibration {
  readonly temperature: number;
  readonly cap: number;
  readonly weight: number;
  readonly exponent: number;
  readonly exclusivity: number;
  readonly neighbourWeight: number;
  readonly support: number;
  readonly negationLambda: number;
  readonly certainMembers: number;
  readonly predictedMembers: number;
}

/** What answers by sets need beside the tables. */
export interface OracleSets {
  readonly calibration: OracleCalibration;
  /** z_r of every relation. */
  readonly partitions: readonly number[];
  readonly facts: readonly OracleFact[];
}

type Vector = number[];

/** The recorded tails of a link, each once. */
function tailsOf(facts: readonly OracleFact[], head: number, relation: number): Set<number> {
  const found = new Set<number>();
  for (const [h, r, t] of facts) {
    if (r === relation && h === head) found.add(t);
    if (r + 1 === relation && t === head) found.add(h);
  }
  return found;
}

/** τ · cos(P_r(p_h), p_e) for every e; with blocks τ · Σ_i (2 P_r(p_h)(i) − 1)(d p_e(i) − 1), up to what p_e does not sum to 1. */
function logits(
  model: OracleModel,
  tables: OracleTables,
  temperature: number,
  head: number,
  relation: number,
): Vector {
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
      return temperature * 2 * d * product;
    });
  }
  return tables.entities.map((entity) => {
    let product = 0;
    for (let i = 0; i < model.dimension; i += 1) product += x[i]! * entity[i]!;
    // A vector of length 1 is its own direction.
    const own = model.entityNormalisation === 'l2' ? 1 : length(entity);
    return (temperature * product) / (length(x) * own);
  });
}

/** z_r of every relation, the mean over all its recorded heads: of relations with at most 16 of them. */
export function partitionsOf(
  model: OracleModel,
  tables: OracleTables,
  facts: readonly OracleFact[],
  temperature: number,
): number[] {
  const means: (number | undefined)[] = [];
  for (let relation = 0; relation < model.relations; relation += 1) {
    let [sum, count] = [0, 0];
    for (let head = 0; head < model.entities; head += 1) {
      const recorded = tailsOf(facts, head, relation);
      if (recorded.size === 0 || recorded.size === model.entities) continue;
      let total = 0;
      logits(model, tables, temperature, head, relation).forEach((value, e) => {
        if (!recorded.has(e)) total += Math.exp(value);
      });
      sum += Math.log(total);
      count += 1;
    }
    if (count > 16) throw new Error('too many heads to know which are taken');
    means.push(count === 0 ? undefined : sum / count);
  }
  const known = means.filter((value) => value !== undefined);
  let all = 0;
  for (const value of known) all += value;
  return means.map((value) => Math.fround(value ?? all / known.length));
}

/** Equation (9) without what is recorded: the predicted degrees of a link. */
function predicted(
  model: OracleModel,
  tables: OracleTables,
  { calibration, partitions, facts }: OracleSets,
  head: number,
  relation: number,
): Vector {
  const { temperature, cap, weight, exponent } = calibration;
  const count = Math.max(tailsOf(facts, head, relation).size, 1);
  const offset = Math.fround(Math.log(weight) + exponent * Math.log(count) - partitions[relation]!);
  return logits(model, tables, temperature, head, relation).map((value) =>
    Math.min(cap, Math.max(1e-12, Math.exp(value + offset))),
  );
}

/** κ_r(e) of equation (9), for every e. */
function exclusivities({ calibration, facts }: OracleSets, relation: number, count: number): Vector {
  const inverse = relation % 2 === 0 ? relation + 1 : relation - 1;
  const heads = Array.from({ length: count }, (_, e) => tailsOf(facts, e, inverse).size);
  let [one, two] = [1, 1];
  for (const number of heads) {
    if (number >= 1) one += 1;
    if (number >= 2) two += 1;
  }
  const factor = Math.fround(Math.min(1, (8 * two) / one) ** calibration.exclusivity);
  return heads.map((number) => (number === 0 ? 1 : factor));
}

/** The attributes of an entity: relation and the entity at its other end, once each. */
function attributesOf(facts: readonly OracleFact[], entity: number): Set<string> {
  const found = new Set<string>();
  for (const [h, r, t] of facts) {
    if (h === entity) found.add(`${r} ${t}`);
    if (t === entity) found.add(`${r + 1} ${h}`);
  }
  return found;
}

/** ν_hr(e) of equation (9), for every e, of graphs so small that every attribute is looked at. */
function neighbours(sets: OracleSets, head: number, relation: number, count: number): Vector {
  const { calibration, facts } = sets;
  const attributes = Array.from({ length: count }, (_, e) => attributesOf(facts, e));
  const weightOf = (attribute: string): number => {
    const having = attributes.filter((some) => some.has(attribute)).length;
    return Math.fround(Math.log(count / having) ** 2);
  };
  const product = (some: ReadonlySet<string>, others: ReadonlySet<string>): number => {
    let sum = 0;
    for (const attribute of some) if (others.has(attribute)) sum += weightOf(attribute);
    return sum;
  };
  const own = attributes[head]!;
  const recorded = tailsOf(facts, head, relation);
  const alike: (readonly [head: number, cosine: number])[] = [];
  attributes.forEach((others, other) => {
    const shared = product(own, others);
    if (shared === 0 || tailsOf(facts, other, relation).size === 0) return;
    const lengths = Math.fround(product(own, own)) * Math.fround(product(others, others));
    alike.push([other, Math.fround(shared / Math.sqrt(lengths))]);
  });
  alike.sort(([a, x], [b, y]) => y - x || a - b);
  const votes = new Array<number>(count).fill(0);
  for (const [neighbour, cosine] of alike.slice(0, 64))
    for (const tail of tailsOf(facts, neighbour, relation))
      if (!recorded.has(tail)) votes[tail]! += cosine ** 2;
  let total = 0;
  for (const vote of votes) total += vote;
  const { neighbourWeight, weight, exponent, cap } = calibration;
  const factors = exclusivities(sets, relation, count);
  const expected = neighbourWeight * weight * Math.max(recorded.size, 1) ** exponent;
  return votes.map((vote, e) => (vote === 0 ? 0 : Math.min(cap, (expected * factors[e]! * vote) / total)));
}

/** Degrees joined with what neighbours say: no degree is raised above the cap. */
function joined(model: OracleModel, cap: number, degrees: Vector, added: Vector): Vector {
  const either = disjunction(model.logic, degrees, added);
  return degrees.map((degree, e) => (added[e] === 0 ? degree : Math.max(degree, Math.min(cap, either[e]!))));
}

/** What is expected of each member in a projection: `min(cap, w max(n, 1/10)^a)`, in single precision. */
function expectations({ calibration, facts }: OracleSets, relation: number, count: number): Vector {
  const { cap, weight, exponent } = calibration;
  return Array.from({ length: count }, (_, head) => {
    const recorded = tailsOf(facts, head, relation).size;
    return Math.fround(Math.min(cap, weight * (recorded === 0 ? 0.1 : recorded) ** exponent));
  });
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
  const { support, cap, certainMembers, predictedMembers } = sets.calibration;
  const ids = set.map((_, id) => id);
  const sure = ids.filter((id) => set[id]! >= 0.95);
  const expected = expectations(sets, relation, set.length);
  const promise = set.map((degree, id) => degree * expected[id]!);
  const likely = bestOf(
    promise,
    ids.filter((id) => set[id]! < 0.95 && set[id]! > 0),
    predictedMembers,
  );
  const members = [...bestOf(promise, sure, certainMembers), ...likely];
  const result = set.map(() => 0);
  if (members.length === 0) return result;
  const total = set.map(() => 0);
  const recordedTotal = set.map(() => 0);
  const added = set.map(() => 0);
  for (const member of members.filter((each) => sure.includes(each)))
    neighbours(sets, member, relation, set.length).forEach((vote, e) => {
      const [reached] = conjunction(model.logic, [set[member]!], [vote]);
      added[e] = Math.max(added[e]!, reached!);
    });
  const factors = exclusivities(sets, relation, set.length);
  for (const member of members)
    predicted(model, tables, sets, member, relation).forEach((degree, e) => {
      const [reached] = conjunction(model.logic, [set[member]!], [degree]);
      result[e] = Math.max(result[e]!, factors[e]! * reached!);
      total[e]! += factors[e]! * reached!;
    });
  const counted = new Set([...sure, ...likely]);
  for (const member of ids.filter((id) => set[id]! > 0))
    for (const e of tailsOf(sets.facts, member, relation)) {
      result[e] = Math.max(result[e]!, set[member]!);
      if (counted.has(member)) recordedTotal[e] = Math.fround(recordedTotal[e]! + set[member]!);
    }
  const reached = result.map((best, e) => {
    const others = Math.max(total[e]! + recordedTotal[e]! - best, 0);
    const [either] = disjunction(model.logic, [best], [1 - Math.exp(-support * others)]);
    return Math.min(1, Math.max(best, either!));
  });
  return joined(model, cap, reached.map(Math.fround), added);
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
    if (!('entity' in from)) return rounded(projectedSet(model, tables, sets, inner(from), project));
    const recorded = tailsOf(sets.facts, from.entity, project);
    const factors = exclusivities(sets, project, tables.entities.length);
    const alone = predicted(model, tables, sets, from.entity, project).map(
      (degree, e) => factors[e]! * degree,
    );
    const added = neighbours(sets, from.entity, project, tables.entities.length);
    return rounded(joined(model, sets.calibration.cap, rounded(alone), added)).map((degree, e) =>
      recorded.has(e) ? 1 : degree,
    );
  }
  if ('not' in query) return rounded(negation(inner(query.not), sets.calibration.negationLambda));
  const join = 'and' in query ? conjunction : disjunction;
  const [first, ...rest] = ('and' in query ? query.and : query.or).map(inner);
  let value = first!;
  for (const operand of rest) value = rounded(join(model.logic, value, operand));
  return value;
}
