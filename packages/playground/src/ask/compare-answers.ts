import type { SetsAnswer } from '@fuzzqe/engine';

/** How far two answers to one question are the same. */
export interface Agreement {
  /** Whether both have the same entities in the same order, but for those whose degrees are too near to tell. */
  readonly agree: boolean;
  /** The largest difference between the degrees of one entity. */
  readonly difference: number;
}

/** Degrees nearer than this are one: runtimes round in another order. */
const tolerance = 1e-4;

/** Compares what two runtimes answered. */
export function compareAnswers(a: SetsAnswer, b: SetsAnswer): Agreement {
  const degrees = new Map(b.answers.map(({ id, degree }) => [id, degree]));
  let difference = 0;
  for (const { id, degree } of a.answers) {
    const other = degrees.get(id);
    if (other !== undefined) difference = Math.max(difference, Math.abs(degree - other));
  }
  const agree =
    a.answers.length === b.answers.length &&
    a.answers.every(({ degree }, i) => Math.abs(degree - (b.answers[i]?.degree ?? 0)) <= tolerance) &&
    a.answers.every(
      ({ id, degree }, i) =>
        b.answers[i]?.id === id || Math.abs((degrees.get(id) ?? degree) - degree) <= tolerance,
    );
  return { agree, difference };
}
