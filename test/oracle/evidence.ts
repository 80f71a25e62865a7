import type { OracleFact } from './answers.ts';

/** A line of `rules.tsv`. */
export interface OracleRule {
  readonly relation: number;
  readonly hits: number;
  readonly predictions: number;
  /** r₁ … rₙ; undefined of a constant rule. */
  readonly path?: readonly number[];
  /** c, q and d; undefined of a path rule. */
  readonly constant?: readonly [tail: number, relation: number, to: number];
}

/** `evidence.json`. */
export interface OracleWeights {
  readonly temperature: number | null;
  readonly typeRelations: readonly number[];
  /** Twelve numbers for each relation. */
  readonly weights: readonly (readonly number[])[];
}

/** What links are judged by, beside the model. */
export interface OracleEvidence extends OracleWeights {
  readonly rules: readonly OracleRule[];
  readonly facts: readonly OracleFact[];
  /** Facts that declared axioms entail. */
  readonly entailed: readonly OracleFact[];
  /** s′. */
  readonly recordedShare: number;
}

/** The recorded tails by head and relation, ascending, of both directions. */
const indexes = new WeakMap<readonly OracleFact[], Map<string, number[]>>();

/** The recorded tails of a link, ascending, each once. */
export function tailsOf(facts: readonly OracleFact[], head: number, relation: number): readonly number[] {
  let index = indexes.get(facts);
  if (index === undefined) {
    index = new Map();
    for (const [h, r, t] of facts)
      for (const [from, along, to] of [
        [h, r, t],
        [t, r + 1, h],
      ] as const) {
        const key = `${from} ${along}`;
        const tails = index.get(key) ?? [];
        if (!tails.includes(to)) tails.push(to);
        index.set(key, tails);
      }
    for (const tails of index.values()) tails.sort((a, b) => a - b);
    indexes.set(facts, index);
  }
  return index.get(`${head} ${relation}`) ?? [];
}

const inverseOf = (relation: number): number => (relation % 2 === 0 ? relation + 1 : relation - 1);

/** φ_r. */
function secondTailShare(facts: readonly OracleFact[], relation: number, entities: number): number {
  let [one, two] = [0, 0];
  for (let e = 0; e < entities; e += 1) {
    const count = tailsOf(facts, e, relation).length;
    if (count >= 1) one += 1;
    if (count >= 2) two += 1;
  }
  return (two + 1) / (one + 1);
}

/** Whether a fact of the relation leads from an entity to itself. */
function hasLoop(facts: readonly OracleFact[], relation: number): boolean {
  return facts.some(([h, r, t]) => h === t && (r === relation || r + 1 === relation));
}

const allRanges = new WeakMap<readonly OracleFact[], Map<string, number[]>>();

/** ρ_r(e) of every entity, in single precision. */
export function rangesOf(
  evidence: Pick<OracleEvidence, 'facts' | 'typeRelations'>,
  relation: number,
  entities: number,
  relations: number,
): readonly number[] {
  const ofFacts = allRanges.get(evidence.facts) ?? new Map<string, number[]>();
  allRanges.set(evidence.facts, ofFacts);
  const key = JSON.stringify([relation, entities, relations, evidence.typeRelations]);
  const ranges = ofFacts.get(key) ?? makeRanges(evidence, relation, entities, relations);
  ofFacts.set(key, ranges);
  return ranges;
}

function makeRanges(
  { facts, typeRelations }: Pick<OracleEvidence, 'facts' | 'typeRelations'>,
  relation: number,
  entities: number,
  relations: number,
): number[] {
  const inverse = inverseOf(relation);
  const isTail = (e: number): boolean => tailsOf(facts, e, inverse).length > 0;
  const ranges = new Array<number>(entities).fill(0.001);
  const raise = (holders: readonly number[], isItself: boolean): void => {
    let hits = 0;
    for (const e of holders) if (isTail(e)) hits += 1;
    const share = isItself ? 1 : (hits + 0.02) / (holders.length + 1);
    for (const e of holders) ranges[e] = Math.max(ranges[e]!, share);
  };
  for (let q = 0; q < relations; q += 1) {
    const holders: number[] = [];
    for (let e = 0; e < entities; e += 1) if (tailsOf(facts, e, q).length > 0) holders.push(e);
    raise(holders, q === inverse);
  }
  for (const type of typeRelations)
    for (let c = 0; c < entities; c += 1) {
      const holders = tailsOf(facts, c, inverseOf(type));
      if (holders.length >= 5) raise(holders, false);
    }
  return ranges.map(Math.fround);
}

