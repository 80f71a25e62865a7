import type { Ranked } from '@fuzzqe/bundle';
import { asEntityId, asRelationId, type Random } from '@fuzzqe/core';
import type { Condition, Pattern, Term } from '@fuzzqe/core/query';
import type { PatternTuples } from '@fuzzqe/core/sets';
import type { ModelConfig } from '@fuzzqe/model';

/** How many tuples of a pattern are compared. */
export const mostTuples = 10;

/** How far a pattern is searched: every link is a row of all entities, which float64 takes long for. */
export const patternBudget: { readonly links: number; readonly width: number } = {
  links: 128,
  width: 65_536,
};

/**
 * Patterns that are no trees, so many of each form: parallel links of a pair, a cycle, and a negation between two variables.
 *
 * No pattern projects a set: if degrees nearly tie, two runtimes may choose other members of the set.
 */
export function drawPatterns(config: ModelConfig, count: number, random: Random): Pattern[] {
  const [x, y]: [Term, Term] = [{ variable: 0 }, { variable: 1 }];
  const anchor = (): Term => ({ entity: asEntityId(random.below(config.entities)) });
  const link = (from: Term, to: Term): Condition => {
    const relation = asRelationId(random.below(config.relations));
    return { op: 'link', relation, from, to };
  };
  const forms: readonly (() => readonly Condition[])[] = [
    () => [link(anchor(), x), link(x, y), link(x, y)],
    () => [link(anchor(), x), link(anchor(), y), link(x, y)],
    () => [link(anchor(), x), link(x, y), { op: 'not', operand: link(anchor(), y) }, link(y, x)],
  ];
  return forms.flatMap((form) =>
    Array.from({ length: count }, (): Pattern => {
      const where: Condition = { op: 'and', operands: form() };
      return { variables: ['x', 'y'], answers: [0, 1], where };
    }),
  );
}

/** Tuples of one or two entities as a ranking, with a number for each tuple. */
export function rankedTuples({ tuples, degrees }: Pick<PatternTuples, 'tuples' | 'degrees'>): Ranked {
  const width = degrees.length === 0 ? 1 : tuples.length / degrees.length;
  const ids = Array.from(degrees, (_, i) =>
    tuples.subarray(i * width, (i + 1) * width).reduce((number, id) => number * 2 ** 26 + id, 0),
  );
  return { ids, scores: degrees };
}
