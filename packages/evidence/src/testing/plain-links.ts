import type { KnowledgeGraph } from '@fuzzqe/core';
import { type FeatureName, featureNames } from '../link/features.ts';
import type { LinkWeights } from '../link/link-weights.ts';
import { confidenceOf, type Rule } from '../rules/rule-set.ts';

/** What plain loops judge links by, of graphs so small that no limit of a search is reached. */
export interface PlainLinks {
  readonly facts: KnowledgeGraph;
  readonly rules: readonly Rule[];
  readonly weights: LinkWeights;
  /** s_hr(e); undefined without a model. */
  readonly score: ((head: number, relation: number, entity: number) => number) | undefined;
}

/** Computes (9) feature by feature, by the table of docs/model.md. */
export function createPlainLinks({ facts, rules, weights, score }: PlainLinks): {
  features(head: number, relation: number, entity: number): Readonly<Record<FeatureName, number>>;
  degree(head: number, relation: number, entity: number, recordedShare?: number): number;
  isClosed(head: number, relation: number, entity: number): boolean;
} {
  const { entityCount, relationCount, has } = facts;
  const all = Array.from({ length: entityCount }, (_, id) => id);
  const relations = Array.from({ length: relationCount }, (_, id) => id);
  const tails = (head: number, relation: number): number[] => all.filter((e) => has(head, relation, e));
  const inverse = (relation: number): number => relation ^ 1;
  const headsOf = (relation: number): number[] => all.filter((h) => tails(h, relation).length > 0);

  const secondShare = kept((relation) => {
    const heads = headsOf(relation);
    return (heads.filter((h) => tails(h, relation).length > 1).length + 1) / (heads.length + 1);
  });
  const ranges = kept((relation) => {
    const possible = new Set(headsOf(inverse(relation)));
    const range = all.map(() => 0.001);
    const raise = (holders: readonly number[], isItself: boolean): void => {
      const hits = holders.filter((e) => possible.has(e)).length;
      const share = isItself ? 1 : (hits + 0.02) / (holders.length + 1);
      for (const e of holders) range[e] = Math.max(range[e]!, share);
    };
    for (const q of relations) raise(headsOf(q), q === inverse(relation));
    for (const type of weights.typeRelations)
      for (const each of all) {
        const instances = tails(each, inverse(type));
        if (instances.length >= 5) raise(instances, false);
      }
    return range;
  });
  const isReflexive = kept((relation) => all.some((e) => has(e, relation, e)));
  const isClosed = (head: number, relation: number, entity: number): boolean =>
    has(head, relation, entity) || (entity === head && !isReflexive(relation));

  const attributes = all.map(
    (e) => new Set(relations.flatMap((relation) => tails(e, relation).map((tail) => `${relation} ${tail}`))),
  );
  const holders = (attribute: string): number => attributes.filter((of) => of.has(attribute)).length;
  const product = (a: number, b: number): number =>
    [...attributes[a]!]
      .filter((attribute) => attributes[b]!.has(attribute))
      .reduce((sum, attribute) => sum + Math.log(entityCount / holders(attribute)) ** 2, 0);
  const cosine = kept2(entityCount, (a, b) => {
    const lengths = product(a, a) * product(b, b);
    return lengths === 0 ? 0 : product(a, b) / Math.sqrt(lengths);
  });
  const votes = kept2(relationCount, (head, relation) => {
    const sums = all.map((e) =>
      has(head, relation, e)
        ? 0
        : headsOf(relation)
            .filter((other) => has(other, relation, e))
            .reduce((sum, other) => sum + cosine(head, other) ** 2, 0),
    );
    const total = sums.reduce((sum, each) => sum + each, 0);
    return sums.map((sum) => (total === 0 ? 0 : sum / total));
  });

  const ends = (way: readonly number[], path: readonly number[]): number[] =>
    path.length === 0
      ? [way.at(-1)!]
      : tails(way.at(-1)!, path[0]!)
          .filter((e) => !way.includes(e))
          .flatMap((e) => ends([...way, e], path.slice(1)));
  const confidences = kept2(relationCount, (head, relation) => {
    const found = all.map((): number[] => []);
    for (const rule of rules.filter((each) => each.relation === relation)) {
      const named =
        rule.kind === 'path'
          ? ends([head], rule.path)
          : has(head, rule.body.relation, rule.body.tail)
            ? [rule.tail]
            : [];
      for (const e of new Set(named))
        if (e !== head && !has(head, relation, e)) found[e]!.push(confidenceOf(rule));
    }
    return found.map((each) => each.sort((a, b) => b - a));
  });
  const odds = (confidence: number): number => {
    if (confidence <= 1e-4) return 0;
    const bounded = Math.min(confidence, 0.9999);
    return (Math.log(bounded / (1 - bounded)) - Math.log(1e-4 / (1 - 1e-4))) / 4;
  };

  const logit = (head: number, relation: number, e: number): number =>
    weights.temperature! * score!(head, relation, e) + Math.log(Math.min(1, 4 * ranges(relation)[e]!));
  const normaliser = kept2(relationCount, (head, relation) => {
    const open = all.filter((e) => !isClosed(head, relation, e)).map((e) => logit(head, relation, e));
    if (open.length === 0) return 0;
    const top = Math.max(...open);
    return top + Math.log(open.reduce((sum, each) => sum + Math.exp(each - top), 0));
  });

  const features = (head: number, relation: number, e: number): Record<FeatureName, number> => {
    const count = tails(head, relation).length;
    const facing = tails(e, inverse(relation)).length;
    const factCount = all.reduce((sum, h) => sum + tails(h, relation).length, 0);
    const named = confidences(head, relation)[e]!;
    const rest = named.slice(0, 6).reduce((product, c) => product * (1 - Math.min(c, 0.999)), 1);
    return {
      constant: 1,
      share: weights.temperature === null ? 0 : (logit(head, relation, e) - normaliser(head, relation)) / 4,
      tails: Math.log(Math.max(count, 1)) / 4,
      functional: count === 0 ? 0 : Math.log(secondShare(relation)) / 4,
      inverseFunctional: facing === 0 ? 0 : Math.log(secondShare(inverse(relation))) / 4,
      range: Math.log(ranges(relation)[e]!) / 4,
      domain: Math.log(ranges(inverse(relation))[head]!) / 4,
      frequency: Math.log((facing + 0.1) / (factCount + 0.1 * entityCount)) / 4,
      neighbours: Math.sqrt(votes(head, relation)[e]!),
      bestRule: odds(Math.fround(named[0] ?? 0)),
      joinedRules: odds(Math.fround(1 - rest)),
      hasRule: (named[0] ?? 0) > 0 ? 1 : 0,
    };
  };
  return {
    features,
    isClosed,
    degree(head, relation, e, recordedShare = 0) {
      if (has(head, relation, e)) return 1;
      if (isClosed(head, relation, e)) return 0;
      const x = features(head, relation, e);
      const single = (a: number, r: number): number =>
        tails(a, r).length === 0 ? (1 - secondShare(r)) * ranges(inverse(r))[a]! : 0;
      const missing = Math.max(single(head, relation), single(e, inverse(relation)));
      const z = featureNames.reduce(
        (sum, name, at) => sum + weights.relations[relation * featureNames.length + at]! * x[name],
        Math.log((1 - recordedShare) / (1 - recordedShare * missing)),
      );
      return Math.min(0.999, 1 / (1 + Math.exp(-z)));
    },
  };
}

function kept<T>(make: (id: number) => T): (id: number) => T {
  const made = new Map<number, T>();
  return (id) => {
    if (!made.has(id)) made.set(id, make(id));
    return made.get(id)!; // was made
  };
}

function kept2<T>(count: number, make: (a: number, b: number) => T): (a: number, b: number) => T {
  const of = kept((key) => make(Math.floor(key / count), key % count));
  return (a, b) => of(a * count + b);
}
