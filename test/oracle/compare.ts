import { exactAnswers } from './answers.ts';
import type { OracleCase, OracleHub } from './cases.ts';
import { filteredRank } from './evaluation.ts';
import { joinedConfidence, ruleConfidences } from './evidence.ts';
import { best, embedding, entityVector, oracleTables, relationOf, scoresOf } from './model.ts';
import { type OracleQuery, oracleQuery } from './query.ts';
import { setOf } from './sets.ts';

/** The product as it is, or as a mutation has left it. */
export type Product = typeof import('./product.ts');

/**
 * How far apart two float64 evaluations of one formula may be: `|a − b| ≤ 1e-12 (1 + |b|)`.
 *
 * They differ by the order of sums of at most K·d products, a few 1e-16; layer normalisation scales that up, by at most
 * 1/√1e-5 = 316 where all elements are nearly equal, and trees have up to four projections.
 */
const allowed = 1e-12;
/** The product rounds logits of links, sums of (10) and sets between operators to float32. */
const allowedOfSets = 3e-6;

/** What the oracle says of one case: the same for every product. */
interface OracleAnswers {
  readonly entities: readonly number[];
  readonly weights: readonly number[];
  readonly biases: readonly number[];
  readonly asked: readonly {
    readonly what: string;
    readonly query: OracleQuery;
    readonly embedded: readonly number[];
    readonly scores: readonly number[];
    readonly exact: readonly number[];
    /** Undefined where rounding may decide which members a set takes along. */
    readonly set: readonly number[] | undefined;
  }[];
}

const answered = new WeakMap<OracleCase, OracleAnswers>();

/** The oracle's answers of a case, computed once for all products. */
function oracleAnswers(given: OracleCase): OracleAnswers {
  const known = answered.get(given);
  if (known !== undefined) return known;
  const { model, parameters, structures, trees, sets } = given;
  const each = <T>(count: number, make: (id: number) => T): T[] =>
    Array.from({ length: count }, (_, id) => make(id));
  const relations = each(model.relations, (id) => relationOf(model, parameters, id));
  const tables = oracleTables(model, parameters, sets.facts);
  const filled = structures.map(({ structure, anchors, relations: along }) => ({
    what: structure,
    query: oracleQuery(structure, anchors, along),
  }));
  const queries = [...filled, ...trees.map((query) => ({ what: JSON.stringify(query), query }))];
  const answers: OracleAnswers = {
    entities: each(model.entities, (id) => entityVector(model, parameters, id)).flat(),
    weights: relations.flatMap(({ weights }) => weights.flat()),
    biases: relations.flatMap(({ bias }) => bias),
    asked: queries.map(({ what, query }) => {
      const embedded = embedding(model, tables, query);
      let close = false;
      const onClose = (): void => {
        close = true;
      };
      const set = setOf(model, tables, { ...sets, onClose }, query);
      return {
        ...{ what, query, embedded, scores: scoresOf(model, tables, embedded) },
        exact: [...exactAnswers(model.entities, sets.facts, query)].sort((a, b) => a - b),
        set: close ? undefined : set,
      };
    }),
  };
  answered.set(given, answers);
  return answers;
}

/** Where the product says something else than the oracle, a line each; empty where they agree. */
export async function differences(product: Product, given: OracleCase): Promise<string[]> {
  const { model, parameters, structures, sets } = given;
  const { facts } = sets;
  const { entities, weights, biases, asked } = oracleAnswers(given);
  const filled = asked.slice(0, structures.length);
  const found: string[] = [];
  const compare = (
    what: string,
    got: ArrayLike<number>,
    expected: readonly number[],
    limit = allowed,
  ): void => {
    if (got.length !== expected.length) found.push(`${what}: ${expected.length} numbers, got ${got.length}`);
    const at = expected.findIndex(
      (value, i) => !(Math.abs(got[i]! - value) <= limit * (1 + Math.abs(value))),
    );
    if (at >= 0) found.push(`${what}[${at}]: ${expected[at]} by the oracle, ${got[at]} by the product`);
  };

  const tables = product.productTables(model, parameters);
  compare('p_e', tables.entities, entities);
  if (model.relationForm === 'bases') {
    compare('W_r', tables.weights, weights);
    compare('b_r', tables.biases, biases);
  }

  const judge = (
    what: string,
    { embedded, scores }: Pick<OracleAnswers['asked'][number], 'embedded' | 'scores'>,
    answer: ReturnType<Product['productAnswers']>[number],
  ): void => {
    compare(`S_q of ${what}`, answer.embedding, embedded);
    compare(`φ of ${what}`, answer.scores, scores);
    // Of the product's own scores: two that are equal up to rounding may change places.
    compare(`ranking of ${what}`, answer.ids, best(answer.scores, model.entities));
    const [first, second, ...others] = answer.ids;
    const [easy, hard] = [[first!], [second!, others.at(-1)!]];
    const answers = new Set([...easy, ...hard]);
    compare(
      `filtered ranks of ${what}`,
      product.productRanks(answer.scores, easy, hard),
      hard.map((id) => filteredRank(answer.scores, answers, id)),
    );
  };
  for (const form of product.projectionForms) {
    const answers = product.productAnswers(
      model,
      parameters,
      facts,
      asked.map(({ query }) => query),
      form,
    );
    for (const [i, each] of asked.entries()) judge(`${each.what}, ${form}`, each, answers[i]!);
  }
  const mixture = product.productMixture(model, parameters, facts, structures);
  for (const [i, each] of filled.entries()) judge(`${each.what}, mixed`, each, mixture[i]!);

  for (const [i, { structure, anchors, relations }] of structures.entries()) {
    const ours = JSON.stringify(product.productStructure(structure, anchors, relations));
    const theirs = JSON.stringify(product.productQuery(filled[i]!.query));
    // Both are trees in core's form; ∧ of three is one operator in both.
    if (ours !== theirs) found.push(`${structure}: ${theirs} by the oracle, ${ours} by the product`);
  }
  const exact = product.productExact(
    model,
    facts,
    asked.map(({ query }) => query),
  );
  for (const [i, each] of asked.entries()) compare(`answers of ${each.what}`, exact[i]!, each.exact);
  const degrees = await product.productSets(
    model,
    parameters,
    sets,
    asked.map(({ query }) => query),
  );
  for (const [i, { what, set }] of asked.entries())
    if (set !== undefined) compare(`set of ${what}`, degrees[i]!, set, allowedOfSets);
  return found;
}

/** Where the rules name other entities by the product than by the oracle, or with other confidences. */
export function ruleDifferences(product: Product, hub: OracleHub): string[] {
  const { entities, relation } = hub;
  const found: string[] = [];
  for (const head of [0, 1, 40]) {
    const confidences = ruleConfidences(hub, head, relation, entities);
    const { best, joined } = product.productRules(hub, head, relation);
    confidences.forEach((some, e) => {
      const expected = [Math.fround(some[0] ?? 0), joinedConfidence(some)];
      if (best[e] !== expected[0] || Math.abs(joined[e]! - expected[1]!) > 1e-7)
        found.push(
          `rules of ${head} for ${e}: ${expected} by the oracle, ${best[e]}, ${joined[e]} by the product`,
        );
    });
  }
  return found;
}