/** The attributes of every entity, relation and the entity at its other end; what each counts, and each entity compared with itself. */
interface Attributes {
  readonly of: readonly ReadonlySet<string>[];
  readonly weights: ReadonlyMap<string, number>;
  readonly squares: readonly number[];
}

const allAttributes = new WeakMap<readonly OracleFact[], Attributes>();

function sharedWeight(
  weights: Attributes['weights'],
  some: ReadonlySet<string>,
  others: ReadonlySet<string>,
): number {
  let sum = 0;
  for (const each of some) if (others.has(each)) sum += weights.get(each)!;
  return sum;
}

function attributesOf(facts: readonly OracleFact[], entities: number): Attributes {
  const known = allAttributes.get(facts);
  if (known?.of.length === entities) return known;
  const of = Array.from({ length: entities }, () => new Set<string>());
  for (const [h, r, t] of facts) {
    of[h]!.add(`${r} ${t}`);
    of[t]!.add(`${r + 1} ${h}`);
  }
  const having = new Map<string, number>();
  for (const some of of) for (const each of some) having.set(each, (having.get(each) ?? 0) + 1);
  const weights = new Map(
    [...having].map(([each, count]) => [each, Math.fround(Math.log(entities / count) ** 2)]),
  );
  const made = { of, weights, squares: of.map((some) => Math.fround(sharedWeight(weights, some, some))) };
  allAttributes.set(facts, made);
  return made;
}

/** c_hr(e) of every entity, of graphs so small that every attribute is looked at. */
function votesOf(facts: readonly OracleFact[], head: number, relation: number, entities: number): number[] {
  const { of, weights, squares } = attributesOf(facts, entities);
  const alike: (readonly [head: number, cosine: number])[] = [];
  of.forEach((others, other) => {
    if (tailsOf(facts, other, relation).length === 0) return;
    const shared = sharedWeight(weights, of[head]!, others);
    if (shared === 0) return;
    alike.push([other, Math.fround(shared / Math.sqrt(squares[head]! * squares[other]!))]);
  });
  alike.sort(([a, x], [b, y]) => y - x || a - b);
  const recorded = tailsOf(facts, head, relation);
  const votes = new Array<number>(entities).fill(0);
  for (const [neighbour, cosine] of alike.slice(0, 64))
    for (const tail of tailsOf(facts, neighbour, relation))
      if (!recorded.includes(tail)) votes[tail]! += cosine ** 2;
  let total = 0;
  for (const vote of votes) total += vote;
  return votes.map((vote) => (vote === 0 ? 0 : vote / total));
}

const confidenceOf = ({ hits, predictions }: OracleRule): number => hits / (predictions + 5);

/** Which path rule comes first: by confidence, then shorter paths, then lower ones. */
function comparePaths(a: OracleRule, b: OracleRule): number {
  const [one, other] = [a.path!, b.path!];
  const byLength = confidenceOf(b) - confidenceOf(a) || one.length - other.length;
  if (byLength !== 0) return byLength;
  const at = one.findIndex((relation, i) => relation !== other[i]);
  return at < 0 ? 0 : one[at]! - other[at]!;
}

/** The confidences of the rules that name each entity, the highest first. */
export function ruleConfidences(
  { facts, rules }: Pick<OracleEvidence, 'facts' | 'rules'>,
  head: number,
  relation: number,
  entities: number,
): number[][] {
  const named: number[][] = Array.from({ length: entities }, () => []);
  const own = rules.filter((rule) => rule.relation === relation);
  let looked = 0;
  for (const rule of own.filter(({ path }) => path !== undefined).sort(comparePaths)) {
    if (looked >= 2 ** 13) break;
    let paths: number[][] = [[head]];
    for (const along of rule.path!) {
      const longer: number[][] = [];
      let left = 1024;
      for (const path of paths)
        for (const tail of tailsOf(facts, path.at(-1)!, along)) {
          if (left === 0) continue;
          left -= 1;
          looked += 1;
          if (!path.includes(tail)) longer.push([...path, tail]);
        }
      paths = longer;
    }
    for (const end of new Set(paths.map((path) => path.at(-1)!))) named[end]!.push(confidenceOf(rule));
  }
  for (const rule of own)
    if (rule.constant !== undefined) {
      const [tail, along, to] = rule.constant;
      if (tailsOf(facts, head, along).includes(to)) named[tail]!.push(confidenceOf(rule));
    }
  // A head is not named, also where the relation has loops.
  named[head] = [];
  return named.map((confidences) => confidences.sort((a, b) => b - a));
}

