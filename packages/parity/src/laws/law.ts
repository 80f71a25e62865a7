import type { Logic, LogicName } from '@fuzzqe/core/logic';
import { add, createProgram, input, mul, type Program, scalar, type Tensor } from '@fuzzqe/core/tensor';

/** ∧, ∨, ¬ and the truth values over any kind of value: tensors of a program, vectors behind exported graphs. */
export interface TruthAlgebra<T> {
  and(a: T, b: T): T;
  or(a: T, b: T): T;
  not(a: T): T;
  /** 0 or 1 in every element, in the shape of `like`. */
  constant(value: 0 | 1, like: T): T;
}

/** One side of a law, written once for every kind of value; laws of fewer operands leave the later ones alone. */
export type LawSide = <T>(algebra: TruthAlgebra<T>, a: T, b: T, c: T) => T;

/** `left relation right`, element by element. */
export interface LawClaim {
  readonly left: LawSide;
  readonly relation: '=' | '<=' | '<';
  readonly right: LawSide;
}

/** A law of logic and what each fuzzy logic has to say about it. */
export interface Law {
  /** The paper's numeral, for the eight laws of its table of logic laws. */
  readonly numeral: string | undefined;
  readonly name: string;
  readonly statement: string;
  /** How many operands it has: a, b and c. */
  readonly arity: 1 | 2 | 3;
  /** Where all of these hold, the claims must; elsewhere the law says nothing. */
  readonly premises: readonly LawClaim[];
  readonly claims: readonly LawClaim[];
  /** `holds`, or operands for which it does not; they are multiples of 1/4, so that nothing is rounded. */
  readonly verdicts: Readonly<Record<LogicName, 'holds' | readonly number[]>>;
}

/** Both sides of a claim, as the statement of a law writes them: the claims stand behind its premises, in their order. */
export function writtenSides({ statement }: Pick<Law, 'statement'>, claim: number): [string, string] {
  const [left = '', right = ''] = (statement.split(' ⇒ ').at(-1)!.split(', ')[claim] ?? '').split(/ [=≤] /);
  return [left, right];
}

/** The connectives of a logic as pieces of a tensor program. */
export function tensorAlgebra(
  logic: Pick<Logic, 'conjunction' | 'disjunction' | 'negation'>,
): TruthAlgebra<Tensor> {
  return {
    and: (a, b) => logic.conjunction(a, b),
    or: (a, b) => logic.disjunction(a, b),
    not: (a) => logic.negation(a),
    constant: (value, like) => add(mul(like, scalar(0)), scalar(value)),
  };
}

/**
 * All sides of a law as one tensor program, with operands `a`, `b`, `c` and outputs `premise 0 left`, `claim 1 right`, ….
 *
 * Shapes: [n] each.
 */
export function lawProgram(entry: Law, algebra: TruthAlgebra<Tensor>): Program {
  const operands = ['a', 'b', 'c'].map((name) => input(name, 'float', ['n'])) as [Tensor, Tensor, Tensor];
  const sides = (kind: string, claims: readonly LawClaim[]): [string, Tensor][] =>
    claims.flatMap(({ left, right }, i) => [
      [`${kind} ${i} left`, left(algebra, ...operands)] as [string, Tensor],
      [`${kind} ${i} right`, right(algebra, ...operands)] as [string, Tensor],
    ]);
  return createProgram({
    name: entry.name,
    description: entry.statement,
    inputs: operands.slice(0, entry.arity),
    outputs: Object.fromEntries([...sides('premise', entry.premises), ...sides('claim', entry.claims)]),
  });
}
