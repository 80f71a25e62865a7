import type { BundleSource, Profile } from '@fuzzqe/bundle';
import { and, not, or, type Query } from '@fuzzqe/core/query';
import type { Engine, Session, SessionFactory, TensorValue } from '@fuzzqe/engine';
import type { ModelConfig } from '@fuzzqe/model';
import { type LawSides, premisesHold, type Sides } from './check-law.ts';
import type { Law, LawClaim, TruthAlgebra } from './law.ts';

/** The exported operators that a law needs, opened on one runtime. */
export interface OperatorGraphs {
  /** The law on embeddings. Shapes: operands [n, d]. */
  onEmbeddings(law: Law, operands: readonly TensorValue[]): Promise<LawSides>;
  /**
   * The law on φ(q, e) for every entity.
   *
   * A premise of a law is one of whole embeddings here, so elements for which it is not true are set to 1 in all
   * operands, for which every premise is true.
   */
  onScores(law: Law, operands: readonly TensorValue[]): Promise<LawSides>;
  /** The law on φ(q, e), premises as well. Shapes: operands [n, d], sides [n · |E|]. */
  ofScores(law: Law, operands: readonly TensorValue[]): Promise<LawSides>;
  /** φ(q, e). Shapes: [n, d] → [n, |E|]. */
  scores(embeddings: TensorValue): Promise<TensorValue>;
  conjunction(left: TensorValue, right: TensorValue): Promise<TensorValue>;
  disjunction(left: TensorValue, right: TensorValue): Promise<TensorValue>;
  negation(embeddings: TensorValue): Promise<TensorValue>;
  close(): Promise<void>;
}

/** Opens conjunction, disjunction, negation and the ranking. */
export async function openOperatorGraphs(
  { sessions, source }: { readonly sessions: SessionFactory; readonly source: BundleSource },
  { operators, rank }: Profile,
  { entities }: ModelConfig,
): Promise<OperatorGraphs> {
  const conjunction = await sessions.open(operators.conjunction, source);
  const disjunction = await sessions.open(operators.disjunction, source);
  const negation = await sessions.open(operators.negation, source);
  const ranking = await sessions.open(rank, source);

  const graphs: Pick<OperatorGraphs, 'conjunction' | 'disjunction' | 'negation'> = {
    conjunction: (left, right) => embeddingOf(conjunction, { left, right }),
    disjunction: (left, right) => embeddingOf(disjunction, { left, right }),
    negation: (operand) => embeddingOf(negation, { operand }),
  };
  const algebra: TruthAlgebra<Promise<TensorValue>> = {
    and: async (left, right) => graphs.conjunction(await left, await right),
    or: async (left, right) => graphs.disjunction(await left, await right),
    not: async (operand) => graphs.negation(await operand),
    constant: async (value, like) => {
      const { dims, data } = await like;
      return { dims, data: new Float32Array(data.length).fill(value) };
    },
  };
  const scores = async (embedding: TensorValue): Promise<TensorValue> => {
    const k: TensorValue = { dims: [1], data: Int32Array.of(entities) };
    const dims = [embedding.dims[0]!, entities];
    const allowed: TensorValue = { dims, data: new Float32Array(dims[0]! * entities).fill(1) };
    const ranked = await ranking.run({ embedding, allowed, k });
    const [ids, values] = [ranked['ids']!.data, ranked['scores']!.data];
    const byEntity = new Float32Array(values.length);
    ids.forEach((id, i) => {
      byEntity[i - (i % entities) + id] = values[i]!;
    });
    return { dims, data: byEntity };
  };
  const sidesOf = async (
    claims: readonly LawClaim[],
    operands: readonly TensorValue[],
    read: (value: TensorValue) => Promise<TensorValue>,
  ): Promise<Sides[]> => {
    const [a, b, c] = [0, 1, 2].map((i) => Promise.resolve(operands[i] ?? operands[0]!));
    const sides: Sides[] = [];
    for (const { left, right } of claims)
      sides.push({
        left: (await read(await left(algebra, a!, b!, c!))).data,
        right: (await read(await right(algebra, a!, b!, c!))).data,
      });
    return sides;
  };
  const asIs = async (value: TensorValue): Promise<TensorValue> => value;

  return {
    ...graphs,
    scores,
    onEmbeddings: async (law, operands) => ({
      premises: await sidesOf(law.premises, operands, asIs),
      claims: await sidesOf(law.claims, operands, asIs),
    }),
    ofScores: async (law, operands) => ({
      premises: await sidesOf(law.premises, operands, scores),
      claims: await sidesOf(law.claims, operands, scores),
    }),
    async onScores(law, operands) {
      const premises = await sidesOf(law.premises, operands, asIs);
      const holding = operands.map(({ dims, data }) => ({
        dims,
        data: Float32Array.from(data, (value, at) => (premisesHold(law, premises, at) ? value : 1)),
      }));
      // The premises are true of the embeddings now, which is more than of their scores: none is left to check.
      return { premises: [], claims: await sidesOf(law.claims, holding, scores) };
    },
    close: async () => {
      for (const session of [conjunction, disjunction, negation, ranking]) await session.close();
    },
  };
}

async function embeddingOf(session: Session, feeds: Parameters<Session['run']>[0]): Promise<TensorValue> {
  return (await session.run(feeds))['embedding']!;
}

/**
 * The law on the degrees of queries for every entity, by the fuzzy sets of the queries that its sides are.
 *
 * Throws where the law speaks of truth values, which are no queries.
 */
export async function sidesOfDegrees(
  engine: Pick<Engine, 'degrees'>,
  law: Law,
  operands: readonly Query[],
): Promise<LawSides> {
  const algebra: TruthAlgebra<Query> = {
    and: (left, right) => and(left, right),
    or: (left, right) => or(left, right),
    not: (operand) => not(operand),
    constant(value) {
      throw new Error(`the truth value ${value} is no query`);
    },
  };
  const [a, b, c] = [0, 1, 2].map((i) => operands[i] ?? operands[0]!);
  const sidesOf = async (claims: readonly LawClaim[]): Promise<Sides[]> => {
    const queries = claims.flatMap(({ left, right }) => [
      left(algebra, a!, b!, c!),
      right(algebra, a!, b!, c!),
    ]);
    const sets = await engine.degrees(queries);
    return claims.map((_, i) => ({ left: sets[2 * i]!, right: sets[2 * i + 1]! }));
  };
  return { premises: await sidesOf(law.premises), claims: await sidesOf(law.claims) };
}