/** `1 − Π (1 − min(c, 0.999))` over the six highest, in single precision. */
export function joinedConfidence(confidences: readonly number[]): number {
  let rest = 1;
  for (const confidence of confidences.slice(0, 6)) rest *= 1 - Math.min(confidence, 0.999);
  return Math.fround(1 - rest);
}

/** o(c). */
function aboveLeast(confidence: number): number {
  if (confidence <= 1e-4) return 0;
  const bounded = Math.min(confidence, 0.9999);
  return (Math.log(bounded / (1 - bounded)) - Math.log(1e-4 / (1 - 1e-4))) / 4;
}

/**
 * Equation (9): the degree of every entity as a tail of a link. `scores` are s_hr(e) of every entity; undefined without a model.
 */
export function linkDegrees(
  evidence: OracleEvidence,
  scores: readonly number[] | undefined,
  head: number,
  relation: number,
  entities: number,
): number[] {
  const { facts, temperature, weights } = evidence;
  const relations = weights.length;
  const inverse = inverseOf(relation);
  const recorded = tailsOf(facts, head, relation);
  const closed = new Set(hasLoop(facts, relation) ? recorded : [...recorded, head]);
  const ranges = rangesOf(evidence, relation, entities, relations);
  const domain = rangesOf(evidence, inverse, entities, relations)[head]!;
  const counts = Array.from({ length: entities }, (_, e) => tailsOf(facts, e, inverse).length);
  let all = 0;
  for (const count of counts) all += count;
  const [functional, inverseFunctional] = [relation, inverse].map((r) => secondTailShare(facts, r, entities));
  const votes = votesOf(facts, head, relation, entities);
  const rules = ruleConfidences(evidence, head, relation, entities);
  // Without a model nothing is shared.
  const share = (e: number): number =>
    temperature === null ? 0 : temperature * scores![e]! + Math.log(Math.min(1, 4 * ranges[e]!));
  let sum = 0;
  for (let e = 0; e < entities; e += 1) if (!closed.has(e)) sum += Math.exp(share(e));
  const normaliser = temperature === null || sum === 0 ? 0 : Math.log(sum);
  return ranges.map((range, e) => {
    if (recorded.includes(e)) return 1;
    if (tailsOf(evidence.entailed, head, relation).includes(e)) return 0.999;
    if (closed.has(e)) return 0;
    const best = Math.fround(rules[e]![0] ?? 0);
    const features = [
      1,
      (share(e) - normaliser) / 4,
      Math.log(Math.max(recorded.length, 1)) / 4,
      recorded.length >= 1 ? Math.log(functional!) / 4 : 0,
      counts[e]! >= 1 ? Math.log(inverseFunctional!) / 4 : 0,
      Math.log(range) / 4,
      Math.log(domain) / 4,
      Math.log((counts[e]! + 0.1) / (all + 0.1 * entities)) / 4,
      Math.sqrt(votes[e]!),
      best > 0 ? aboveLeast(best) : 0,
      best > 0 ? aboveLeast(joinedConfidence(rules[e]!)) : 0,
      best > 0 ? 1 : 0,
    ];
    const missing = Math.max(
      recorded.length === 0 ? (1 - functional!) * domain : 0,
      counts[e] === 0 ? (1 - inverseFunctional!) * range : 0,
    );
    const { recordedShare } = evidence;
    let logit = Math.log((1 - recordedShare) / (1 - recordedShare * missing));
    features.forEach((feature, i) => {
      logit += weights[relation]![i]! * feature;
    });
    return Math.min(0.999, 1 / (1 + Math.exp(-logit)));
  });
}
