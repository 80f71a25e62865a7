/** How far two answers to one question are the same. */
export interface Agreement {
  /** Whether both give the same degrees, and the same entities but for ties of the last one. */
  readonly agree: boolean;
  /** The largest difference between the degrees of one entity, as far as can be told. */
  readonly difference: number;
}

/** What was answered, as far as it is compared. */
export interface ComparedAnswers {
  readonly answers: readonly ComparedAnswer[];
  readonly suggestions: readonly ComparedAnswer[];
}

interface ComparedAnswer {
  readonly id: number | string;
  readonly degree: number;
}

/** Degrees nearer than this are one: runtimes round in another order. */
const tolerance = 1e-4;

/** Compares what two runtimes answered. */
export function compareAnswers(a: ComparedAnswers, b: ComparedAnswers): Agreement {
  const difference = Math.max(differenceFrom(a, b), differenceFrom(b, a));
  return { agree: listed(a).length === listed(b).length && difference <= tolerance, difference };
}

/** Answers, then suggestions: rounding may put an entity into the other list. */
const listed = ({ answers, suggestions }: ComparedAnswers) => [...answers, ...suggestions];

/** How far degrees are from those in another answer; what is not in there has at most the degree of the last one. */
function differenceFrom(answer: ComparedAnswers, other: ComparedAnswers): number {
  const [own, others] = [listed(answer), listed(other)];
  const degrees = new Map(others.map(({ id, degree }) => [id, degree]));
  const last = others.at(-1)?.degree ?? 0;
  const each = own.map(({ id, degree }) => Math.abs(degree - (degrees.get(id) ?? Math.min(degree, last))));
  return each.reduce((most, one) => Math.max(most, one), 0);
}
